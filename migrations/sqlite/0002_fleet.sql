-- stores: verification
-- Phones, their numbers and their personal messenger accounts (domain/fleet).

CREATE TABLE device (
    id           BLOB PRIMARY KEY NOT NULL,
    name         TEXT NOT NULL,
    key_hash     BLOB NOT NULL,
    is_enabled   INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER
) STRICT, WITHOUT ROWID;

-- Who holds this key? At every request of a phone.
CREATE UNIQUE INDEX device_by_key ON device (key_hash);

CREATE TABLE device_number (
    number          TEXT PRIMARY KEY NOT NULL,
    device_id       BLOB NOT NULL REFERENCES device (id),
    position        INTEGER NOT NULL,
    is_enabled      INTEGER NOT NULL,
    sim_ready_until INTEGER NOT NULL DEFAULT 0,
    is_ready        INTEGER NOT NULL DEFAULT 0, -- 0 for sure not; 1 until somebody saw that it lapsed
    active_challenges INTEGER NOT NULL DEFAULT 0, -- rows of active_challenge, also those just expired
    last_used_at    INTEGER NOT NULL DEFAULT 0 -- uuid_tick: never the same twice
) STRICT, WITHOUT ROWID;

-- The numbers of a phone, in the order in which they were given.
CREATE INDEX device_number_by_device ON device_number (device_id, position);
-- The least busy number, for a call and (where its SIM is ready) for an SMS: the first of the index.
CREATE INDEX device_number_by_load ON device_number (active_challenges, last_used_at, number)
    WHERE is_enabled = 1;
CREATE INDEX device_number_by_load_ready ON device_number (active_challenges, last_used_at, number)
    WHERE is_enabled = 1 AND is_ready = 1;

CREATE TABLE device_account (
    account_id  TEXT PRIMARY KEY NOT NULL,
    device_id   BLOB NOT NULL REFERENCES device (id),
    messenger   TEXT NOT NULL,
    state       TEXT NOT NULL, -- as the phone said it
    state_until INTEGER NOT NULL -- how long that word holds
) STRICT, WITHOUT ROWID;

-- The accounts of a phone, and of a page of phones.
CREATE INDEX device_account_by_device ON device_account (device_id, account_id);
-- Those that no phone has named for long go, oldest first.
CREATE INDEX device_account_by_time ON device_account (state_until);
