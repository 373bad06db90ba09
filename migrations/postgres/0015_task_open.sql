-- stores: verification
-- Each of these indexes answers one question, and says so: with the statistics of a moment at which
-- nothing waited PostgreSQL took any of them for the others' questions, and read all that waits.
-- (What an index's column is compared with is not NULL.) While they are made, rows can be read.
CREATE INDEX phone_task_new_open ON phone_task (channel, sender, id)
    WHERE state IN ('queued', 'claimed') AND channel IS NOT NULL;
CREATE INDEX phone_task_new_claimed ON phone_task (channel, sender)
    WHERE state = 'claimed' AND channel IS NOT NULL;
CREATE INDEX phone_task_new_held ON phone_task (lease_device_id)
    WHERE state = 'claimed' AND lease_device_id IS NOT NULL;
CREATE INDEX phone_task_new_unreported ON phone_task (expires_at)
    WHERE state = 'claimed' AND expires_at > 0;

DROP INDEX phone_task_open, phone_task_claimed, phone_task_held, phone_task_unreported;
ALTER INDEX phone_task_new_open RENAME TO phone_task_open;
ALTER INDEX phone_task_new_claimed RENAME TO phone_task_claimed;
ALTER INDEX phone_task_new_held RENAME TO phone_task_held;
ALTER INDEX phone_task_new_unreported RENAME TO phone_task_unreported;
