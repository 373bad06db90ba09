-- stores: exchange
-- The orders of a customer are listed newest first, page by page (contract, section 11.5).

DROP INDEX order_delivery_by_customer;
CREATE INDEX order_delivery_by_customer ON order_delivery (customer, created_at, id)
    WHERE customer IS NOT NULL;
-- Those of all. (Only this list says that a time is above 0, so that PostgreSQL does not look for the
-- orders of a customer among those of all.)
DROP INDEX order_delivery_by_time;
CREATE INDEX order_delivery_by_time ON order_delivery (created_at, id) WHERE created_at > 0;
