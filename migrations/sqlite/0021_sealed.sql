-- stores: verification exchange
-- In which form values are sealed (kit/base/secret.h), and how far they were sealed anew (app/reseal.c).

-- What newly sealed values begin with: the version of their form and the id of the key. NULL: they
-- have the form of herald 0.5.0, since a process of it may run beside.
ALTER TABLE vault_check ADD COLUMN prefix BLOB;
ALTER TABLE vault_check ADD COLUMN prefix_since INTEGER;
-- 1: all that is stored begins with the prefix, and nothing else is taken any more.
ALTER TABLE vault_check ADD COLUMN is_resealed INTEGER NOT NULL DEFAULT 0;

-- Where the walk through the sealed columns stands, so that it goes on after a restart. No row: it
-- has not begun, or is over.
CREATE TABLE resealing (
    one       INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    place     TEXT NOT NULL, -- table.column
    after_key BLOB NOT NULL  -- of the last row that was looked at
) STRICT;
