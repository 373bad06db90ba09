/* These are the statements that every record of the audit needs: on audit_record and audit_head. */
#include "core/audit.h"

static const char *get_hash(struct work *work, struct db_stmt *stmt, const char *column)
{
    char *text = arena_alloc(work->arena, AUDIT_HASH_TEXT_LEN + 1);
    audit_hash_text(db_get_blob(stmt, column, work->arena), text);
    return text;
}

#define CHAIN "SELECT seq, hash, anchor_seq, anchor_hash FROM audit_head WHERE store = $1"

enum err audit_chain_select(struct work *work, bool holds, struct audit_chain *ret_chain)
{
    AUTO_STMT stmt = NULL;
    const char *sql = holds ? DB_FOR_UPDATE(work->tx, CHAIN) : CHAIN;
    enum err err =
        db_query_one(work->tx, sql, DB_ARGS(db_text(audit_store_words[work->store])), &stmt);
    if (err == ERR_NOT_FOUND) return LOG_BROKEN("the head of the audit");
    if (err) return err;
    *ret_chain = (struct audit_chain){
        .head = {db_get_int(stmt, "seq"), get_hash(work, stmt, "hash")},
        .anchor = {db_get_int(stmt, "anchor_seq"), get_hash(work, stmt, "anchor_hash")},
    };
    return ERR_OK;
}

static struct db_arg hash_arg(struct work *work, const char *text)
{
    uint8_t *bytes = arena_alloc(work->arena, AUDIT_HASH_LEN);
    bool is_hash = audit_hash_bytes(text, bytes);
    assert(is_hash); /* audit_compute_hash made it */
    return db_blob((struct str){(const char *)bytes, AUDIT_HASH_LEN});
}

enum err audit_head_update(struct work *work, const struct audit_place *head)
{
    return db_exec_later(work->tx, "UPDATE audit_head SET seq = $1, hash = $2 WHERE store = $3",
                         DB_ARGS(db_int(head->seq), hash_arg(work, head->hash),
                                 db_text(audit_store_words[work->store])));
}

enum { CHANGES_MAX = 4 * 1024 * 1024 };

enum err audit_record_insert(struct work *work, const struct audit_record *record)
{
    bool has_id = !uuid_is_nil(&record->actor->id);
    struct json_writer writer;
    AUTO_BUF changes = {0};

    buf_init(&changes, CHANGES_MAX);
    json_writer_init(&writer, &changes);
    record_encode(&audit_changes_record, record, &writer);
    return db_exec_later(
        work->tx,
        "INSERT INTO audit_record (store, seq, at, actor_kind, actor_id, actor_name, address,"
        " request_id, action, target_type, target_id, changes, hash)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        DB_ARGS(db_text(audit_store_words[record->store]), db_int(record->seq), db_int(record->at),
                db_text(actor_kind_words[record->actor->kind]),
                db_uuid(has_id ? &record->actor->id : NULL), db_text(record->actor->name),
                db_text(record->address), db_text(record->request_id), db_text(record->action),
                db_text(record->target->type), db_text(record->target->id),
                db_str(buf_view(&changes)), hash_arg(work, record->hash)));
}
