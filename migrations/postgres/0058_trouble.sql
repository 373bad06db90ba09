-- stores: verification
-- What is wrong now in either store, as a worker found it last (contract, section 11.9): the overview
-- reads it, and so does the telling of people.
CREATE TABLE trouble (
    kind      TEXT NOT NULL,
    subject   TEXT NOT NULL, -- what is in trouble: a number, a channel, an id; '' where there is one alone
    name      TEXT NOT NULL, -- how a person calls it
    record_id TEXT,          -- of the record that shows more; NULL: it has no id
    reason    TEXT,          -- why, in herald's own words; NULL: nothing more is known
    since_at  BIGINT NOT NULL,
    PRIMARY KEY (kind, subject)
);
-- Since when there is none; NULL while there is one.
CREATE TABLE trouble_watch (
    one        BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    well_since BIGINT
);
