/*
 * The rules of operators and their sessions (contract, section 18.2). Whoever knows a link may set
 * the password, once; setting it ends all sessions. A session is a key that its browser keeps and
 * that ends by itself.
 */
#include "domain/operator/operator.h"

#include "core/audit.h"
#include "core/service.h"
#include "domain/api_key/api_key.h"
#include "domain/operator/operator_db.h"
#include "kit/base/fold.h"

/* The audit has no times of its own in a record, and no link. */
static const char *const skipped[] = {"id", "created_at", "login_at", "link_until", "link", NULL};

static void audit_operator(struct work *work, const char *action, const struct operator* before,
                           const struct operator* after)
{
    struct audit_changes changes = {.arena = work->arena};

    audit_change_record(&changes, &operator_record, before, after, skipped);
    if (after->link) audit_change_secret(&changes, "link");
    work_audit_id(work, action, "operator", &after->id, &changes);
}

static void note(struct work *work, const char *message, const struct operator* op)
{
    work_note(work, LOG_INFO, message,
              LOG_FIELDS(log_uuid("operator_id", &op->id), log_words("name", op->name),
                         log_plain("role", role_words[op->role]),
                         log_words("by", work->actor ? work->actor->name : NULL)));
}

/* The arena holds the only copy of the token. */
static void make_link(struct work *work, struct operator* op,
                      uint8_t ret_hash[static SECRET_HASH_LEN])
{
    const char *console = work->service->operators->console_url;
    const char *token = secret_new_token(work->arena, OPERATOR_LINK_PREFIX);

    secret_hash(str_of(token), ret_hash);
    op->link_until = work->now_ms + OPERATOR_LINK_MS;
    op->link =
        arena_printf(work->arena, "%s" OPERATOR_LINK_PATH "%s", console ? console : "", token);
}

static enum err check_role(int role, struct record_fault *ret_fault)
{
    if (role != ROLE_CORE) return ERR_OK;
    *ret_fault = (struct record_fault){"role", "This is a role of systems: give a person viewer, "
                                               "support, operator or admin."};
    return ERR_VALIDATION;
}

static enum err check_name(struct work *work, const struct uuid *id, const char *name)
{
    struct operator other;
    enum err err = operator_select_by_name(work, name, &other);

    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    return uuid_equal(&other.id, id) ? ERR_OK : ERR_NAME_TAKEN;
}

/* Changes come one after the other, so the last place and a name are given once. */
static enum err check_new(struct work *work, const struct operator* op,
                          struct record_fault *ret_fault)
{
    int64_t count;

    enum err err = check_role(op->role, ret_fault);
    if (!err) err = api_key_changed(work);
    if (!err) err = operator_count(work, &count);
    if (err) return err;
    if (count >= OPERATORS_MAX) {
        *ret_fault = (struct record_fault){"", "There are 500 operators, the most there can be. "
                                               "Remove one."};
        return ERR_VALIDATION;
    }
    return check_name(work, &op->id, op->name);
}

enum err operator_create(struct work *work, const struct operator_input *input,
                         struct operator* ret_operator, struct record_fault *ret_fault)
{
    const char *name_key = fold_text(work->arena, input->name);
    struct operator op = {.id = uuid_new(work->now_ms),
                          .name = input->name,
                          .role = input->role,
                          .created_at = work->now_ms};
    uint8_t hash[SECRET_HASH_LEN];

    enum err err = check_new(work, &op, ret_fault);
    if (err) return err;
    make_link(work, &op, hash);
    err = operator_insert(work, &op, name_key, hash);
    if (err) return err;
    note(work, "operator created", &op);
    audit_operator(work, "operator.create", NULL, &op);
    *ret_operator = op;
    return ERR_OK;
}

enum err operator_list(struct work *work, const struct page_query *query,
                       struct operator_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct operator, id);
    struct operator_list list = {0};
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_id, &after);
    if (!err) err = operator_select_page(work, &after.id, query->limit + 1, &list.operators);
    if (err) return err;
    list.next_cursor = page_end(query->limit, &by_id, &list.operators, work->arena);
    *ret_list = list;
    return ERR_OK;
}

