-- stores: exchange
-- What an integration may say of its own snapshots. (domain/client)
-- The safety brake: the share of the live products that one may archive, a decimal; NULL: as the
-- setting says.
ALTER TABLE integration ADD COLUMN max_archive_share TEXT;
-- Whether it is for trying out: 'production' or 'test'.
ALTER TABLE integration ADD COLUMN environment TEXT NOT NULL DEFAULT 'production';
-- What a field of a product means that is not there in a snapshot: 'remove' or 'keep'.
ALTER TABLE integration ADD COLUMN absent TEXT NOT NULL DEFAULT 'remove';

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

-- Orders. (domain/order)
-- An id is an order's within its integration. The row has the order's own id as its key, unless that
-- is another row's already; then the key is one of its own, and this is the order's.
ALTER TABLE order_delivery ADD COLUMN order_id BLOB;
-- How many products it has, and how many of them were in the catalog when it was taken.
ALTER TABLE order_delivery ADD COLUMN product_count INTEGER;
ALTER TABLE order_delivery ADD COLUMN product_known INTEGER;
-- Rejected or failed: when its body goes, unless it is tried again before.
ALTER TABLE order_delivery ADD COLUMN body_until INTEGER;

-- An order by its own id.
CREATE UNIQUE INDEX order_delivery_by_order ON order_delivery (integration_id, order_id)
    WHERE order_id IS NOT NULL;
-- Whose body goes next.
CREATE INDEX order_delivery_body_until ON order_delivery (body_until)
    WHERE body_until IS NOT NULL;

-- Bodies of those that failed were kept without an end: 30 days.
UPDATE order_delivery SET body_until = updated_at + 2592000000
    WHERE state = 'failed' AND state <> 'accepted' AND created_at > 0;

-- How many of its fields a product has from a snapshot before, since the newest one does not have
-- them. (domain/catalog)
ALTER TABLE catalog_product ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
