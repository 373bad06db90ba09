-- stores: verification
-- Test numbers (contract, section 12.1): whether a record is of one; 0 for all others.
ALTER TABLE otp ADD COLUMN is_test BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN is_test BIGINT NOT NULL DEFAULT 0;
ALTER TABLE call_challenge ADD COLUMN is_test BIGINT NOT NULL DEFAULT 0;

-- What stands in for a phone or a provider where a record is of a test number: a send that its
-- scenario plays, or a call that comes.
CREATE TABLE test_send (
    id             BYTEA PRIMARY KEY NOT NULL,
    owner_kind     TEXT NOT NULL,
    owner_id       BYTEA NOT NULL, -- the code, the message or the challenge
    channel        TEXT, -- of a code
    gateway_number TEXT, -- as it was asked for
    scenario       BIGINT NOT NULL, -- the last two digits of the number
    step           BIGINT NOT NULL, -- how many steps of its scenario are over
    state          TEXT NOT NULL,
    error          TEXT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

-- The sends of a code.
CREATE INDEX test_send_by_owner ON test_send (owner_id);
