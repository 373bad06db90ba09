-- stores: verification
-- What callers keep on their records (contract, section 11.6): a JSON object of strings; NULL: none.
ALTER TABLE otp ADD COLUMN metadata TEXT;
ALTER TABLE call_challenge ADD COLUMN metadata TEXT;
ALTER TABLE message ADD COLUMN metadata TEXT;
