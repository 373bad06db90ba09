-- stores: verification exchange
-- What every store stands on: idempotency keys (kit/idem), jobs and leases (kit/job), which key
-- sealed it, and which other store belongs to it.

CREATE TABLE idempotency_key (
    family      TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BYTEA NOT NULL,
    resource_id BYTEA NOT NULL,
    PRIMARY KEY (family, key)
);

-- The keys of a resource that goes: idem_forget.
CREATE INDEX idempotency_key_by_resource ON idempotency_key (resource_id);

CREATE TABLE job (
    id             BYTEA PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    subject        BYTEA NOT NULL,
    attempt        BIGINT NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    run_at_ms      BIGINT NOT NULL, -- when it was to run
    due_at_ms      BIGINT NOT NULL, -- when it may be claimed: run_at_ms, or the end of its lease
    lease_id       BYTEA
);

-- The longest due of a kind, and when the next one is: job_claim, job_next_due.
CREATE INDEX job_by_due ON job (kind, due_at_ms);
-- What is queued about a subject: job_cancel.
CREATE INDEX job_by_subject ON job (subject);

CREATE TABLE lease (
    name     TEXT PRIMARY KEY NOT NULL,
    holder   BYTEA NOT NULL,
    until_ms BIGINT NOT NULL
);

-- A known text under the secret key: a process with another key is told so at its start.
CREATE TABLE vault_check (
    one    BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    sealed BYTEA NOT NULL
);

-- Two SQLite files that belong together hold one pair_id; where one database holds every store, there
-- is none. is_complete: the other file has it too.
CREATE TABLE store_pair (
    one         BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    pair_id     BYTEA NOT NULL,
    is_complete BIGINT NOT NULL
);
