-- stores: verification
-- The processes that run (contract, section 11.9).
CREATE TABLE process (
    id         BLOB PRIMARY KEY NOT NULL,
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL, -- on its host
    verb       TEXT NOT NULL, -- serve, api, worker or idp
    version    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    beaten_at  INTEGER NOT NULL -- its last sign of life
) STRICT, WITHOUT ROWID;

-- The list takes those with the newest signs of life; the oldest are forgotten.
CREATE INDEX process_by_beaten_at ON process (beaten_at, id);
