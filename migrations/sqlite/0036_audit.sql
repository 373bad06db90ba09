-- stores: verification exchange
-- The audit (contract, section 10.3): who changed what, a chain for each store. A page of the
-- newest and the pruning of the oldest go along the primary key: audit_select_page, audit_prune.
CREATE TABLE audit_record (
    store       TEXT NOT NULL,
    seq         INTEGER NOT NULL, -- from 1 on without a gap
    at          INTEGER NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor_id    BLOB,
    actor_name  TEXT NOT NULL,
    address     TEXT,
    request_id  TEXT,
    action      TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id   TEXT,
    changes     TEXT NOT NULL, -- {"changes": [...]}
    hash        BLOB NOT NULL, -- over the hash before it and the record
    PRIMARY KEY (store, seq)
) STRICT, WITHOUT ROWID;

-- The newest record of a chain, and the newest that was pruned.
CREATE TABLE audit_head (
    store       TEXT PRIMARY KEY NOT NULL,
    seq         INTEGER NOT NULL,
    hash        BLOB NOT NULL,
    anchor_seq  INTEGER NOT NULL,
    anchor_hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO audit_head (store, seq, hash, anchor_seq, anchor_hash) VALUES
    ('verification', 0, zeroblob(32), 0, zeroblob(32)),
    ('exchange', 0, zeroblob(32), 0, zeroblob(32));
