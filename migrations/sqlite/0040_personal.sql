-- stores: verification
-- Personal data that was erased (contract, section 10.5).

-- NULL: it is there. 1: a keyed hash stands in for the number, so that limits hold, until their
-- window is over. 2: nothing of it is left.
ALTER TABLE otp ADD COLUMN erased INTEGER;
ALTER TABLE call_challenge ADD COLUMN erased INTEGER;
ALTER TABLE message ADD COLUMN erased INTEGER;
-- Whose window is over? Hardly any rows are here.
CREATE INDEX otp_stand_in ON otp (created_at) WHERE erased = 1;
CREATE INDEX call_challenge_stand_in ON call_challenge (created_at) WHERE erased = 1;

-- How far HERALD_PERSONAL_DAYS has gone through each table: behind this id it goes on, along the
-- primary key.
CREATE TABLE personal_mark (
    place TEXT PRIMARY KEY NOT NULL,
    id    BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The requests to erase or to export all that is known of a number.
CREATE TABLE subject_job (
    id             BLOB PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    state          TEXT NOT NULL,
    number         BLOB, -- sealed; NULL once it is done
    mark           BLOB NOT NULL, -- a keyed hash of the number
    phase          INTEGER NOT NULL,
    place          INTEGER NOT NULL, -- how far it is in its phase
    codes          INTEGER NOT NULL DEFAULT 0,
    calls          INTEGER NOT NULL DEFAULT 0,
    messages       INTEGER NOT NULL DEFAULT 0,
    orders         INTEGER NOT NULL DEFAULT 0,
    orders_waiting INTEGER NOT NULL DEFAULT 0,
    log_entries    INTEGER NOT NULL DEFAULT 0,
    result         BLOB, -- sealed: what an export found
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    finished_at    INTEGER
) STRICT, WITHOUT ROWID;
-- Which one has waited for longest; how many there are.
CREATE INDEX subject_job_running ON subject_job (updated_at) WHERE state = 'running';
-- Which ones are to be forgotten.
CREATE INDEX subject_job_finished ON subject_job (finished_at) WHERE finished_at IS NOT NULL;
-- The exports of a number that is erased.
CREATE INDEX subject_job_by_mark ON subject_job (mark);
