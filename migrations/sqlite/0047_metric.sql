-- stores: verification
-- What was counted (contract, section 17.1): in a minute and in an hour, by one process. The primary
-- key serves the writes, and the sweep of the oldest.
CREATE TABLE metric_minute (
    at      INTEGER NOT NULL, -- its beginning
    process BLOB NOT NULL,
    name    TEXT NOT NULL,
    labels  TEXT NOT NULL,    -- "channel=sms,outcome=sent"; empty: it has none
    value   INTEGER NOT NULL,
    PRIMARY KEY (at, process, name, labels)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_hour (
    at      INTEGER NOT NULL,
    process BLOB NOT NULL,
    name    TEXT NOT NULL,
    labels  TEXT NOT NULL,
    value   INTEGER NOT NULL,
    PRIMARY KEY (at, process, name, labels)
) STRICT, WITHOUT ROWID;
