-- stores: verification
-- One-time codes (domain/otp) and the tasks of phones that carry them (domain/task).

CREATE TABLE otp (
    id             BLOB PRIMARY KEY NOT NULL,
    channel        TEXT NOT NULL,
    recipient      TEXT NOT NULL,
    state          TEXT NOT NULL,
    code           BLOB, -- sealed; erased once the state is final
    code_length    INTEGER NOT NULL,
    attempts_left  INTEGER NOT NULL,
    account_id     TEXT,
    app_hash       TEXT,
    origin         TEXT,
    has_fallback   INTEGER NOT NULL DEFAULT 0, -- an SMS was asked for, over another channel's code
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    confirmed_at   INTEGER
) STRICT, WITHOUT ROWID;

-- How many codes did this recipient get in the last ten minutes?
CREATE INDEX otp_by_recipient ON otp (recipient, created_at);
-- Whose time is over and whose code is still here?
CREATE INDEX otp_by_expiry ON otp (expires_at) WHERE code IS NOT NULL;

-- Wrong codes of the last 24 hours, over all codes of a recipient.
CREATE TABLE wrong_code (
    recipient    TEXT NOT NULL,
    at           INTEGER NOT NULL,
    otp_id       BLOB NOT NULL,
    attempt      INTEGER NOT NULL,
    PRIMARY KEY (recipient, at, otp_id, attempt)
) STRICT, WITHOUT ROWID;

-- Old rows go, oldest first.
CREATE INDEX wrong_code_by_time ON wrong_code (at);

-- What phones send (domain/task): SMS and messages of personal messengers.
CREATE TABLE phone_task (
    id              BLOB PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    owner_kind      TEXT NOT NULL,
    owner_id        BLOB NOT NULL, -- the code or the message
    sender          TEXT NOT NULL, -- the gateway number or the account
    recipient       TEXT NOT NULL,
    attempt         INTEGER NOT NULL,
    state           TEXT NOT NULL,
    error           TEXT,
    lease_id        BLOB,
    lease_device_id BLOB,
    lease_until     INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The next task of a sender, oldest first.
CREATE INDEX phone_task_open ON phone_task (channel, sender, id)
    WHERE state IN ('queued', 'claimed');
-- What is under a lease, however much waits: of a sender, of a phone that is disabled, and of those
-- that phones never reported on, whose time is over.
CREATE INDEX phone_task_claimed ON phone_task (channel, sender) WHERE state = 'claimed';
CREATE INDEX phone_task_held ON phone_task (lease_device_id) WHERE state = 'claimed';
CREATE INDEX phone_task_unreported ON phone_task (expires_at) WHERE state = 'claimed';
-- The sends of a code or message.
CREATE INDEX phone_task_by_owner ON phone_task (owner_id);
