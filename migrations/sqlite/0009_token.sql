-- stores: exchange
-- Keys that sign access tokens (domain/token).

CREATE TABLE signing_key (
    number      INTEGER PRIMARY KEY NOT NULL, -- 1, 2, 3 ...: of two that are made at once, one stays
    kid         TEXT NOT NULL,
    public_key  BLOB NOT NULL,
    sealed_seed BLOB NOT NULL, -- bound to the kid
    created_at  INTEGER NOT NULL,
    signs_from  INTEGER NOT NULL -- until the next number's does; grows with the number
) STRICT;
