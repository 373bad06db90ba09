-- stores: verification
-- Open pairing codes, one of a phone (contract, section 15.1). What has expired is deleted along
-- device_pairing_by_end, when the next code is made: pairing_insert.
CREATE TABLE device_pairing (
    device_id  BYTEA PRIMARY KEY NOT NULL,
    code_hash  BYTEA NOT NULL, -- keyed, since 8 digits could be tried
    expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX device_pairing_by_code ON device_pairing (code_hash);
CREATE INDEX device_pairing_by_end ON device_pairing (expires_at);

-- When the last wrong codes came, while some were open; one row.
CREATE TABLE pairing_guard (
    id       BIGINT PRIMARY KEY NOT NULL,
    wrong_at TEXT NOT NULL -- "1795235580123 1795235581123", oldest first
);
INSERT INTO pairing_guard (id, wrong_at) VALUES (1, '');
