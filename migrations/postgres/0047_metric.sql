-- stores: verification
-- What was counted (contract, section 17.1): in a minute and in an hour, by one process. The primary
-- key serves the writes, and the sweep of the oldest.
CREATE TABLE metric_minute (
    at      BIGINT NOT NULL,  -- its beginning
    process BYTEA NOT NULL,
    name    TEXT NOT NULL,
    labels  TEXT NOT NULL,    -- "channel=sms,outcome=sent"; empty: it has none
    value   BIGINT NOT NULL,
    PRIMARY KEY (at, process, name, labels)
);

CREATE TABLE metric_hour (
    at      BIGINT NOT NULL,
    process BYTEA NOT NULL,
    name    TEXT NOT NULL,
    labels  TEXT NOT NULL,
    value   BIGINT NOT NULL,
    PRIMARY KEY (at, process, name, labels)
);
