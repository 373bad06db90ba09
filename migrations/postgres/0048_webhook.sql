-- stores: verification
-- Who is told of events over HTTP (contract, section 13.3); at most 50.
CREATE TABLE webhook_endpoint (
    id            BYTEA PRIMARY KEY NOT NULL,
    url           TEXT NOT NULL,
    types         TEXT NOT NULL, -- "otp.*,order.accepted"
    description   TEXT,
    full_numbers  BIGINT NOT NULL,
    is_enabled    BIGINT NOT NULL,
    disabled_why  TEXT,
    secret        BYTEA NOT NULL, -- sealed
    old_secret    BYTEA,          -- sealed; signs, too, until:
    old_until     BIGINT,
    failing_since BIGINT,       -- nothing has succeeded since then; NULL: the last one did
    changes       BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    active_from   BIGINT NOT NULL
);

-- An event on its way to an endpoint, or a test.
CREATE TABLE webhook_delivery (
    id          BYTEA PRIMARY KEY NOT NULL, -- old ones are dropped along it: webhook_delivery_delete_old
    endpoint_id BYTEA NOT NULL,
    seq         BIGINT, -- in the feed; NULL: a test
    event_id    BYTEA NOT NULL,
    type        TEXT NOT NULL,
    state       TEXT NOT NULL, -- pending, delivered or failed
    attempts    BIGINT NOT NULL,
    due_at      BIGINT, -- of a pending one: the next attempt, or the end of the lease
    status      BIGINT, -- HTTP, of the last answer
    answer      TEXT,    -- its beginning, or why there was none
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- What is due of an endpoint: webhook_delivery_claim.
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at) WHERE due_at IS NOT NULL;
-- A page of an endpoint's deliveries, newest first: webhook_delivery_select_page. Most are delivered;
-- of the other states there may be few, so each has an index of its own.
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_pending ON webhook_delivery (endpoint_id, created_at, id) WHERE state = 'pending';
-- webhook_delivery_requeue_failed, too
CREATE INDEX webhook_delivery_failed ON webhook_delivery (endpoint_id, created_at, id) WHERE state = 'failed';
