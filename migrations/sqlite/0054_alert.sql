-- stores: verification
-- Troubles of which people are told (contract, section 13.4), of each way apart: the chat and the SMS.
-- A row goes when its trouble is over, was told so, and has rested.
CREATE TABLE alert (
    way      TEXT NOT NULL, -- chat or sms
    kind     TEXT NOT NULL,
    subject  TEXT NOT NULL, -- what is in trouble: a number, a channel, an id; '' where there is one alone
    name     TEXT NOT NULL, -- how a person calls it
    is_there INTEGER NOT NULL,
    since_at INTEGER NOT NULL, -- it is there, or there no more, since then
    is_told  INTEGER NOT NULL, -- the last that was told is that it is there
    told_at  INTEGER NOT NULL, -- when that it is there, or over, was told last; 0: never
    PRIMARY KEY (way, kind, subject)
) STRICT, WITHOUT ROWID;
