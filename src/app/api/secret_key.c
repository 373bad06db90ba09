/* These operations show and replace the secret key (contract, section 10.4). The background seals
 * anew (app/jobs/reseal.c). */
#include "app/api/secret_key.h"

#include "app/api/routes.h"
#include "core/audit.h"
#include "core/request.h"

static const struct field status_fields[] = {
    FIELD(struct secret_key_status, state, FIELD_ENUM, FIELD_REQUIRED,
          "Where the replacement stands: idle (all is sealed under the key in force), ready (this "
          "process knows another key; nothing was begun), announced (every process is being told), "
          "or sealing (new values are sealed under the new key, and older ones follow).",
          .words = key_change_words, .example = "sealing"),
    FIELD(struct secret_key_status, key_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The id of the key that seals; null while herald 0.5.0 may run beside.",
          .example = "5c1f09ab"),
    FIELD(struct secret_key_status, next_key_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The id of the key that is announced, or that this process knows and that could be.",
          .example = "null"),
    FIELD(struct secret_key_status, old_key_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The id of the key before it, as long as anything may be sealed under that.",
          .example = "93d2e4f0"),
    FIELD(struct secret_key_status, since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Since when the key seals."),
    FIELD(struct secret_key_status, columns_done, FIELD_INTEGER, FIELD_REQUIRED,
          "How many columns of sealed values are through.", .example = "2"),
    FIELD(struct secret_key_status, columns_total, FIELD_INTEGER, FIELD_REQUIRED, "Of so many.",
          .example = "6"),
};
const struct record secret_key_record = {
    .name = "SecretKey",
    .doc = "How the secret key stands. An id tells keys apart and says nothing about them.",
    .size = sizeof(struct secret_key_status),
    RECORD_FIELDS(status_fields),
};

/* A prefix is the version of the form, and the id of the key. */
static const char *id_of(struct str prefix, struct arena *arena)
{
    const uint8_t *bytes = (const uint8_t *)prefix.data;

    if (prefix.len != VAULT_PREFIX_LEN) return NULL;
    return arena_printf(arena, "%02x%02x%02x%02x", bytes[1], bytes[2], bytes[3], bytes[4]);
}

/* The row of the verification store tells at once what was begun; how far the other store is, this
 * process has heard a moment ago. */
static void reply_status(struct request *rq, const struct vault_state *state)
{
    const struct service *service = rq->work.service;
    struct arena *arena = rq->work.arena;
    const struct key_watch *watch = service->key_watch;
    struct secret_key_status status = {
        .state = atomic_load(&watch->state),
        .key_id = id_of(state->prefix, arena),
        .next_key_id = id_of(state->next_prefix, arena),
        .old_key_id = id_of(state->old_prefix, arena),
        .since = state->since_ms,
        .columns_done = atomic_load(&watch->columns_done),
        .columns_total = SEALED_COLUMN_COUNT,
    };

    if (status.next_key_id) status.state = KEY_CHANGE_ANNOUNCED;
    if (status.state == KEY_CHANGE_READY)
        status.next_key_id = id_of(vault_target(service->vault), arena);
    if (status.state == KEY_CHANGE_ANNOUNCED) status.columns_done = 0;
    reply_record(rq, &status);
}

static enum err show(struct request *rq)
{
    struct vault_state state;
    enum err err = vault_select_state(rq->work.tx, rq->work.arena, &state);
    if (!err) reply_status(rq, &state);
    return err;
}

static bool is_target(const struct vault *vault, const struct vault_state *state)
{
    struct str target = vault_target(vault);
    return state->prefix.len == target.len &&
           memcmp(state->prefix.data, target.data, target.len) == 0;
}

/* The key of an embedded database lies in a file of its own, so herald makes the next one. The file
 * is durable before anything names its key, and serves the next try if this one fails. */
static enum err find_target(struct request *rq, const struct vault_state *state)
{
    const struct service *service = rq->work.service;

    if (!is_target(service->vault, state)) return ERR_OK;
    if (!service->key_watch->key_file) return ERR_NO_NEW_SECRET_KEY;
    return key_watch_make_target(service->key_watch, service->vault, rq->work.arena);
}

static void tell_begin(struct request *rq, const struct vault_state *state)
{
    const char *key = id_of(state->next_prefix, rq->work.arena);

    work_note(&rq->work, LOG_INFO, "the secret key is being replaced",
              LOG_FIELDS(log_id("key", key)));
    work_audit(&rq->work, "secret_key.rotate", "secret_key", key, NULL);
}

/* Of two that ask at the same moment the later one finds it begun. */
static enum err rotate(struct request *rq)
{
    const struct service *service = rq->work.service;
    struct vault_state state;
    bool is_begun = false;

    enum err err = vault_select_state(rq->work.tx, rq->work.arena, &state);
    if (err) return err;
    if (state.prefix.len > 0 && !vault_knows(service->vault, state.prefix))
        return ERR_STORAGE_UNAVAILABLE; /* it would bring an earlier key back */
    bool is_changing = atomic_load(&service->key_watch->is_changing) || state.next_prefix.len > 0 ||
                       state.old_prefix.len > 0;
    if (is_changing) {
        reply_status(rq, &state);
        return ERR_OK;
    }
    if (vault_forms(service->vault).takes_form_1) return ERR_STILL_OLD_FORM;
    err = find_target(rq, &state);
    if (!err) err = vault_announce(rq->work.tx, service->vault, rq->work.now_ms, &is_begun);
    if (!err) err = vault_select_state(rq->work.tx, rq->work.arena, &state);
    if (err) return err;
    if (is_begun) tell_begin(rq, &state);
    reply_status(rq, &state);
    return ERR_OK;
}

/* This record has no member yet, but a body that is sent is checked. */
static const struct record rotate_record = {
    .name = "RotateSecretKey",
    .doc = "Asks for the secret key to be replaced.",
    .size = sizeof(char),
};

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/secret-key",
        .operation_id = "getSecretKey",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "How the secret key stands",
        .description = "Which key seals what is stored, and how far its replacement is. When it is "
                       "idle again, nothing is sealed under the earlier key, and "
                       "HERALD_SECRET_KEY_OLD can go.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The state.",
        .reply = &secret_key_record,
        .handle = show,
    },
    {
        .method = "POST",
        .path = "/internal/v1/secret-key/rotate",
        .operation_id = "rotateSecretKey",
        .role = ROLE_ADMIN,
        .action = "secret_key.rotate",
        .tag = "Log and health",
        .summary = "Replace the secret key",
        .description =
            "All that is stored is sealed anew under another key, in the background, while herald "
            "works. Every process must have been started with the new key as HERALD_SECRET_KEY and "
            "the one before it as HERALD_SECRET_KEY_OLD; an embedded database whose key lies in "
            "its "
            "own file makes the new one by itself. While a replacement is under way, this is its "
            "state.",
        .body = &rotate_record,
        .status = 202,
        .reply_doc = "The replacement is under way.",
        .reply = &secret_key_record,
        .errors = {ERR_NO_NEW_SECRET_KEY, ERR_STILL_OLD_FORM},
        .handle = rotate,
    },
};

const struct route_table secret_key_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
