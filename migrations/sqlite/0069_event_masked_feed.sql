-- stores: verification
-- The same of the feed.
ALTER TABLE event DROP COLUMN masked;
