-- stores: verification
-- What became of a code, a call or a send, step by step (contract, section 11.7): lines that the
-- statements which change a row append to it. They are read with the row, so no index serves them.
-- NULL: nothing that the other columns do not tell.
ALTER TABLE otp ADD COLUMN steps TEXT;
ALTER TABLE phone_task ADD COLUMN steps TEXT;
ALTER TABLE channel_send ADD COLUMN steps TEXT;
ALTER TABLE call_challenge ADD COLUMN steps TEXT;
ALTER TABLE test_send ADD COLUMN steps TEXT;
