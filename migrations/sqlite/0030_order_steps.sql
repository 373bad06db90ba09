-- stores: exchange
-- What became of an order beside its attempts (contract, section 11.7), as lines of text: what an
-- operator had tried again, and how it had ended before.
ALTER TABLE order_delivery ADD COLUMN steps TEXT;
