/* These are the statements on the chains that only readers and the pruning need. */
#include "core/words.h"
#include "domain/audit_chain/audit_chain.h"

static struct db_arg store_of(const struct work *work)
{
    return db_text(audit_store_words[work->store]);
}

enum err audit_newest_select(struct work *work, int64_t max, int64_t *ret_newest)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT seq FROM audit_record WHERE store = $1 AND seq <= $2"
                                " ORDER BY seq DESC LIMIT 1",
                                DB_ARGS(store_of(work), db_int(max)), &stmt);
    *ret_newest = 0;
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    *ret_newest = db_get_int(stmt, "seq");
    return ERR_OK;
}

static const char *get_hash(struct work *work, struct db_stmt *stmt)
{
    char *text = arena_alloc(work->arena, AUDIT_HASH_TEXT_LEN + 1);
    audit_hash_text(db_get_blob(stmt, "hash", work->arena), text);
    return text;
}

/* Returns false if the column has what herald never writes. */
static bool read_actor(struct work *work, struct db_stmt *stmt, struct audit_actor *ret_actor)
{
    int kind = word_index(actor_kind_words, db_get_text(stmt, "actor_kind", work->arena));
    struct str id = db_get_blob(stmt, "actor_id", work->arena);
    bool is_id = id.len == sizeof(ret_actor->id);

    *ret_actor = (struct audit_actor){.kind = kind < 0 ? ACTOR_SYSTEM : kind,
                                      .name = db_get_text(stmt, "actor_name", work->arena)};
    if (is_id) memcpy(&ret_actor->id, id.data, sizeof(ret_actor->id));
    return kind >= 0 && (is_id || id.len == 0);
}

static bool read_changes(struct work *work, struct db_stmt *stmt, struct record_list *ret_changes)
{
    struct audit_record value = {0};
    struct record_faults faults;

    record_faults_init(&faults, work->arena);
    enum err err =
        record_decode(&audit_changes_record, str_of(db_get_text(stmt, "changes", work->arena)),
                      true, work->arena, &value, &faults);
    if (err) value.changes.count = 0;
    *ret_changes = value.changes;
    return !err;
}

/* A row that herald cannot have written is shown as far as it goes, so that `verify` names it. */
static struct audit_record read_record(struct work *work, struct db_stmt *stmt)
{
    struct audit_record record = {
        .store = (int)work->store,
        .seq = db_get_int(stmt, "seq"),
        .at = db_get_int(stmt, "at"),
        .actor = ARENA_NEW(work->arena, struct audit_actor),
        .address = db_get_text(stmt, "address", work->arena),
        .request_id = db_get_text(stmt, "request_id", work->arena),
        .action = db_get_text(stmt, "action", work->arena),
        .target = ARENA_NEW(work->arena, struct audit_target),
        .hash = get_hash(work, stmt),
    };
    bool is_sound = read_actor(work, stmt, record.actor);
    is_sound &= read_changes(work, stmt, &record.changes);
    if (!is_sound) record.hash = "";
    record.target->type = db_get_text(stmt, "target_type", work->arena);
    record.target->id = db_get_text(stmt, "target_id", work->arena);
    return record;
}

enum err audit_select_page(struct work *work, const struct audit_search *search, int64_t max,
                           struct record_list *ret_records)
{
    struct audit_record *records = arena_array(work->arena, (size_t)max, sizeof(*records));
    const struct audit_filter *filter = search->filter;
    int64_t until = filter->until != 0 ? filter->until : INT64_MAX;
    struct uuid actor_id = {0};
    size_t count = 0;
    AUTO_STMT stmt = NULL;

    if (filter->actor) (void)uuid_parse(str_of(filter->actor), &actor_id);
    enum err err = db_query(
        work->tx,
        "SELECT seq, at, actor_kind, actor_id, actor_name, address, request_id, action,"
        " target_type, target_id, changes, hash FROM audit_record"
        " WHERE store = $1 AND seq >= $2 AND seq <= $3 AND at >= $4 AND at < $5"
        " AND ($6 = '' OR actor_name = $6 OR actor_kind = $6 OR actor_id = $7)"
        " AND ($8 = '' OR action = $8) AND ($9 = '' OR target_id = $9 OR target_type = $9)"
        " ORDER BY seq DESC LIMIT $10",
        DB_ARGS(store_of(work), db_int(search->from_seq), db_int(search->to_seq),
                db_int(filter->since), db_int(until), db_text(filter->actor ? filter->actor : ""),
                db_uuid(&actor_id), db_text(filter->action ? filter->action : ""),
                db_text(filter->target ? filter->target : ""), db_int(max)),
        &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        records[count++] = read_record(work, stmt);
    *ret_records = (struct record_list){records, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err audit_select_end(struct work *work, int max, int64_t before_ms,
                          struct audit_place *ret_end, int64_t *ret_oldest_at)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT seq, at, hash FROM audit_record WHERE store = $1"
                            " ORDER BY seq LIMIT $2",
                            DB_ARGS(store_of(work), db_int(max)), &stmt);
    if (err) return err;
    for (size_t i = 0; (err = db_step(stmt)) == ERR_OK; i++) {
        int64_t at = db_get_int(stmt, "at");
        if (at >= before_ms) return ERR_OK; /* what a wrong clock dated takes none along */
        if (i == 0 || at < *ret_oldest_at) *ret_oldest_at = at;
        *ret_end = (struct audit_place){db_get_int(stmt, "seq"), get_hash(work, stmt)};
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err audit_prune(struct work *work, const struct audit_place *anchor, int64_t *ret_deleted)
{
    uint8_t hash[AUDIT_HASH_LEN];

    if (!audit_hash_bytes(anchor->hash, hash)) return LOG_BROKEN("a hash of the audit");
    enum err err = db_exec(work->tx, "DELETE FROM audit_record WHERE store = $1 AND seq <= $2",
                           DB_ARGS(store_of(work), db_int(anchor->seq)), ret_deleted);
    if (err) return err;
    return db_exec(work->tx,
                   "UPDATE audit_head SET anchor_seq = $1, anchor_hash = $2 WHERE store = $3",
                   DB_ARGS(db_int(anchor->seq),
                           db_blob((struct str){(const char *)hash, sizeof(hash)}), store_of(work)),
                   NULL);
}
