-- stores: exchange
-- For the orders of all integrations alone. (The others only PostgreSQL has to be told.)
DROP INDEX order_delivery_by_state;
CREATE INDEX order_delivery_by_state ON order_delivery (state, created_at, id)
    WHERE state <> 'accepted' AND created_at > 0;
