-- stores: verification
-- Accounts of messengers are bound by the operator (contract, section 2, rule 9): a row of
-- device_account is a binding from here on, and each stays with the phone that declared it last.
-- Nothing goes any more because its phone was silent, so nobody asks for the oldest.
DROP INDEX device_account_by_time;

-- What a phone declares without being bound to it: nobody's, or another phone's.
CREATE TABLE named_account (
    device_id  BYTEA NOT NULL REFERENCES device (id),
    account_id TEXT NOT NULL,
    messenger  TEXT NOT NULL,
    is_taken   BIGINT NOT NULL, -- whether the log was told that another phone is bound to it
    named_at   BIGINT NOT NULL, -- to within an hour
    PRIMARY KEY (device_id, account_id)
);

-- Those that their phones have not named for long go, oldest first.
CREATE INDEX named_account_by_time ON named_account (named_at);

-- When the call came that confirmed a challenge: one call confirms at most one (contract, section
-- 2, rule 6). NULL: not yet, or by a version of herald that did not keep it.
ALTER TABLE call_challenge ADD COLUMN called_at BIGINT;
