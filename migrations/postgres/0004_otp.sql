-- stores: verification
-- One-time codes (domain/otp) and the tasks of phones that carry them (domain/task).

CREATE TABLE otp (
    id             BYTEA PRIMARY KEY NOT NULL,
    channel        TEXT NOT NULL,
    recipient      TEXT NOT NULL,
    state          TEXT NOT NULL,
    code           BYTEA, -- sealed; erased once the state is final
    code_length    BIGINT NOT NULL,
    attempts_left  BIGINT NOT NULL,
    account_id     TEXT,
    app_hash       TEXT,
    origin         TEXT,
    has_fallback   BIGINT NOT NULL DEFAULT 0, -- an SMS was asked for, over another channel's code
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    confirmed_at   BIGINT
);

-- How many codes did this recipient get in the last ten minutes?
CREATE INDEX otp_by_recipient ON otp (recipient, created_at);
-- Whose time is over and whose code is still here?
CREATE INDEX otp_by_expiry ON otp (expires_at) WHERE code IS NOT NULL;

-- Wrong codes of the last 24 hours, over all codes of a recipient.
CREATE TABLE wrong_code (
    recipient    TEXT NOT NULL,
    at           BIGINT NOT NULL,
    otp_id       BYTEA NOT NULL,
    attempt      BIGINT NOT NULL,
    PRIMARY KEY (recipient, at, otp_id, attempt)
);

-- Old rows go, oldest first.
CREATE INDEX wrong_code_by_time ON wrong_code (at);

-- What phones send (domain/task): SMS and messages of personal messengers.
CREATE TABLE phone_task (
    id              BYTEA PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    owner_kind      TEXT NOT NULL,
    owner_id        BYTEA NOT NULL, -- the code or the message
    sender          TEXT NOT NULL, -- the gateway number or the account
    recipient       TEXT NOT NULL,
    attempt         BIGINT NOT NULL,
    state           TEXT NOT NULL,
    error           TEXT,
    lease_id        BYTEA,
    lease_device_id BYTEA,
    lease_until     BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL
);

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
