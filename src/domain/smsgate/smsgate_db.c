/* These are the statements on smsgate_phone, and one that looks for news of tasks. */
#include "domain/smsgate/smsgate.h"

enum err smsgate_phone_upsert(struct work *work, const struct uuid *device_id, const char *sims)
{
    return db_exec(work->tx,
                   "INSERT INTO smsgate_phone (device_id, sims, updated_at) VALUES ($1, $2, $3)"
                   " ON CONFLICT (device_id) DO UPDATE SET sims = excluded.sims,"
                   " updated_at = excluded.updated_at",
                   DB_ARGS(db_uuid(device_id), db_text(sims), db_int(work->now_ms)), NULL);
}

enum err smsgate_phone_select(struct work *work, const struct uuid *device_id,
                              const char **ret_sims)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT sims FROM smsgate_phone WHERE device_id = $1",
                                DB_ARGS(db_uuid(device_id)), &stmt);
    *ret_sims = "";
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    *ret_sims = db_get_text(stmt, "sims", work->arena);
    return ERR_OK;
}

/* The first id that could be made at that time (RFC 9562: 48 bits of milliseconds). */
static struct uuid first_id_at(int64_t ms)
{
    struct uuid id = {0};
    for (int i = 0; i < 6; i++)
        id.bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
    return id;
}

/* New tasks are found by their ids, whatever became of them since: a phone that asks for nothing
 * finds nothing. */
static enum err select_new(struct db_tx *tx, int64_t now_ms, struct smsgate_news *news,
                           size_t *count)
{
    struct uuid first = first_id_at(now_ms - SMSGATE_NEWS_MS);
    AUTO_STMT stmt = NULL;
    enum err err = db_query(tx,
                            "SELECT n.device_id, t.id FROM"
                            " (SELECT id, sender FROM phone_task WHERE id > $1"
                            "  ORDER BY id DESC LIMIT $2) t"
                            " JOIN device_number n ON n.number = t.sender",
                            DB_ARGS(db_uuid(&first), db_int(SMSGATE_NEWS_MAX / 2)), &stmt);
    while (!err && !(err = db_step(stmt)))
        news[(*count)++] = (struct smsgate_news){.device_id = db_get_uuid(stmt, "device_id"),
                                                 .task_id = db_get_uuid(stmt, "id")};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* A task that is claimed for an owner that is final has this end (phone_task_end), and an index of
 * its own. */
static enum err select_canceled(struct db_tx *tx, int64_t now_ms, struct smsgate_news *news,
                                size_t *count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(tx,
                            "SELECT lease_device_id, id, updated_at FROM phone_task"
                            " WHERE state = 'claimed' AND expires_at > 0 AND expires_at < 2"
                            " ORDER BY expires_at LIMIT $1",
                            DB_ARGS(db_int(SMSGATE_NEWS_MAX / 2)), &stmt);
    while (!err && !(err = db_step(stmt))) {
        if (db_get_int(stmt, "updated_at") < now_ms - SMSGATE_NEWS_MS) continue;
        news[(*count)++] = (struct smsgate_news){.device_id = db_get_uuid(stmt, "lease_device_id"),
                                                 .task_id = db_get_uuid(stmt, "id"),
                                                 .is_canceled = true};
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err smsgate_select_news(struct db_tx *tx, int64_t now_ms, struct smsgate_news *ret_news,
                             size_t *ret_count)
{
    *ret_count = 0;
    enum err err = select_new(tx, now_ms, ret_news, ret_count);
    return err ? err : select_canceled(tx, now_ms, ret_news, ret_count);
}