enum err operator_read(struct work *work, const struct uuid *id, struct operator* ret_operator)
{
    return operator_select(work, id, ret_operator);
}

enum err operator_change(struct work *work, const struct uuid *id,
                         const struct operator_change *change, struct operator* ret_operator,
                         struct record_fault *ret_fault)
{
    struct operator before;

    enum err err = check_role(change->role, ret_fault);
    if (!err) err = api_key_changed(work);
    if (!err) err = operator_select(work, id, &before);
    if (err) return err;
    struct operator after = before;
    if (change->name) after.name = change->name;
    if (change->role >= 0) after.role = change->role;
    const char *name_key = fold_text(work->arena, after.name);
    err = check_name(work, id, after.name);
    if (!err) err = operator_update(work, &after, name_key);
    if (err) return err;
    note(work, "operator changed", &after);
    audit_operator(work, "operator.change", &before, &after);
    *ret_operator = after;
    return ERR_OK;
}

enum err operator_make_link(struct work *work, const struct uuid *id, struct operator* ret_operator)
{
    uint8_t hash[SECRET_HASH_LEN];
    struct operator op;

    enum err err = api_key_changed(work);
    if (!err) err = operator_select(work, id, &op);
    if (err) return err;
    make_link(work, &op, hash);
    err = operator_update_link(work, &op, hash);
    if (err) return err;
    note(work, "operator got a link to set a password", &op);
    audit_operator(work, "operator.link", &op, &op);
    *ret_operator = op;
    return ERR_OK;
}

enum err operator_remove(struct work *work, const struct uuid *id)
{
    struct operator op;

    enum err err = api_key_changed(work);
    if (!err) err = operator_select(work, id, &op);
    if (!err) err = operator_session_delete(work, id, NULL, NULL);
    if (!err) err = operator_address_delete(work, id);
    if (!err) err = operator_delete(work, id);
    if (err) return err;
    note(work, "operator removed", &op);
    audit_operator(work, "operator.remove", &op, &(struct operator){.id = *id, .role = -1});
    return ERR_OK;
}

/* --- Logging in ------------------------------------------------------------------------------- */

/* The database need not tell where people are. */
static void hash_address(struct work *work, const struct in6_addr *address,
                         uint8_t ret_source[static SECRET_HASH_LEN])
{
    struct http_source source = http_source_of(address);
    vault_fingerprint(work->service->vault,
                      (struct str){(const char *)source.bytes, sizeof(source.bytes)}, ret_source);
}

/* It counts as a change of keys. */
enum err operator_hold(struct work *work)
{
    return api_key_changed(work);
}

enum err operator_find(struct work *work, const char *name, const struct in6_addr *address,
                       struct operator* ret_operator, bool *ret_is_known)
{
    uint8_t source[SECRET_HASH_LEN];

    *ret_is_known = false;
    hash_address(work, address, source);
    enum err err = operator_select_by_name(work, name, ret_operator);
    if (err == ERR_NOT_FOUND) *ret_operator = (struct operator){.name = name};
    if (err && err != ERR_NOT_FOUND) return err;
    if (!err) err = operator_address_select(work, &ret_operator->id, source, ret_is_known);
    if (err && err != ERR_NOT_FOUND) return err;
    if (!ret_operator->password) ret_operator->password = password_of_nobody;
    return ERR_OK;
}

enum err operator_find_by_link(struct work *work, const char *link, struct operator* ret_operator)
{
    uint8_t hash[SECRET_HASH_LEN];

    secret_hash(str_of(link), hash);
    enum err err = operator_select_by_link(work, hash, ret_operator);
    if (err) return err == ERR_NOT_FOUND ? ERR_UNAUTHORIZED : err;
    return ret_operator->link_until > work->now_ms ? ERR_OK : ERR_UNAUTHORIZED;
}

enum err operator_set_password(struct work *work, const struct operator* op, const char *password)
{
    struct audit_changes changes = {.arena = work->arena};

