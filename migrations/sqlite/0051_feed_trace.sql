-- stores: verification
-- The same in the feed.
ALTER TABLE event ADD COLUMN traceparent TEXT;
