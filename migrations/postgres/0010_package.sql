-- stores: exchange
-- Packages of ERPs and what became of them (domain/erp).

-- The key is how a status is asked for, and what a repeat is recognised by.
CREATE TABLE erp_package (
    integration_id BYTEA NOT NULL REFERENCES integration (id),
    event_id       TEXT NOT NULL,
    event_type     TEXT NOT NULL,
    status         TEXT NOT NULL,
    attempts       BIGINT NOT NULL,
    received_at    BIGINT NOT NULL,
    processed_at   BIGINT,
    last_error     TEXT,
    PRIMARY KEY (integration_id, event_id)
);
