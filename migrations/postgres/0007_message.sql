-- stores: verification
-- Messages through personal messengers and the messenger bot (domain/message).

CREATE TABLE message (
    id              BYTEA PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    state           TEXT NOT NULL,
    account_id      TEXT,
    recipient       TEXT,
    chat_id         TEXT,
    chat_is_integer BIGINT NOT NULL, -- chat_id came as a number and is answered as one
    text            BYTEA, -- sealed; erased once nothing will be sent any more
    error           TEXT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL
);

-- Whose time is over and whose text is still here?
CREATE INDEX message_by_expiry ON message (expires_at) WHERE text IS NOT NULL;

-- The messenger bot's pace: from when on may the next message go to a chat?
CREATE TABLE chat_turn (
    chat    TEXT PRIMARY KEY NOT NULL,
    next_at BIGINT NOT NULL,
    late_at BIGINT NOT NULL DEFAULT 0 -- the same of messages that were found late
);

-- Turns that are over go, oldest first.
CREATE INDEX chat_turn_by_time ON chat_turn (next_at);
