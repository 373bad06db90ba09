-- stores: verification
-- Who is told of events over HTTP (contract, section 13.3); at most 50.
CREATE TABLE webhook_endpoint (
    id            BLOB PRIMARY KEY NOT NULL,
    url           TEXT NOT NULL,
    types         TEXT NOT NULL, -- "otp.*,order.accepted"
    description   TEXT,
    full_numbers  INTEGER NOT NULL,
    is_enabled    INTEGER NOT NULL,
    disabled_why  TEXT,
    secret        BLOB NOT NULL, -- sealed
    old_secret    BLOB,          -- sealed; signs, too, until:
    old_until     INTEGER,
    failing_since INTEGER,       -- nothing has succeeded since then; NULL: the last one did
    changes       INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    active_from   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An event on its way to an endpoint, or a test.
CREATE TABLE webhook_delivery (
    id          BLOB PRIMARY KEY NOT NULL, -- old ones are dropped along it: webhook_delivery_delete_old
    endpoint_id BLOB NOT NULL,
    seq         INTEGER, -- in the feed; NULL: a test
    event_id    BLOB NOT NULL,
    type        TEXT NOT NULL,
    state       TEXT NOT NULL, -- pending, delivered or failed
    attempts    INTEGER NOT NULL,
    due_at      INTEGER, -- of a pending one: the next attempt, or the end of the lease
    status      INTEGER, -- HTTP, of the last answer
    answer      TEXT,    -- its beginning, or why there was none
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is due of an endpoint: webhook_delivery_claim.
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at) WHERE due_at IS NOT NULL;
-- A page of an endpoint's deliveries, newest first: webhook_delivery_select_page. Most are delivered;
-- of the other states there may be few, so each has an index of its own.
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_pending ON webhook_delivery (endpoint_id, created_at, id) WHERE state = 'pending';
-- webhook_delivery_requeue_failed, too
CREATE INDEX webhook_delivery_failed ON webhook_delivery (endpoint_id, created_at, id) WHERE state = 'failed';
