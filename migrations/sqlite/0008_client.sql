-- stores: exchange
-- Integrations, their workload clients and the clients' secrets (domain/client).

CREATE TABLE integration (
    id            BLOB PRIMARY KEY NOT NULL, -- in order of creation: a page begins behind an id
    tenant_id     BLOB NOT NULL,
    point_id      BLOB NOT NULL,
    name          TEXT NOT NULL,
    is_enabled    INTEGER NOT NULL,
    erp_url       TEXT NOT NULL,
    erp_token     BLOB NOT NULL, -- sealed, bound to the id
    erp_path      TEXT NOT NULL, -- of orders
    erp_timeout_s INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workload_client (
    id             BLOB PRIMARY KEY NOT NULL,
    integration_id BLOB NOT NULL REFERENCES integration (id),
    name           TEXT,
    scopes         TEXT NOT NULL, -- words, separated by spaces
    is_enabled     INTEGER NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The clients of an integration, and how many they are.
CREATE INDEX workload_client_by_integration ON workload_client (integration_id, id);

-- Live while it has not ended and the clock has not reached expires_at. What ended stays: revoking
-- is repeatable, and who looks into a leak sees when it was over.
CREATE TABLE client_secret (
    id         BLOB PRIMARY KEY NOT NULL,
    client_id  BLOB NOT NULL REFERENCES workload_client (id),
    hash       BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER, -- the end of its overlap with a newer one
    ended_at   INTEGER  -- revoked or replaced; whatever another machine's clock says
) STRICT, WITHOUT ROWID;

-- Whose secret is this? Each request for a token asks.
CREATE UNIQUE INDEX client_secret_by_hash ON client_secret (hash);
-- The live secrets of a client, to show and to replace.
CREATE INDEX client_secret_by_client ON client_secret (client_id, id) WHERE ended_at IS NULL;
