-- stores: verification exchange
-- Events of committed changes that are not in the feed yet (contract, section 13.1). The publisher
-- takes the oldest along the primary key: outbox_select. Rows of one subject come in the order of
-- their changes, since each change holds the row of the subject until it is committed.
CREATE TABLE outbox (
    place        INTEGER PRIMARY KEY NOT NULL, -- the order in which rows came in
    id           BLOB NOT NULL,    -- of the event
    type         TEXT NOT NULL,    -- '': what the feed tells of the subject is erased
    subject_type TEXT NOT NULL,
    subject_id   TEXT NOT NULL,
    sequence     INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    data         TEXT, -- NULL: there is none
    masked       TEXT  -- the same for those who may see no numbers; NULL: it is `data`
) STRICT;

-- Whether something is still to be erased from the feed: outbox_has_erasures.
CREATE INDEX outbox_erasing ON outbox (place) WHERE type = '';
