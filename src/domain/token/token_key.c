/*
 * Signing keys live so (contract, section 4): each is published at once, signs from a time on
 * that gives every cached key set the time to hear of it, and stays published until the last token
 * that it signed has expired. Keys are numbered, and a number is given once, so that of two made at
 * one moment one stays.
 */
#include "domain/token/token_key.h"

#include "core/audit.h"

const char *const key_state_words[] = {"next", "signing", "retired", NULL};

static enum err make_key(struct work *work, int64_t number, int64_t signs_from,
                         struct signing_key *ret_key)
{
    struct jose_signer signer;
    jose_signer_new(&signer);
    struct signing_key key = {
        .number = number,
        .kid = arena_text(work->arena, signer.key.kid),
        .created_at = work->now_ms,
        .signs_from = signs_from,
        .key = signer.key,
    };
    enum err err =
        work_seal(work, SEALED_SIGNING_SEED, str_of(key.kid),
                  (struct str){(const char *)signer.seed, JOSE_SEED_LEN}, &key.sealed_seed);
    secret_wipe(&signer, sizeof(signer));
    *ret_key = key;
    return err;
}

/* Adds a key of this number. ERR_NOT_FOUND: another process has just made it. */
static enum err add_key(struct work *work, int64_t number, int64_t signs_from)
{
    struct signing_key key;
    bool is_added;
    enum err err = make_key(work, number, signs_from, &key);
    if (!err) err = signing_key_insert(work, &key, &is_added);
    if (err) return err;
    if (!is_added) return ERR_NOT_FOUND;
    db_notify(work->tx, "signing_key");
    work_note(work, LOG_INFO, "signing key made", LOG_FIELDS(log_plain("kid", key.kid)));
    return ERR_OK;
}

enum err token_ensure_key(struct work *work)
{
    struct signing_key newest;
    enum err err = signing_key_select_newest(work, &newest);
    if (err != ERR_NOT_FOUND) return err;
    err = add_key(work, 1, work->now_ms);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum key_state state_at(const struct signing_key *key, int64_t now_ms)
{
    if (key->signs_from > now_ms) return KEY_NEXT;
    return key->signs_until == 0 || key->signs_until > now_ms ? KEY_SIGNING : KEY_RETIRED;
}

static bool is_readable(struct work *work, const struct signing_key *key)
{
    struct jose_signer signer;
    const char *fault;
    enum err err = token_key_open(work, key, &signer, &fault);
    if (!err) secret_wipe(&signer, sizeof(signer));
    return !err;
}

/* Finds the newest key; ERR_NOT_FOUND: there is none. A key that cannot be read and still waits for
 * its time is deleted: nothing was ever signed by it. */
static enum err find_newest(struct work *work, struct signing_key *ret_key)
{
    struct signing_key key;
    enum err err = signing_key_select_newest(work, &key);
    if (err) return err;
    if (key.signs_from > work->now_ms && !is_readable(work, &key)) {
        work_note(work, LOG_WARNING, "unreadable signing key replaced",
                  LOG_FIELDS(log_plain("kid", key.kid)));
        err = signing_key_delete(work, &key);
        return err ? err : signing_key_select_newest(work, ret_key);
    }
    *ret_key = key;
    return ERR_OK;
}

/* Another process that rotates at the same moment has made the key of that number, which is then
 * the answer to both. */
enum err token_rotate_key(struct work *work, struct signing_key *ret_key)
{
    struct signing_key newest = {0};
    enum err err = find_newest(work, &newest);
    bool is_first = err == ERR_NOT_FOUND;
    if (err && !is_first) return err;
    int64_t lead_ms = KEY_LEAD_S * INT64_C(1000);
    if (is_first || newest.signs_from <= work->now_ms) {
        bool can_sign = !is_first && is_readable(work, &newest);
        if (!can_sign) lead_ms = 0;
        err = add_key(work, newest.number + 1, work->now_ms + lead_ms);
        bool is_made = !err;
        if (err && err != ERR_NOT_FOUND) return err;
        err = signing_key_select_newest(work, &newest);
        if (err) return err;
        if (is_made) work_audit(work, "signing_key.rotate", "signing_key", newest.kid, NULL);
    }
    newest.state = (int)state_at(&newest, work->now_ms);
    *ret_key = newest;
    return ERR_OK;
}

enum err token_list_keys(struct work *work, struct signing_key_list *ret_list)
{
    struct record_list list;
    enum err err = signing_key_select_since(work, work->now_ms - KEY_PUBLISHED_AFTER_MS, &list);
    if (err) return err;
    struct signing_key *keys = list.items;
    int64_t until = 0; /* the first key behind it signs then, which need not be the next one */
    for (size_t i = list.count; i-- > 0;) {
        keys[i].signs_until = until;
        keys[i].state = (int)state_at(&keys[i], work->now_ms);
        if (until == 0 || keys[i].signs_from < until) until = keys[i].signs_from;
    }
    *ret_list = (struct signing_key_list){.keys = list};
    return ERR_OK;
}

static const struct signing_key *find_kid(const struct record_list *list, const char *kid)
{
    const struct signing_key *keys = list->items;

    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(keys[i].kid, kid) == 0) return &keys[i];
    }
    return NULL;
}

