-- stores: verification
-- When the process began, or came back after it was lost, if no worker ran then: until that time
-- nobody looked whether all was well (contract, section 11.9). NULL: another one ran.
ALTER TABLE process ADD COLUMN gap_at INTEGER;
