/*
 * The rules of API keys (contract, section 10.1). A key is 256 random bits, so that its hash is
 * enough to find it. Rotating leaves at most two that are good; revoking is for ever. Every change
 * is counted, and by that number the processes learn of it.
 */
#include "domain/api_key/api_key.h"

#include "core/audit.h"
#include "core/service.h"
#include "domain/api_key/api_key_db.h"
#include "domain/test_number/test_number.h"

/* The name of who changes keys, for the log. */
static const char *actor_name(const struct work *work)
{
    return work->actor ? work->actor->name : NULL;
}

/* The audit tells what a key that was made may do and for how long, and that it is another one. */
static void audit_key(struct work *work, const char *action, const struct api_key *key)
{
    static const char *const skipped[] = {"id", "created_at", "rotated_at", "revoked_at", NULL};
    struct audit_changes changes = {.arena = work->arena};

    audit_change_record(&changes, &api_key_record, NULL, key, skipped);
    audit_change_secret(&changes, "key");
    work_audit_id(work, action, "api_key", &key->id, &changes);
}

/* The arena holds the only copy of the key. */
static void make_secret(struct work *work, struct api_key *key)
{
    key->key = secret_new_token(work->arena, API_KEY_PREFIX);
    secret_hash(str_of(key->key), key->hash);
}

/* The last place is given once, since changes come one after the other. */
enum err api_key_changed(struct work *work)
{
    db_notify(work->tx, API_KEY_TOPIC);
    return api_key_count_change(work);
}

static enum err check_room(struct work *work, const struct api_key_input *input,
                           struct record_fault *ret_fault)
{
    int64_t count;

    if (input->expires_at != 0 && input->expires_at <= work->now_ms) {
        *ret_fault = (struct record_fault){"expires_at", "Must be in the future."};
        return ERR_VALIDATION;
    }
    enum err err = api_key_changed(work);
    if (!err) err = api_key_count(work, &count);
    if (err) return err;
    if (count < API_KEYS_MAX) return ERR_OK;
    *ret_fault = (struct record_fault){
        "", "There are 1,000 keys that are not revoked, the most there can be. Revoke one."};
    return ERR_VALIDATION;
}

enum err api_key_create(struct work *work, const struct api_key_input *input,
                        struct api_key *ret_key, struct record_fault *ret_fault)
{
    struct api_key key = {
        .id = uuid_new(work->now_ms),
        .name = input->name,
        .role = input->role,
        .is_test = input->test,
        .requests_per_minute = input->requests_per_minute,
        .created_at = work->now_ms,
        .expires_at = input->expires_at,
    };
    enum err err = check_room(work, input, ret_fault);
    if (err) return err;
    make_secret(work, &key);
    err = api_key_insert(work, &key);
    if (err) return err;
    work_note(work, LOG_INFO, "API key created",
              LOG_FIELDS(log_uuid("api_key_id", &key.id), log_words("name", key.name),
                         log_plain("role", role_words[key.role]),
                         log_words("by", actor_name(work))));
    audit_key(work, "api_key.create", &key);
    *ret_key = key;
    return ERR_OK;
}

enum err api_key_list(struct work *work, const struct page_query *query,
                      struct api_key_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct api_key, id);
    struct api_key_list list = {0};
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_id, &after);
    if (!err) err = api_key_select_page(work, &after.id, query->limit + 1, &list.api_keys);
    if (err) return err;
    list.next_cursor = page_end(query->limit, &by_id, &list.api_keys, work->arena);
    *ret_list = list;
    return ERR_OK;
}

static bool is_good(const struct api_key *key, int64_t now_ms)
{
    return key->revoked_at == 0 && now_ms < api_key_good_until(key);
}

enum err api_key_rotate(struct work *work, const struct uuid *id, int64_t overlap_seconds,
                        struct api_key *ret_key)
{
    struct api_key key;

    enum err err = api_key_changed(work);
    if (!err) err = api_key_select(work, id, &key);
    if (err) return err;
    if (!is_good(&key, work->now_ms)) return ERR_NOT_FOUND;
    memcpy(key.old_hash, key.hash, sizeof(key.hash));
    key.old_until = overlap_seconds > 0 ? work->now_ms + overlap_seconds * 1000 : 0;
    key.rotated_at = work->now_ms;
    make_secret(work, &key);
    err = api_key_update_hashes(work, &key);
    if (err) return err;
    work_note(work, LOG_INFO, "API key rotated",
              LOG_FIELDS(log_uuid("api_key_id", id), log_words("name", key.name),
                         log_int("overlap_seconds", overlap_seconds),
                         log_words("by", actor_name(work))));
    audit_key(work, "api_key.rotate", &key);
    *ret_key = key;
    return ERR_OK;
}

enum err api_key_revoke(struct work *work, const struct uuid *id)
{
    enum err err = api_key_changed(work);
    if (!err) err = api_key_update_revoked(work, id);
    if (err) return err;
    work_note(work, LOG_INFO, "API key revoked",
              LOG_FIELDS(log_uuid("api_key_id", id), log_words("by", actor_name(work))));
    work_audit_id(work, "api_key.revoke", "api_key", id, NULL);
    return ERR_OK;
}

enum err api_key_read_self(struct work *work, struct api_key_self *ret_self)
{
    const struct actor *actor = work->actor;
    struct api_key key = {.requests_per_minute = -1};

    assert(actor);
    enum err err = actor->kind == ACTOR_API_KEY ? api_key_select(work, &actor->id, &key) : ERR_OK;
    if (err) return err;
    *ret_self = (struct api_key_self){
        .kind = actor->kind,
        .id = actor->id,
        .name = actor->name,
        .role = actor->role,
        .is_test = test_number_may_use(work),
        .requests_per_minute = key.requests_per_minute,
        .created_at = key.created_at,
        .expires_at = key.expires_at,
    };
    return ERR_OK;
}

/* --- For the processes that hold the keys --- */

enum err api_key_read_all(struct work *work, int64_t seen, int64_t *ret_number,
                          struct record_list *ret_keys)
{
    int64_t number;

    enum err err = api_key_read_change(work, &number);
    if (!err && number != seen) err = api_key_select_live(work, ret_keys);
    if (!err) *ret_number = number;
    return err;
}

int64_t api_key_good_until(const struct api_key *key)
{
    return key->expires_at > 0 ? key->expires_at : INT64_MAX;
}

int64_t api_key_old_good_until(const struct api_key *key)
{
    int64_t until = api_key_good_until(key);
    return key->old_until < until ? key->old_until : until;
}
