-- stores: verification exchange
-- What those see who may see no numbers is made when they read it: event_show.
ALTER TABLE outbox DROP COLUMN masked;
