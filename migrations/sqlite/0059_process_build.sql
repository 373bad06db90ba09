-- stores: verification
-- Which build a process runs (contract, section 11.9); NULL: a process of an earlier version.
ALTER TABLE process ADD COLUMN build TEXT;
