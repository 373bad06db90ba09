-- stores: exchange
-- That an order and a package are of an integration that is there, the transaction that takes them
-- has read, and no integration is ever removed. PostgreSQL asked again at each insert, and locked
-- the integration's row for it: a tenth of what an order cost, and more the more came at once.
ALTER TABLE order_delivery DROP CONSTRAINT order_delivery_integration_id_fkey;
ALTER TABLE erp_package DROP CONSTRAINT erp_package_integration_id_fkey;
