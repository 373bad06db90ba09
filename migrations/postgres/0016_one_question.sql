-- stores: exchange
-- As with those of tasks, each index answers one question, and says so: what is due of an
-- integration; the orders of all, and those of one; packages by their receipt, and not by their
-- event, for which it read all packages of the integration.
CREATE INDEX order_delivery_new_due ON order_delivery (integration_id, due_at)
    WHERE due_at IS NOT NULL AND integration_id IS NOT NULL;
CREATE INDEX order_delivery_new_by_state ON order_delivery (state, created_at, id)
    WHERE state <> 'accepted' AND created_at > 0;
CREATE INDEX order_delivery_new_by_integration_state
    ON order_delivery (integration_id, state, created_at, id)
    WHERE state <> 'accepted' AND integration_id IS NOT NULL;
CREATE UNIQUE INDEX erp_package_new_by_receipt ON erp_package (integration_id, receipt)
    WHERE receipt IS NOT NULL;

DROP INDEX order_delivery_due, order_delivery_by_state, order_delivery_by_integration_state,
    erp_package_by_receipt;
ALTER INDEX order_delivery_new_due RENAME TO order_delivery_due;
ALTER INDEX order_delivery_new_by_state RENAME TO order_delivery_by_state;
ALTER INDEX order_delivery_new_by_integration_state RENAME TO order_delivery_by_integration_state;
ALTER INDEX erp_package_new_by_receipt RENAME TO erp_package_by_receipt;
