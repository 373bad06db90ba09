-- stores: verification
-- The feed (contract, section 13.2), read and cut along its numbers: event_select_page,
-- event_select_oldest.
CREATE TABLE event (
    seq          BIGINT PRIMARY KEY NOT NULL, -- from 1 on without a gap
    id           BYTEA NOT NULL,
    type         TEXT NOT NULL,
    subject_type TEXT NOT NULL,
    subject_id   TEXT NOT NULL,
    sequence     BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    data         TEXT, -- NULL: there is none, or it is erased
    masked       TEXT  -- the same for those who may see no numbers; NULL: it is `data`
);

-- An event of the exchange file is carried over once: event_is_there.
CREATE UNIQUE INDEX event_by_id ON event (id);
-- What is told of a person is erased: event_erase.
CREATE INDEX event_by_subject ON event (subject_id);

-- The newest number; whether somebody listens, and how often that has changed.
CREATE TABLE event_head (
    one       BIGINT PRIMARY KEY NOT NULL,
    last_seq  BIGINT NOT NULL,
    is_wanted BIGINT NOT NULL,
    epoch     BIGINT NOT NULL
);
INSERT INTO event_head (one, last_seq, is_wanted, epoch) VALUES (1, 0, 0, 0);

-- The epoch of event_head up to which the process has confirmed that it knows who listens.
ALTER TABLE process ADD COLUMN event_epoch BIGINT NOT NULL DEFAULT -1;

-- How many changes of a subject were events, whether or not they were written. A row that can go and
-- come again begins with the time instead of 0.
ALTER TABLE otp ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE call_challenge ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE device ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE device_number ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE device_account ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE channel_circuit ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;

-- When the clock ends a call that is still waited for; NULL: it has ended, and that was told.
ALTER TABLE call_challenge ADD COLUMN ends_at BIGINT;
-- Calls that the clock has ended: inbound_call_select_over.
CREATE INDEX call_challenge_ending ON call_challenge (ends_at) WHERE ends_at IS NOT NULL;
