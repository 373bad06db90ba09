/*
 * Values are sealed anew in two cases. When the secret key is replaced (contract, section 10.4),
 * the new one is announced, so that no process goes on under the old one alone; then values are
 * sealed under the new one, and what is left of the old one follows.
 *
 * And values that herald 0.5.0 sealed are bound to their row alone. Once every process writes the
 * form that binds them to table and column too, one walk through the list of sealed columns
 * (core/sealed.h) seals the old values anew. It goes page by page along the keys, so that no
 * request waits for it, and goes on from its place after a restart. Values that come meanwhile have
 * the new form, so it sees every row once: it begins later than any process may still seal in the
 * old form without having read the forms in force (VAULT_FORMS_MS).
 */
#include "app/jobs/reseal.h"

#include "app/setup/key_watch.h"

/* A row that changes or goes meanwhile is left alone. */
static enum err reseal_row(struct work *work, enum sealed_column column,
                           const struct sealed_row *row)
{
    const struct vault *vault = work->service->vault;
    struct vault_place place = sealed_at(column, row->key);
    struct str plain, sealed;

    if (!row->sealed.data || vault_has_prefix(vault, row->sealed)) return ERR_OK;
    if (vault_open(vault, place, row->sealed, work->arena, &plain) != ERR_OK) {
        work_note(work, LOG_WARNING, "a sealed value does not open and is left as it is",
                  LOG_FIELDS(log_plain("place", sealed_column_name(column))));
        return ERR_OK;
    }
    enum err err = work_seal(work, column, row->key, plain, &sealed);
    return err ? err : sealed_replace(work, column, row, sealed);
}

static enum err finish(struct work *work, enum route_store store, bool are_one, bool is_of_key)
{
    const struct log_field whose =
        log_plain("store", store == STORE_EXCHANGE ? "exchange" : "verification");

    work_note(work, LOG_INFO,
              is_of_key ? "no value is sealed under the earlier secret key any more"
                        : "all sealed values have the new form",
              &whose, are_one ? 0 : 1);
    return vault_end_walk(work->tx);
}

static enum err walk_on(struct work *work, enum route_store store, bool are_one, bool is_of_key)
{
    struct reseal_step step = {.column = sealed_column_from(0, store, are_one)};
    struct record_list page;
    bool is_last;

    enum err err = resealing_select(work, &step);
    if (err && err != ERR_NOT_FOUND) return err;
    err = sealed_select_page(work, &step, &page, &is_last);
    const struct sealed_row *rows = page.items;
    for (size_t i = 0; !err && i < page.count; i++)
        err = reseal_row(work, step.column, &rows[i]);
    if (err) return err;

    if (is_last)
        step =
            (struct reseal_step){sealed_column_from((int)step.column + 1, store, are_one), STR("")};
    else
        step.after_key = rows[page.count - 1].key;
    return step.column == SEALED_COLUMN_COUNT ? finish(work, store, are_one, is_of_key)
                                              : resealing_save(work, &step);
}

static_assert(RESEAL_PAUSE_MS > 2 * (int)VAULT_FORMS_MS &&
                  RESEAL_ANNOUNCED_MS > (int)VAULT_FORMS_MS,
              "a process that has not heard of it seals no more by then");

static bool is_target(const struct vault *vault, struct str prefix)
{
    struct str target = vault_target(vault);
    return prefix.len == target.len && memcmp(prefix.data, target.data, target.len) == 0;
}

/* The verification store begins when all have heard of the key; the exchange store follows, so that
 * of two databases the first one tells. */
static bool is_time_for_key(const struct work *work, enum route_store store,
                            const struct vault_state *state)
{
    const struct vault *vault = work->service->vault;

    if (is_target(vault, state->prefix) || !state->is_resealed) return false;
    if (store == STORE_EXCHANGE) return atomic_load(&work->service->key_watch->is_begun);
    return is_target(vault, state->next_prefix) &&
           work->now_ms >= state->next_since_ms + RESEAL_ANNOUNCED_MS;
}

static bool is_time_to_walk(const struct work *work, const struct vault_state *state)
{
    const struct service *service = work->service;
    int64_t all_since_ms = atomic_load(&service->key_watch->since_ms);
    int64_t since_ms = state->since_ms > all_since_ms ? state->since_ms : all_since_ms;

    return state->writes_form_2 && !state->is_resealed &&
           vault_has_prefix(service->vault, state->prefix) &&
           work->now_ms >= since_ms + RESEAL_PAUSE_MS;
}

enum err reseal_page(struct work *work, enum route_store store)
{
    const struct service *service = work->service;
    bool are_one = service->is_one_database;
    struct vault_state state;

    if (!vault_forms(service->vault).takes_form_1 && !atomic_load(&service->key_watch->is_changing))
        return ERR_OK;
    if (are_one && store == STORE_EXCHANGE)
        return ERR_OK; /* the other store's walk goes through all */
    enum err err = vault_select_state(work->tx, work->arena, &state);
    if (err) return err;
    if (is_time_for_key(work, store, &state)) {
        work_note(
            work, LOG_INFO, "values are sealed under the new secret key from now on",
            LOG_FIELDS(log_plain("store", store == STORE_EXCHANGE ? "exchange" : "verification")));
        return vault_begin_key(work->tx, service->vault, store, work->now_ms);
    }
    if (!is_time_to_walk(work, &state)) return ERR_OK;
    return walk_on(work, store, are_one, state.old_prefix.len > 0);
}
