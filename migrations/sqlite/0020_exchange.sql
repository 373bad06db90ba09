-- stores: exchange
-- What an integration may say of its own snapshots. (domain/client)
-- The safety brake: the share of the live products that one may archive, a decimal; NULL: as the
-- setting says.
ALTER TABLE integration ADD COLUMN max_archive_share TEXT;
-- Whether it is for trying out: 'production' or 'test'.
ALTER TABLE integration ADD COLUMN environment TEXT NOT NULL DEFAULT 'production';

-- Is another one enabled for this point? Not unique, since some are from before that was asked.
CREATE INDEX integration_by_point ON integration (tenant_id, point_id, environment, id)
    WHERE is_enabled = 1;

-- One row for each point that an integration was made or enabled for since. Whoever does that holds
-- the row meanwhile, so that of two at one moment the second finds the first.
CREATE TABLE integration_point (
    tenant_id   BLOB NOT NULL,
    point_id    BLOB NOT NULL,
    environment TEXT NOT NULL,
    PRIMARY KEY (tenant_id, point_id, environment)
) STRICT, WITHOUT ROWID;
