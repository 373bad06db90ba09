-- stores: verification
-- Phones with the SMSGate app (contract, section 15.2): which SIM of the phone a number is, as the
-- operator has it or by the order of the numbers; and the SIMs that the app has shown.
ALTER TABLE device_number ADD COLUMN slot BIGINT; -- from 1 on; NULL: none
ALTER TABLE device_number ADD COLUMN is_slot_confirmed BIGINT NOT NULL DEFAULT 0;
UPDATE device_number SET slot = position + 1;

CREATE TABLE smsgate_phone (
    device_id  BYTEA PRIMARY KEY NOT NULL,
    sims       TEXT NOT NULL, -- "1=0001 2=": slots, each with the last digits that are shown
    updated_at BIGINT NOT NULL
);

-- A phone has handed the SMS to its radio, and it is never sent again: what is under such a lease,
-- and what never got further: phone_task_sweep_handed.
ALTER TABLE phone_task ADD COLUMN handed_over_at BIGINT;
CREATE INDEX phone_task_handed_over ON phone_task (lease_until)
    WHERE state = 'claimed' AND handed_over_at IS NOT NULL;
