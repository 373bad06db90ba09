-- stores: exchange
-- Keys that sign access tokens (domain/token).

CREATE TABLE signing_key (
    number      BIGINT PRIMARY KEY NOT NULL, -- 1, 2, 3 ...: of two that are made at once, one stays
    kid         TEXT NOT NULL,
    public_key  BYTEA NOT NULL,
    sealed_seed BYTEA NOT NULL, -- bound to the kid
    created_at  BIGINT NOT NULL,
    signs_from  BIGINT NOT NULL -- until the next number's does; grows with the number
);
