-- stores: verification
-- People who use the console (contract, section 18.2); at most 500.
CREATE TABLE operator (
    id         BYTEA PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL,
    name_key   TEXT NOT NULL, -- folded, so that two people are told apart: operator_select_by_name
    role       TEXT NOT NULL,
    password   TEXT, -- hashed by Argon2id, with its parameters; NULL: none is set yet
    link_hash  BYTEA, -- of the token of the link by which it is set once, which is good until
    link_until BIGINT, -- this time
    created_at BIGINT NOT NULL,
    login_at   BIGINT -- the last one
);
CREATE UNIQUE INDEX operator_by_name ON operator (name_key);
CREATE UNIQUE INDEX operator_by_link ON operator (link_hash) WHERE link_hash IS NOT NULL;

-- Who is logged in; at most 20 of an operator. The row goes with the session.
CREATE TABLE operator_session (
    id          BYTEA PRIMARY KEY NOT NULL, -- every process reads them all along it
    operator_id BYTEA NOT NULL,
    hash        BYTEA NOT NULL, -- of the token in the cookie; the token itself is stored nowhere
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    address     TEXT NOT NULL,
    agent       TEXT -- what the browser says of itself
);
CREATE INDEX operator_session_by_operator ON operator_session (operator_id, id);
-- What was not seen for long goes: operator_session_delete_idle.
CREATE INDEX operator_session_by_seen ON operator_session (seen_at);

-- Where an operator has logged in before: a right password from there never waits behind a flood
-- of wrong ones. At most 20 of an operator.
CREATE TABLE operator_address (
    operator_id BYTEA NOT NULL,
    source      BYTEA NOT NULL, -- a keyed hash of the address
    seen_at     BIGINT NOT NULL,
    PRIMARY KEY (operator_id, source)
);
