-- stores: exchange
-- How many changes of a subject were events, whether or not they were written (contract, section
-- 13.1).
ALTER TABLE order_delivery ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE order_lane ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE erp_package ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
