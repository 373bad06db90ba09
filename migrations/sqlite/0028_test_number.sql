-- stores: verification
-- Test numbers (contract, section 12.1): whether a record is of one; 0 for all others.
ALTER TABLE otp ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_challenge ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0;

-- What stands in for a phone or a provider where a record is of a test number: a send that its
-- scenario plays, or a call that comes.
CREATE TABLE test_send (
    id             BLOB PRIMARY KEY NOT NULL,
    owner_kind     TEXT NOT NULL,
    owner_id       BLOB NOT NULL, -- the code, the message or the challenge
    channel        TEXT, -- of a code
    gateway_number TEXT, -- as it was asked for
    scenario       INTEGER NOT NULL, -- the last two digits of the number
    step           INTEGER NOT NULL, -- how many steps of its scenario are over
    state          TEXT NOT NULL,
    error          TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sends of a code.
CREATE INDEX test_send_by_owner ON test_send (owner_id);
