-- stores: verification exchange
-- The traceparent that deliveries of an event carry (contract, section 17.2): of the request that made
-- the change. It is read with its row, so no index serves it. NULL: that request had none.
ALTER TABLE outbox ADD COLUMN traceparent TEXT;
