-- stores: verification
-- What a process was started with (contract, section 10.3), so that its next start finds what
-- changed. A process is known by its verb, its machine and where it listens.
CREATE TABLE settings_seen (
    verb     TEXT NOT NULL, -- serve, api, worker or idp
    host     TEXT NOT NULL,
    listen   TEXT NOT NULL, -- HERALD_LISTEN
    place    INTEGER NOT NULL, -- among the starts of its verb that brought something new
    settings TEXT NOT NULL, -- {"settings":[{"name","value","mark"}]}; of a secret the mark alone
    PRIMARY KEY (verb, host, listen)
) STRICT, WITHOUT ROWID;

-- The newest of a verb are read, and the oldest are forgotten.
CREATE INDEX settings_seen_by_place ON settings_seen (verb, place);
