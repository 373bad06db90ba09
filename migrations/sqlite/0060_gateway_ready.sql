-- stores: verification
-- Whether the SIM that a caller was told to call was ready then (contract, section 2, rule 1);
-- NULL: of before. And when the log was last told that somebody has to call a SIM that was not.
ALTER TABLE call_challenge ADD COLUMN gateway_ready INTEGER;
ALTER TABLE device_number ADD COLUMN unready_told_at INTEGER NOT NULL DEFAULT 0;
