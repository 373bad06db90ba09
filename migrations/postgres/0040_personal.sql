-- stores: verification
-- Personal data that was erased (contract, section 10.5).

-- NULL: it is there. 1: a keyed hash stands in for the number, so that limits hold, until their
-- window is over. 2: nothing of it is left.
ALTER TABLE otp ADD COLUMN erased BIGINT;
ALTER TABLE call_challenge ADD COLUMN erased BIGINT;
ALTER TABLE message ADD COLUMN erased BIGINT;
-- Whose window is over? Hardly any rows are here.
CREATE INDEX otp_stand_in ON otp (created_at) WHERE erased = 1;
CREATE INDEX call_challenge_stand_in ON call_challenge (created_at) WHERE erased = 1;

-- How far HERALD_PERSONAL_DAYS has gone through each table: behind this id it goes on, along the
-- primary key.
CREATE TABLE personal_mark (
    place TEXT PRIMARY KEY NOT NULL,
    id    BYTEA NOT NULL
);

-- The requests to erase or to export all that is known of a number.
CREATE TABLE subject_job (
    id             BYTEA PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    state          TEXT NOT NULL,
    number         BYTEA, -- sealed; NULL once it is done
    mark           BYTEA NOT NULL, -- a keyed hash of the number
    phase          BIGINT NOT NULL,
    place          BIGINT NOT NULL, -- how far it is in its phase
    codes          BIGINT NOT NULL DEFAULT 0,
    calls          BIGINT NOT NULL DEFAULT 0,
    messages       BIGINT NOT NULL DEFAULT 0,
    orders         BIGINT NOT NULL DEFAULT 0,
    orders_waiting BIGINT NOT NULL DEFAULT 0,
    log_entries    BIGINT NOT NULL DEFAULT 0,
    result         BYTEA, -- sealed: what an export found
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    finished_at    BIGINT
);
-- Which one has waited for longest; how many there are.
CREATE INDEX subject_job_running ON subject_job (updated_at) WHERE state = 'running';
-- Which ones are to be forgotten.
CREATE INDEX subject_job_finished ON subject_job (finished_at) WHERE finished_at IS NOT NULL;
-- The exports of a number that is erased.
CREATE INDEX subject_job_by_mark ON subject_job (mark);
