-- stores: verification
-- Messages through personal messengers and the messenger bot (domain/message).

CREATE TABLE message (
    id              BLOB PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    state           TEXT NOT NULL,
    account_id      TEXT,
    recipient       TEXT,
    chat_id         TEXT,
    chat_is_integer INTEGER NOT NULL, -- chat_id came as a number and is answered as one
    text            BLOB, -- sealed; erased once nothing will be sent any more
    error           TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose time is over and whose text is still here?
CREATE INDEX message_by_expiry ON message (expires_at) WHERE text IS NOT NULL;

-- The messenger bot's pace: from when on may the next message go to a chat?
CREATE TABLE chat_turn (
    chat    TEXT PRIMARY KEY NOT NULL,
    next_at INTEGER NOT NULL,
    late_at INTEGER NOT NULL DEFAULT 0 -- the same of messages that were found late
) STRICT, WITHOUT ROWID;

-- Turns that are over go, oldest first.
CREATE INDEX chat_turn_by_time ON chat_turn (next_at);
