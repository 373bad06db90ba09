-- stores: verification
-- The log stream (domain/audit), and the workers that are alive.

CREATE TABLE log_entry (
    id      INTEGER PRIMARY KEY NOT NULL,
    at      INTEGER NOT NULL,
    level   INTEGER NOT NULL, -- 0 debug, 1 info, 2 warning, 3 error
    message TEXT NOT NULL,
    fields  TEXT NOT NULL -- a JSON object
) STRICT;

-- The last id given. Raised in the transaction that inserts the entries: ids grow in the order in
-- which entries become visible.
CREATE TABLE log_head (
    one     INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    last_id INTEGER NOT NULL
) STRICT;
INSERT INTO log_head (one, last_id) VALUES (1, 0);

CREATE TABLE worker (
    id      BLOB PRIMARY KEY NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
