-- stores: verification
-- One active challenge a number (domain/challenge), and inbound-call challenges (domain/call).

CREATE TABLE active_challenge (
    number         TEXT PRIMARY KEY NOT NULL,
    challenge_id   BLOB NOT NULL,
    gateway_number TEXT,
    expires_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose time is over? Their numbers are free, and their gateway numbers less busy.
CREATE INDEX active_challenge_by_expiry ON active_challenge (expires_at);

CREATE TABLE call_challenge (
    id             BLOB PRIMARY KEY NOT NULL,
    caller         TEXT NOT NULL,
    gateway_number TEXT NOT NULL,
    state          TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    confirmed_at   INTEGER
) STRICT, WITHOUT ROWID;

-- The latest challenge of a caller, when a phone reports a call.
CREATE INDEX call_challenge_by_caller ON call_challenge (caller, gateway_number, created_at);

CREATE TABLE call_event (
    device_id    BLOB NOT NULL,
    event_id     TEXT NOT NULL,
    result       TEXT NOT NULL,
    challenge_id BLOB,
    arrived_at   INTEGER NOT NULL,
    PRIMARY KEY (device_id, event_id)
) STRICT, WITHOUT ROWID;

-- Old events go, oldest first.
CREATE INDEX call_event_by_arrival ON call_event (arrived_at);