/* Sees to it that a key behind that number signs now: one whose time has come, or the next one that
 * waits, or a new one. Somebody else may withdraw the one that waits at the same moment. */
static enum err replace_signer(struct work *work, int64_t number)
{
    struct record_list list;
    enum err err = signing_key_select_since(work, work->now_ms, &list);
    if (err) return err;
    const struct signing_key *keys = list.items, *next = NULL;
    for (size_t i = 0; i < list.count; i++) {
        if (keys[i].number < number) continue;
        if (keys[i].signs_from <= work->now_ms) return ERR_OK;
        if (!next && is_readable(work, &keys[i])) next = &keys[i];
    }
    bool is_done = false;
    if (next) err = signing_key_advance(work, next, &is_done);
    if (err || is_done) return err;
    if (list.count > 0 && keys[list.count - 1].number > number)
        number = keys[list.count - 1].number;
    err = add_key(work, number + 1, work->now_ms);
    return err == ERR_NOT_FOUND ? ERR_STORAGE_UNAVAILABLE : err; /* ask again */
}

enum err token_withdraw_key(struct work *work, const char *kid)
{
    struct record_list list;
    int64_t signs_from;
    enum err err = signing_key_select_since(work, work->now_ms - KEY_PUBLISHED_AFTER_MS, &list);
    if (err) return err;
    const struct signing_key *key = find_kid(&list, kid);
    if (!key) return ERR_NOT_FOUND;
    err = signing_key_take(work, key, &signs_from);
    if (!err && signs_from <= work->now_ms) err = replace_signer(work, key->number);
    if (err) return err;
    db_notify(work->tx, "signing_key");
    work_note(work, LOG_WARNING, "signing key withdrawn; its tokens are refused",
              LOG_FIELDS(log_plain("kid", key->kid)));
    work_audit(work, "signing_key.withdraw", "signing_key", kid, NULL);
    return ERR_OK;
}

static size_t count_up_to(const struct signing_key_list *list, int64_t number)
{
    const struct signing_key *keys = list->keys.items;
    size_t count = 0;

    while (count < list->keys.count && keys[count].number <= number)
        count++;
    return count;
}

enum err token_page_keys(struct work *work, const struct page_query *query,
                         struct signing_key_list *ret_page)
{
    static const struct page_key by_number = PAGE_BY_NUMBER(struct signing_key, number);
    struct signing_key_list list;
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_number, &after);
    if (!err) err = token_list_keys(work, &list);
    if (err) return err;
    size_t begin = count_up_to(&list, after.number);
    const struct signing_key *keys = (const struct signing_key *)list.keys.items + begin;
    struct signing_key_list page = {.keys = {(void *)keys, list.keys.count - begin}};
    page.next_cursor = page_end(query->limit, &by_number, &page.keys, work->arena);
    *ret_page = page;
    return ERR_OK;
}

int64_t token_key_published_until(const struct signing_key *key)
{
    return key->signs_until == 0 ? INT64_MAX : key->signs_until + KEY_PUBLISHED_AFTER_MS;
}

/* Makes the pair of an unsealed seed. False: it is not that of the key, and is wiped. */
static bool is_pair_of(struct str seed, const struct signing_key *key,
                       struct jose_signer *ret_signer)
{
    if (seed.len != JOSE_SEED_LEN) return false;
    jose_signer_from_seed((const uint8_t *)seed.data, ret_signer);
    bool is_it = strcmp(ret_signer->key.kid, key->kid) == 0;
    if (!is_it) secret_wipe(ret_signer, sizeof(*ret_signer));
    return is_it;
}

static const char *open_seed(struct work *work, const struct signing_key *key,
                             struct jose_signer *ret_signer)
{
    struct str seed;

    if (key->fault) return key->fault;
    enum err err =
        vault_open(work->service->vault, sealed_at(SEALED_SIGNING_SEED, str_of(key->kid)),
                   key->sealed_seed, work->arena, &seed);
    if (err) return "Its private part is damaged, or was sealed with another HERALD_SECRET_KEY.";
    bool is_it = is_pair_of(seed, key, ret_signer);
    secret_wipe((char *)seed.data, seed.len);
    return is_it ? NULL : "Its private part belongs to another key.";
}

enum err token_key_open(struct work *work, const struct signing_key *key,
                        struct jose_signer *ret_signer, const char **ret_fault)
{
    const char *fault = open_seed(work, key, ret_signer);
    if (!fault) return ERR_OK;
    *ret_fault = fault;
    return ERR_INTERNAL;
}
