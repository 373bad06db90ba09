-- stores: verification
-- Sends through providers (domain/channel).

CREATE TABLE channel_send (
    id           BYTEA PRIMARY KEY NOT NULL,
    channel      TEXT NOT NULL,
    owner_id     BYTEA NOT NULL, -- the code or the message
    state        TEXT NOT NULL,
    attempt      BIGINT NOT NULL,
    provider_id  TEXT,
    error        TEXT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    success_code BYTEA -- sealed: the code that was right, until the provider was told
);

-- The sends of a code or message.
CREATE INDEX channel_send_by_owner ON channel_send (owner_id);
-- Whose delivery does a provider report?
CREATE INDEX channel_send_by_provider_id ON channel_send (provider_id) WHERE provider_id IS NOT NULL;

-- Circuit breakers, so that every process knows: until when is a channel closed to new sends?
CREATE TABLE channel_circuit (
    channel    TEXT PRIMARY KEY NOT NULL,
    open_until BIGINT NOT NULL,
    reason     TEXT
);
