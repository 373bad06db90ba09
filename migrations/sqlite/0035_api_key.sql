-- stores: verification
-- Keys for the internal operations beside INTERNAL_API_KEY (contract, section 10.1).
CREATE TABLE api_key (
    id                  BLOB PRIMARY KEY NOT NULL,
    name                TEXT NOT NULL,
    role                TEXT NOT NULL,
    is_test             INTEGER NOT NULL,
    requests_per_minute INTEGER, -- NULL: no limit
    hash                BLOB NOT NULL, -- of the key; the key itself is stored nowhere
    old_hash            BLOB, -- of the key before the last rotation, which is good until
    old_until           INTEGER, -- this time
    created_at          INTEGER NOT NULL,
    expires_at          INTEGER, -- NULL: never
    rotated_at          INTEGER,
    revoked_at          INTEGER
) STRICT, WITHOUT ROWID;

-- The keys that are not revoked, of which there are 1,000 at most: every process reads them all.
CREATE INDEX api_key_live ON api_key (id) WHERE revoked_at IS NULL;

-- How many times keys were changed. A process reads the keys when this number has changed, and who
-- changes one holds this row, so that changes come one after the other.
CREATE TABLE api_key_change (
    id     INTEGER PRIMARY KEY NOT NULL,
    number INTEGER NOT NULL
) STRICT;
INSERT INTO api_key_change (id, number) VALUES (1, 0);
