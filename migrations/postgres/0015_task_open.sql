-- stores: verification
-- Each of these indexes answers one question, and says so: with the statistics of a moment at which
-- nothing waited PostgreSQL took any of them for the others' questions, and read all that waits.
-- (What an index's column is compared with is not NULL.)
DROP INDEX phone_task_open;
CREATE INDEX phone_task_open ON phone_task (channel, sender, id)
    WHERE state IN ('queued', 'claimed') AND channel IS NOT NULL;

DROP INDEX phone_task_claimed;
CREATE INDEX phone_task_claimed ON phone_task (channel, sender)
    WHERE state = 'claimed' AND channel IS NOT NULL;

DROP INDEX phone_task_held;
CREATE INDEX phone_task_held ON phone_task (lease_device_id)
    WHERE state = 'claimed' AND lease_device_id IS NOT NULL;

DROP INDEX phone_task_unreported;
CREATE INDEX phone_task_unreported ON phone_task (expires_at)
    WHERE state = 'claimed' AND expires_at > 0;
