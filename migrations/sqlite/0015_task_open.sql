-- stores: verification
-- This index answers one question, and says so. (Of the others of its table too only PostgreSQL has
-- to be told.)
DROP INDEX phone_task_unreported;
CREATE INDEX phone_task_unreported ON phone_task (expires_at)
    WHERE state = 'claimed' AND expires_at > 0;
