-- stores: exchange
-- The same on orders (contract, section 11.6).
ALTER TABLE order_delivery ADD COLUMN metadata TEXT;
