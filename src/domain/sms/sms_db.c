/*
 * This statement looks at tasks and SIMs together. Its first condition on the state is that of the
 * index, which is found by it.
 */
#include "domain/sms/sms.h"

enum err sms_select_stranded(struct work *work, struct uuid *ret_task_id)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT id FROM phone_task WHERE channel = 'sms'"
                     " AND state IN ('queued', 'claimed') AND expires_at >= $1"
                     " AND (state = 'queued' OR (handed_over_at IS NULL AND lease_until <= $1))"
                     " AND NOT EXISTS (SELECT 1 FROM device_number n"
                     "  WHERE n.number = phone_task.sender AND n.is_enabled = 1"
                     "  AND (n.sim_ready_until > $1 OR n.device_id = phone_task.lease_device_id))"
                     " ORDER BY sender, id LIMIT 1",
                     DB_ARGS(db_int(work->now_ms)), &stmt);
    if (err) return err;
    *ret_task_id = db_get_uuid(stmt, "id");
    return ERR_OK;
}
