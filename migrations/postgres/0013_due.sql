-- stores: exchange
-- What is due is found without a walk through all that waits, and less is looked up.

-- Random, anew with each snapshot: as long as it holds, what is remembered of numbers does.
ALTER TABLE catalog ADD COLUMN edition BIGINT NOT NULL DEFAULT 0;

-- Packages. What was never tried is due, whatever its due_at: of all integrations by time, of one in
-- order of receipt.
DROP INDEX erp_package_due;
DROP INDEX erp_package_waiting;
CREATE INDEX erp_package_new_due ON erp_package (due_at, integration_id) WHERE status = 'accepted';
CREATE INDEX erp_package_new ON erp_package (integration_id, receipt) WHERE status = 'accepted';
-- What was tried is due when its time has come; many may wait for it. Of all integrations by time,
-- of one too. (Only who asks for all names the attempts: so that PostgreSQL, if it takes few to be
-- due, does not read those of all for those of one.)
CREATE INDEX erp_package_tried_due ON erp_package (due_at, integration_id)
    WHERE status IN ('retry', 'processing') AND attempts > 0;
CREATE INDEX erp_package_tried ON erp_package (integration_id, due_at, receipt)
    WHERE status IN ('retry', 'processing');
-- Lists of operators; what a snapshot wakes.
CREATE INDEX erp_package_retry ON erp_package (integration_id, receipt) WHERE status = 'retry';

-- Orders. Failures since it was taken, or retried by hand: they say when it is tried again.
ALTER TABLE order_delivery ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
-- Lists of what is not simply accepted, of an integration.
CREATE INDEX order_delivery_by_integration_state
    ON order_delivery (integration_id, state, created_at, id) WHERE state <> 'accepted';
-- Whose time is over.
CREATE INDEX order_delivery_give_up ON order_delivery (give_up_at) WHERE due_at IS NOT NULL;
