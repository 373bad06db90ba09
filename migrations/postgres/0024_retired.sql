-- stores: exchange
-- Since when a secret overlaps with its successor: an overlap that began in the future was given
-- under a clock that was ahead, and is over, however short it is. NULL: the secret has no end, or an
-- older version of herald gave it one.
ALTER TABLE client_secret ADD COLUMN retired_at BIGINT;
