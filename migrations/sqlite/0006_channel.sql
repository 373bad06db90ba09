-- stores: verification
-- Sends through providers (domain/channel).

CREATE TABLE channel_send (
    id           BLOB PRIMARY KEY NOT NULL,
    channel      TEXT NOT NULL,
    owner_id     BLOB NOT NULL, -- the code or the message
    state        TEXT NOT NULL,
    attempt      INTEGER NOT NULL,
    provider_id  TEXT,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    success_code BLOB -- sealed: the code that was right, until the provider was told
) STRICT, WITHOUT ROWID;

-- The sends of a code or message.
CREATE INDEX channel_send_by_owner ON channel_send (owner_id);
-- Whose delivery does a provider report?
CREATE INDEX channel_send_by_provider_id ON channel_send (provider_id) WHERE provider_id IS NOT NULL;

-- Circuit breakers, so that every process knows: until when is a channel closed to new sends?
CREATE TABLE channel_circuit (
    channel    TEXT PRIMARY KEY NOT NULL,
    open_until INTEGER NOT NULL,
    reason     TEXT
) STRICT, WITHOUT ROWID;
