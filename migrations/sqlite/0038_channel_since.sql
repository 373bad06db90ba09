-- stores: verification
-- Since when a channel is not closed (contract, section 11.8). NULL: it is closed, or a version of
-- herald opened it that does not tell. It is read with its row, so no index serves it.
ALTER TABLE channel_circuit ADD COLUMN opened_at INTEGER;
