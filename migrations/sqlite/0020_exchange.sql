-- stores: exchange
-- What an integration may say of its own snapshots. (domain/client)
-- The safety brake: the share of the live products that one may archive, a decimal; NULL: as the
-- setting says.
ALTER TABLE integration ADD COLUMN max_archive_share TEXT;
