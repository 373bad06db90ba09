-- stores: exchange
-- For the orders of all integrations alone: with the statistics of a moment without a backlog
-- PostgreSQL took it for those of one integration too, and read the backlog of all others.
DROP INDEX order_delivery_by_state;
CREATE INDEX order_delivery_by_state ON order_delivery (state, created_at, id)
    WHERE state <> 'accepted' AND created_at > 0;
