-- stores: exchange
-- What an integration may send, and how much of it is kept (contract, section 5). All stands in the
-- row that each package locks for its receipt number anyway, so that no package writes one more.

-- Token buckets: when each is full again, in microseconds; a package makes it later. What an older
-- version of herald takes in beside this one does not count.
ALTER TABLE erp_receipt ADD COLUMN packages_full_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE erp_receipt ADD COLUMN snapshots_full_us INTEGER NOT NULL DEFAULT 0;

-- The bytes of the packed bodies that are kept: each statement that adds or removes one changes it.
ALTER TABLE erp_receipt ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE erp_receipt SET kept_bytes = (SELECT COALESCE(SUM(LENGTH(b.packed)), 0)
    FROM erp_package_body AS b WHERE b.integration_id = erp_receipt.integration_id);

-- Which integrations keep more than they may, and when the oldest bodies are looked at next: hardly
-- any rows, so that nobody reads the others.
ALTER TABLE erp_receipt ADD COLUMN trim_at INTEGER;
CREATE INDEX erp_receipt_over ON erp_receipt (trim_at) WHERE trim_at IS NOT NULL;
