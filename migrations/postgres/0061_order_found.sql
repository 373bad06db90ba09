-- stores: exchange
-- The search finds an order by the id and the number of its document in the ERP (contract, section
-- 18.5), the newest first.

CREATE INDEX order_delivery_by_erp_id ON order_delivery (erp_order_id, created_at, id)
    WHERE erp_order_id IS NOT NULL;
CREATE INDEX order_delivery_by_erp_number ON order_delivery (erp_number, created_at, id)
    WHERE erp_number IS NOT NULL;
