-- stores: verification
-- One active challenge a number (domain/challenge), and inbound-call challenges (domain/call).

CREATE TABLE active_challenge (
    number         TEXT PRIMARY KEY NOT NULL,
    challenge_id   BYTEA NOT NULL,
    gateway_number TEXT,
    expires_at     BIGINT NOT NULL
);

-- Whose time is over? Their numbers are free, and their gateway numbers less busy.
CREATE INDEX active_challenge_by_expiry ON active_challenge (expires_at);

CREATE TABLE call_challenge (
    id             BYTEA PRIMARY KEY NOT NULL,
    caller         TEXT NOT NULL,
    gateway_number TEXT NOT NULL,
    state          TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    confirmed_at   BIGINT
);

-- The latest challenge of a caller, when a phone reports a call.
CREATE INDEX call_challenge_by_caller ON call_challenge (caller, gateway_number, created_at);

CREATE TABLE call_event (
    device_id    BYTEA NOT NULL,
    event_id     TEXT NOT NULL,
    result       TEXT NOT NULL,
    challenge_id BYTEA,
    arrived_at   BIGINT NOT NULL,
    PRIMARY KEY (device_id, event_id)
);

-- Old events go, oldest first.
CREATE INDEX call_event_by_arrival ON call_event (arrived_at);