    enum err err = operator_update_password(work, &op->id, password);
    if (!err) err = operator_session_delete(work, &op->id, NULL, NULL);
    if (err) return err;
    audit_change_secret(&changes, "password");
    work_audit_id(work, "operator.password", "operator", &op->id, &changes);
    return ERR_OK;
}

enum err operator_change_password(struct work *work, const struct operator* op,
                                  const struct uuid *session_id, const char *password)
{
    int64_t deleted = 0;

    enum err err = operator_hold(work);
    if (!err) err = operator_session_delete(work, &op->id, session_id, &deleted);
    if (err) return err;
    return deleted == 1 ? operator_set_password(work, op, password) : ERR_UNAUTHORIZED;
}

static enum err make_room(struct work *work, const struct uuid *id)
{
    enum err err = operator_session_delete_idle(work, work->now_ms - OPERATOR_IDLE_MS);
    if (!err) err = operator_session_delete_oldest(work, id, OPERATOR_SESSIONS_MAX - 1);
    return err;
}

enum err operator_begin_session(struct work *work, const struct operator* op,
                                const struct in6_addr *address, const char *agent,
                                const char **ret_token)
{
    struct operator_session session = {.id = uuid_new(work->now_ms),
                                       .operator_id = op->id,
                                       .created_at = work->now_ms,
                                       .seen_at = work->now_ms,
                                       .address = work->address,
                                       .agent = agent};
    const char *token = secret_new_token(work->arena, OPERATOR_SESSION_PREFIX);
    uint8_t source[SECRET_HASH_LEN];

    secret_hash(str_of(token), session.hash);
    hash_address(work, address, source);
    enum err err = make_room(work, &op->id);
    if (!err) err = operator_session_insert(work, &session);
    if (!err) err = operator_address_upsert(work, &op->id, source);
    if (!err) err = operator_update_login(work, &op->id);
    if (err) return err;
    note(work, "operator logged in", op);
    *ret_token = token;
    return ERR_OK;
}

/* --- Sessions --------------------------------------------------------------------------------- */

int64_t operator_session_until(const struct operator_session *session)
{
    int64_t idle_until = session->seen_at + OPERATOR_IDLE_MS;
    int64_t until = session->created_at + OPERATOR_SESSION_MS;

    return idle_until < until ? idle_until : until;
}

enum err operator_list_sessions(struct work *work, const struct uuid *id,
                                struct operator_session_list *ret_list)
{
    struct operator_session_list list;
    struct operator op;
    size_t count = 0;

    enum err err = operator_select(work, id, &op);
    if (!err) err = operator_session_select(work, id, &list.sessions);
    if (err) return err;
    struct operator_session *rows = list.sessions.items;
    for (size_t i = 0; i < list.sessions.count; i++) {
        rows[i].expires_at = operator_session_until(&rows[i]);
        rows[i].is_own = work->actor && uuid_equal(&work->actor->session_id, &rows[i].id);
        if (rows[i].expires_at > work->now_ms) rows[count++] = rows[i];
    }
    list.sessions.count = count;
    *ret_list = list;
    return ERR_OK;
}

enum err operator_end_sessions(struct work *work, const struct uuid *id,
                               const struct uuid *session_id)
{
    int64_t deleted = 0;
    struct operator op;

    enum err err = api_key_changed(work);
    if (!err) err = operator_select(work, id, &op);
    if (!err) err = operator_session_delete(work, id, session_id, &deleted);
    if (err) return err;
    if (session_id && deleted == 0) return ERR_NOT_FOUND;
    note(work, session_id ? "session ended" : "sessions ended", &op);
    work_audit_id(work, session_id ? "operator.end_session" : "operator.end_sessions", "operator",
                  id, NULL);
    return ERR_OK;
}

enum err operator_read_sessions(struct work *work, struct record_list *ret_sessions)
{
    return operator_session_select(work, NULL, ret_sessions);
}

enum err operator_see_sessions(struct work *work, const struct record_list *seen)
{
    const struct operator_session *rows = seen->items;
    enum err err = api_key_changed(work);

    for (size_t i = 0; i < seen->count && !err; i++)
        err = operator_session_update_seen(work, &rows[i].id, rows[i].seen_at);
    return err;
}
