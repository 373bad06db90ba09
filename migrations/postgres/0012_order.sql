-- stores: exchange
-- Orders for ERPs and their delivery (domain/order).

CREATE TABLE order_delivery (
    id             BYTEA PRIMARY KEY NOT NULL, -- the order's own
    integration_id BYTEA NOT NULL REFERENCES integration (id),
    state          TEXT NOT NULL,
    attempts       BIGINT NOT NULL, -- begun; a record is a compare-and-set on it
    due_at         BIGINT,          -- queued: when it is to be tried; delivering: when another
                                     -- worker may; NULL: never again by itself
    give_up_at     BIGINT NOT NULL, -- when retries end
    fingerprint    BYTEA NOT NULL,    -- of the content: the same id with other content is refused
    erp_order_id   TEXT,
    erp_number     TEXT,
    last_error     TEXT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

-- What is due of an integration, the longest first; which integrations have something due.
CREATE INDEX order_delivery_due ON order_delivery (integration_id, due_at) WHERE due_at IS NOT NULL;
-- Lists, newest first: of all, of an integration, of those that are not simply accepted.
CREATE INDEX order_delivery_by_time ON order_delivery (created_at, id);
CREATE INDEX order_delivery_by_integration ON order_delivery (integration_id, created_at, id);
CREATE INDEX order_delivery_by_state ON order_delivery (state, created_at, id) WHERE state <> 'accepted';

-- The bytes that every attempt sends, sealed: they name a customer. They go when the order is final
-- and cannot be tried again.
CREATE TABLE order_body (
    id     BYTEA PRIMARY KEY NOT NULL,
    sealed BYTEA NOT NULL
);

CREATE TABLE order_attempt (
    id          BYTEA NOT NULL,
    attempt     BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    status      BIGINT NOT NULL,
    outcome     TEXT NOT NULL,
    error       TEXT,
    PRIMARY KEY (id, attempt)
);

-- One row an integration that had an order: which worker serves it, and how its ERP is.
CREATE TABLE order_lane (
    integration_id BYTEA PRIMARY KEY NOT NULL REFERENCES integration (id),
    holder         BYTEA,             -- of the lease: a worker process
    held_until     BIGINT NOT NULL,
    failures       BIGINT NOT NULL, -- in a row
    probe_at       BIGINT,          -- open circuit: when its ERP is asked again; NULL: closed
    warned_at      BIGINT           -- when refused credentials were last logged as an error
);
