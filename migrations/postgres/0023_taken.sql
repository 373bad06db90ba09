-- stores: verification
-- When something was taken: what was taken in the future was so under a clock that was ahead, and is
-- over, however short it is. NULL: an older version of herald took it.

-- The number of a challenge.
ALTER TABLE active_challenge ADD COLUMN taken_at BIGINT;
-- The last turn of a chat.
ALTER TABLE chat_turn ADD COLUMN taken_at BIGINT;
