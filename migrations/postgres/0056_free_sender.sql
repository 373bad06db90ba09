-- stores: verification
-- A number or an account that has left its phone is nobody's until another phone gets it: here is
-- what the watch knows of it meanwhile, so that what was told is not told again (contract, section
-- 11.3).
CREATE TABLE free_sender (
    kind         TEXT NOT NULL, -- number, account
    sender       TEXT NOT NULL,
    heard_until  BIGINT NOT NULL, -- until when a number counted as ready, at most until it left
    silent_since BIGINT, -- since when it is silent or gone, as the log was told; NULL: it was not
    free_since   BIGINT NOT NULL,
    PRIMARY KEY (kind, sender)
);
-- Those that have been nobody's for long go, oldest first.
CREATE INDEX free_sender_by_time ON free_sender (free_since);
