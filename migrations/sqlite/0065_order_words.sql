-- stores: exchange
-- What an ERP said of an order, sealed (contract, section 2, rule 14). The words of an attempt have
-- a key of one column, since those of a sealed value have: the order's id and the attempt as 8
-- bytes.
ALTER TABLE order_delivery ADD COLUMN words BLOB;
ALTER TABLE order_attempt ADD COLUMN words BLOB;
ALTER TABLE order_attempt ADD COLUMN words_key BLOB;
CREATE UNIQUE INDEX order_attempt_by_words ON order_attempt (words_key) WHERE words_key IS NOT NULL;
