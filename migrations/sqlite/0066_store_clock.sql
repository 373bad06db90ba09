-- stores: verification
-- Store time (contract, section 7 "Clocks"): how far it is ahead of the clock of this machine, and
-- how far it had come when a process last noted it. One row.
CREATE TABLE store_clock (
    ahead_ms INTEGER NOT NULL,
    noted_ms INTEGER NOT NULL
);
INSERT INTO store_clock (ahead_ms, noted_ms) VALUES (0, 0);

-- The challenge whose place this one took, since it looked expired. NULL: none.
ALTER TABLE active_challenge ADD COLUMN former_id BLOB;
