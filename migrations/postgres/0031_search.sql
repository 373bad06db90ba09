-- stores: verification
-- Challenges and messages are looked for by number (contract, section 11.5); for codes there is
-- otp_by_recipient.

-- Those of a caller, newest first. (Only this list says that a time is above 0, so that the report
-- of a call keeps to the index of its own.)
CREATE INDEX call_challenge_by_time ON call_challenge (caller, created_at, id) WHERE created_at > 0;
-- Those to a number, newest first. The messages of the bot have none.
CREATE INDEX message_by_recipient ON message (recipient, created_at, id) WHERE recipient IS NOT NULL;
