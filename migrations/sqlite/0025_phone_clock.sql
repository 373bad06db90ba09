-- stores: verification
-- How far the clock of a phone is behind herald's (contract, section 2, rule 6): the least that its
-- reports of calls have shown lately, below 0 where it is ahead; and when it was seen, to within an
-- hour. NULL: not known.
ALTER TABLE device ADD COLUMN clock_lag_ms INTEGER;
ALTER TABLE device ADD COLUMN clock_lag_at INTEGER;
