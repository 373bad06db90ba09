-- stores: exchange
-- Personal data of orders (contract, section 10.5).

-- A keyed hash of the customer's phone, if the order has one that can be read. NULL: it has none, was
-- taken before there was this column, or is erased.
ALTER TABLE order_delivery ADD COLUMN customer BYTEA;
-- NULL: it is there. 1: it is to be erased once the order is delivered, rejected or failed. 2: it is.
ALTER TABLE order_delivery ADD COLUMN erased BIGINT;
-- The orders of a customer.
CREATE INDEX order_delivery_by_customer ON order_delivery (customer) WHERE customer IS NOT NULL;
-- Those that are to be erased: hardly any.
CREATE INDEX order_delivery_erasing ON order_delivery (state, id) WHERE erased = 1;

-- How far HERALD_PERSONAL_DAYS has gone: behind this order it goes on, by time.
CREATE TABLE order_personal_mark (
    one BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    at  BIGINT NOT NULL,
    id  BYTEA NOT NULL
);
