-- stores: verification
-- The processes that run (contract, section 11.9).
CREATE TABLE process (
    id         BYTEA PRIMARY KEY NOT NULL,
    host       TEXT NOT NULL,
    pid        BIGINT NOT NULL, -- on its host
    verb       TEXT NOT NULL, -- serve, api, worker or idp
    version    TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    beaten_at  BIGINT NOT NULL -- its last sign of life
);

-- The list takes those with the newest signs of life; the oldest are forgotten.
CREATE INDEX process_by_beaten_at ON process (beaten_at, id);
