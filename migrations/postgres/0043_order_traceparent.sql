-- stores: exchange
-- The traceparent with which an order goes to its ERP (contract, section 17.2): of the request that
-- took it. It is read with its row, so no index serves it. NULL: that request had none.
ALTER TABLE order_delivery ADD COLUMN traceparent TEXT;
