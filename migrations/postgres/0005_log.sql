-- stores: verification
-- The log stream (domain/audit), and the workers that are alive.

CREATE TABLE log_entry (
    id      BIGINT PRIMARY KEY NOT NULL,
    at      BIGINT NOT NULL,
    level   BIGINT NOT NULL, -- 0 debug, 1 info, 2 warning, 3 error
    message TEXT NOT NULL,
    fields  TEXT NOT NULL -- a JSON object
);

-- The last id given. Raised in the transaction that inserts the entries: ids grow in the order in
-- which entries become visible.
CREATE TABLE log_head (
    one     BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    last_id BIGINT NOT NULL
);
INSERT INTO log_head (one, last_id) VALUES (1, 0);

CREATE TABLE worker (
    id      BYTEA PRIMARY KEY NOT NULL,
    seen_at BIGINT NOT NULL
);
