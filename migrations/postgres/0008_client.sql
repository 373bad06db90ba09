-- stores: exchange
-- Integrations, their workload clients and the clients' secrets (domain/client).

CREATE TABLE integration (
    id            BYTEA PRIMARY KEY NOT NULL, -- in order of creation: a page begins behind an id
    tenant_id     BYTEA NOT NULL,
    point_id      BYTEA NOT NULL,
    name          TEXT NOT NULL,
    is_enabled    BIGINT NOT NULL,
    erp_url       TEXT NOT NULL,
    erp_token     BYTEA NOT NULL, -- sealed, bound to the id
    erp_path      TEXT NOT NULL, -- of orders
    erp_timeout_s BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE workload_client (
    id             BYTEA PRIMARY KEY NOT NULL,
    integration_id BYTEA NOT NULL REFERENCES integration (id),
    name           TEXT,
    scopes         TEXT NOT NULL, -- words, separated by spaces
    is_enabled     BIGINT NOT NULL,
    created_at     BIGINT NOT NULL
);

-- The clients of an integration, and how many they are.
CREATE INDEX workload_client_by_integration ON workload_client (integration_id, id);

-- Live while it has not ended and the clock has not reached expires_at. What ended stays: revoking
-- is repeatable, and who looks into a leak sees when it was over.
CREATE TABLE client_secret (
    id         BYTEA PRIMARY KEY NOT NULL,
    client_id  BYTEA NOT NULL REFERENCES workload_client (id),
    hash       BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT, -- the end of its overlap with a newer one
    ended_at   BIGINT  -- revoked or replaced; whatever another machine's clock says
);

-- Whose secret is this? Each request for a token asks.
CREATE UNIQUE INDEX client_secret_by_hash ON client_secret (hash);
-- The live secrets of a client, to show and to replace.
CREATE INDEX client_secret_by_client ON client_secret (client_id, id) WHERE ended_at IS NULL;
