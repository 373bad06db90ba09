-- stores: exchange
-- Packages of ERPs and what became of them (domain/erp).

-- The key is how a status is asked for, and what a repeat is recognised by.
CREATE TABLE erp_package (
    integration_id BLOB NOT NULL REFERENCES integration (id),
    event_id       TEXT NOT NULL,
    event_type     TEXT NOT NULL,
    status         TEXT NOT NULL,
    attempts       INTEGER NOT NULL,
    received_at    INTEGER NOT NULL,
    processed_at   INTEGER,
    last_error     TEXT,
    PRIMARY KEY (integration_id, event_id)
) STRICT, WITHOUT ROWID;
