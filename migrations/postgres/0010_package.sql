-- stores: exchange
-- Packages of ERPs and what became of them (domain/erp).

-- The receipt number that an integration gave last. A row of its own, since who applies a package
-- holds others for long.
CREATE TABLE erp_receipt (
    integration_id BYTEA PRIMARY KEY NOT NULL REFERENCES integration (id),
    last_receipt   BIGINT NOT NULL
);

-- The key is how a status is asked for, and what a repeat is recognised by.
CREATE TABLE erp_package (
    integration_id BYTEA NOT NULL REFERENCES integration (id),
    event_id       TEXT NOT NULL,
    receipt        BIGINT NOT NULL, -- order of receipt within the integration
    event_type     TEXT NOT NULL,
    status         TEXT NOT NULL,
    attempts       BIGINT NOT NULL,
    received_at    BIGINT NOT NULL,
    generated_at   BIGINT NOT NULL,
    processed_at   BIGINT,
    due_at         BIGINT, -- accepted, retry: when it is to be tried; processing: when another
                            -- process may; NULL: never again by itself
    give_up_at     BIGINT NOT NULL, -- when retries end
    released       BIGINT NOT NULL, -- the safety brake does not hold for it
    last_error     TEXT,
    row_count      BIGINT NOT NULL,
    rows_done      BIGINT NOT NULL, -- of the attempt that runs
    result         TEXT, -- a JSON object, once it is applied
    errors         TEXT, -- a JSON object: the rows at fault of the last attempt
    body_length    BIGINT NOT NULL, -- bytes as they were sent
    PRIMARY KEY (integration_id, event_id)
);

-- Lists of operators, newest first; the body of a package.
CREATE UNIQUE INDEX erp_package_by_receipt ON erp_package (integration_id, receipt);
-- The same of those that are few among many.
CREATE INDEX erp_package_failed ON erp_package (integration_id, receipt) WHERE status = 'failed';
CREATE INDEX erp_package_snapshot ON erp_package (integration_id, receipt)
    WHERE event_type = 'snapshot';
-- What is due: of all integrations by time, of one in order of receipt.
CREATE INDEX erp_package_due ON erp_package (due_at, integration_id) WHERE due_at IS NOT NULL;
CREATE INDEX erp_package_waiting ON erp_package (integration_id, receipt) WHERE due_at IS NOT NULL;
-- What is being applied: hardly any rows.
CREATE INDEX erp_package_processing ON erp_package (integration_id, due_at) WHERE status = 'processing';

-- The bytes of a package, packed. Apart, so that the rows above stay short.
CREATE TABLE erp_package_body (
    integration_id BYTEA NOT NULL,
    receipt        BIGINT NOT NULL,
    received_at    BIGINT NOT NULL,
    packed         BYTEA NOT NULL,
    PRIMARY KEY (integration_id, receipt)
);

-- What is packed is not packed again.
ALTER TABLE erp_package_body ALTER COLUMN packed SET STORAGE EXTERNAL;

-- Bodies that are old enough to go.
CREATE INDEX erp_package_body_by_age ON erp_package_body (received_at);
