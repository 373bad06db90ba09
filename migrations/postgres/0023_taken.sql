-- stores: verification
-- Since when a challenge holds its number: one that began in the future was taken under a clock that
-- was ahead, and is over, however short it is. NULL: an older version of herald took it.
ALTER TABLE active_challenge ADD COLUMN taken_at BIGINT;
