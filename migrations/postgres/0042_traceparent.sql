-- stores: verification
-- The traceparent that fetches for a send carry (contract, section 17.2): of the request that wanted
-- it. It is read with its row, so no index serves it. NULL: that request had none.
ALTER TABLE channel_send ADD COLUMN traceparent TEXT;
