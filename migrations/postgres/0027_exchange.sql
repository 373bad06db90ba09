-- stores: exchange
-- How the exchange of an integration stands, and what was refused of it. (domain/integration, domain/erp)

-- When the newest snapshot and the newest package of changes were applied. Each package that is
-- applied writes this row anyway. What an older version of herald applies beside this one does not
-- count.
ALTER TABLE catalog ADD COLUMN snapshot_at BIGINT;
ALTER TABLE catalog ADD COLUMN changes_at BIGINT;
UPDATE catalog SET
    snapshot_at = (SELECT MAX(p.processed_at) FROM erp_package AS p
        WHERE p.integration_id = catalog.integration_id AND p.event_type = 'snapshot'
        AND p.status = 'applied'),
    changes_at = (SELECT MAX(p.processed_at) FROM erp_package AS p
        WHERE p.integration_id = catalog.integration_id AND p.event_type = 'delta'
        AND p.status = 'applied');

-- Since when the circuit of a lane is open or half-open, and how a fetch or a probe failed last.
-- Written with the rest of the row.
ALTER TABLE order_lane ADD COLUMN opened_at BIGINT;
ALTER TABLE order_lane ADD COLUMN last_error TEXT;

-- Lists of the packages of all integrations, newest first. A package enters the first once, when it is
-- received; the others hold what is rare, so that the way of a package to its end writes none of them.
-- Only these lists say that a time is above 0.
CREATE INDEX erp_package_by_time ON erp_package (received_at, integration_id, receipt)
    WHERE received_at > 0;
CREATE INDEX erp_package_snapshot_by_time ON erp_package (received_at, integration_id, receipt)
    WHERE event_type = 'snapshot' AND received_at > 0;
CREATE INDEX erp_package_retry_by_time ON erp_package (received_at, integration_id, receipt)
    WHERE status = 'retry' AND received_at > 0;
CREATE INDEX erp_package_failed_by_time ON erp_package (received_at, integration_id, receipt)
    WHERE status = 'failed' AND received_at > 0;
-- What was never tried is due since it was received: who is next by time, and its list. (Only who asks
-- for all integrations names the attempts.)
DROP INDEX erp_package_new_due;
CREATE INDEX erp_package_new_by_time ON erp_package (received_at, integration_id, receipt)
    WHERE status = 'accepted' AND attempts >= 0;

-- Packages that were refused: the newest 100 of each integration.
CREATE TABLE erp_refusal (
    integration_id BYTEA NOT NULL,
    id             BYTEA NOT NULL, -- in order of time
    refused_at     BIGINT NOT NULL,
    event_type     TEXT NOT NULL,
    event_id       TEXT, -- masked, as all texts of the ERP are; NULL: it could not be read
    status         BIGINT NOT NULL, -- HTTP
    code           TEXT NOT NULL,
    body_length    BIGINT, -- NULL: it is not known
    request_id     TEXT NOT NULL,
    faults         TEXT, -- a JSON object: the first 20
    more           BIGINT NOT NULL, -- refusals behind it that were only counted
    PRIMARY KEY (integration_id, id)
);
