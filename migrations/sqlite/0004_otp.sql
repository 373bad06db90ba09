-- stores: verification
-- One-time codes (domain/otp) and the SMS tasks that carry them (domain/sms).

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

CREATE TABLE sms_task (
    id              BLOB PRIMARY KEY NOT NULL,
    otp_id          BLOB NOT NULL,
    recipient       TEXT NOT NULL,
    gateway_number  TEXT NOT NULL,
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

-- The next task of a number, oldest first.
CREATE INDEX sms_task_open ON sms_task (gateway_number, id) WHERE state IN ('queued', 'claimed');
-- The sends of a code.
CREATE INDEX sms_task_by_otp ON sms_task (otp_id);
