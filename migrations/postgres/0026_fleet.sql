-- stores: verification
-- A phone that was removed keeps its row, so that what it sent can still be read under its name. It
-- has no numbers and no accounts, and its key is worth nothing.
ALTER TABLE device ADD COLUMN removed_at BIGINT;

-- When somebody looks next whether the SIM has fallen silent. It lies ahead of most claims by
-- minutes, so a claim does not change it. NULL: nobody does, since it never claimed, or was told.
ALTER TABLE device_number ADD COLUMN watch_at BIGINT;
-- When it was last heard of, once the log was told that it is silent.
ALTER TABLE device_number ADD COLUMN silent_since BIGINT;
-- Which SIMs are to be looked at?
CREATE INDEX device_number_by_watch ON device_number (watch_at) WHERE watch_at IS NOT NULL;

-- The same for accounts that were connected.
ALTER TABLE device_account ADD COLUMN watch_at BIGINT;
ALTER TABLE device_account ADD COLUMN gone_since BIGINT;
CREATE INDEX device_account_by_watch ON device_account (watch_at) WHERE watch_at IS NOT NULL;

-- What a phone said of itself in its last ping. It is no column of device, whose row is read at
-- every request of the phone.
CREATE TABLE device_status (
    device_id BYTEA PRIMARY KEY NOT NULL REFERENCES device (id),
    at        BIGINT NOT NULL,
    raw       TEXT NOT NULL -- the JSON object, as it was sent
);
