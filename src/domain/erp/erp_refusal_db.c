/* Statements on erp_refusal (migration 0027). */
#include "core/words.h"
#include "domain/erp/erp_db.h"
#include "kit/json/record_stream.h"

enum { FAULTS_MAX_LEN = 64 * 1024 };

static const char *encode_faults(struct work *work, const struct erp_refused *refused)
{
    struct json_writer writer;
    AUTO_BUF out = {0};

    if (refused->faults.count == 0) return NULL;
    buf_init(&out, FAULTS_MAX_LEN);
    json_writer_init(&writer, &out);
    record_encode(&erp_refused_faults_record, refused, &writer);
    return out.is_full ? NULL : arena_str(work->arena, buf_view(&out));
}

enum err erp_refusal_insert(struct work *work, const struct uuid *integration_id,
                            const struct erp_refused *refused)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO erp_refusal (integration_id, id, refused_at, event_type, event_id, status,"
        " code, body_length, request_id, faults, more)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)",
        DB_ARGS(db_uuid(integration_id), db_uuid(&refused->id), db_int(refused->refused_at),
                db_text(erp_package_type_words[refused->event_type]), db_text(refused->event_id),
                db_int(refused->status), db_text(refused->code),
                refused->body_length >= 0 ? db_int(refused->body_length) : db_null(),
                db_text(refused->request_id), db_text(encode_faults(work, refused))));
}

enum err erp_refusal_add_more(struct work *work, const struct uuid *integration_id, int64_t count)
{
    return db_exec_later(work->tx,
                         "UPDATE erp_refusal SET more = more + $2 WHERE integration_id = $1"
                         " AND id = (SELECT r.id FROM erp_refusal AS r WHERE r.integration_id = $1"
                         " ORDER BY r.id DESC LIMIT 1)",
                         DB_ARGS(db_uuid(integration_id), db_int(count)));
}

enum err erp_refusal_prune(struct work *work, const struct uuid *integration_id)
{
    return db_exec_later(work->tx,
                         "DELETE FROM erp_refusal WHERE integration_id = $1"
                         " AND id <= (SELECT r.id FROM erp_refusal AS r WHERE r.integration_id = $1"
                         " ORDER BY r.id DESC LIMIT 1 OFFSET $2)",
                         DB_ARGS(db_uuid(integration_id), db_int(ERP_REFUSALS_KEPT)));
}

static enum err read_refusal(struct work *work, struct db_stmt *stmt, struct erp_refused *ret)
{
    const char *faults = db_get_text(stmt, "faults", work->arena);
    struct erp_refused refused = {.faults = {0}};

    enum err err = faults ? record_decode_known(&erp_refused_faults_record, str_of(faults),
                                                work->arena, &refused)
                          : ERR_OK;
    if (err) return err;
    refused.id = db_get_uuid(stmt, "id");
    refused.refused_at = db_get_int(stmt, "refused_at");
    refused.event_type =
        word_index(erp_package_type_words, db_get_text(stmt, "event_type", work->arena));
    refused.event_id = db_get_text(stmt, "event_id", work->arena);
    refused.status = db_get_int(stmt, "status");
    refused.code = db_get_text(stmt, "code", work->arena);
    refused.body_length = db_get_null(stmt, "body_length") ? -1 : db_get_int(stmt, "body_length");
    refused.request_id = db_get_text(stmt, "request_id", work->arena);
    refused.more = db_get_int(stmt, "more");
    if (refused.event_type < 0) return LOG_BROKEN("a refusal has an unknown word");
    *ret = refused;
    return ERR_OK;
}

enum err erp_refusal_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct uuid *before, int64_t limit,
                                 struct record_list *ret_refusals)
{
    struct erp_refused *refusals = arena_array(work->arena, (size_t)limit, sizeof(*refusals));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT id, refused_at, event_type, event_id, status, code, body_length,"
                 " request_id, faults, more FROM erp_refusal"
                 " WHERE integration_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
                 DB_ARGS(db_uuid(integration_id), db_uuid(before), db_int(limit)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_refusal(work, stmt, &refusals[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_refusals = (struct record_list){refusals, count};
    return ERR_OK;
}
