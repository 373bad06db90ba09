/* This knows how far the replacement of the secret key is, and handles the files of an embedded
 * database's own key. */
#include "app/setup/key_watch.h"

#include "app/setup/key_file.h"
#include "kit/base/macros.h"

const char *const key_change_words[] = {"idle", "ready", "announced", "sealing", NULL};

static bool is_equal(struct str a, struct str b)
{
    return a.len == b.len && a.len > 0 && memcmp(a.data, b.data, a.len) == 0;
}

/* Tells whether a database is sealed, or is about to be, under a key that this process lacks. */
static bool is_strange(const struct vault *vault, const struct vault_state *state)
{
    const struct str prefixes[] = {state->prefix, state->next_prefix, state->old_prefix};

    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        if (prefixes[i].len > 0 && !vault_knows(vault, prefixes[i])) return true;
    }
    return false;
}

/* Values are sealed under the target once both databases say so. */
static void choose_sealer(struct vault *vault, const struct vault_state states[static 2])
{
    bool is_first = is_equal(states[0].prefix, vault_target(vault));
    const struct vault_state *last = is_first ? &states[1] : &states[0];
    bool did_seal = vault_prefix(vault).len > 0;

    if (last->prefix.len == 0) return; /* of herald 0.5.0: the key does not change */
    if (is_strange(vault, &states[0]) || is_strange(vault, &states[1])) {
        (void)vault_seal_by(vault, STR(""));
        if (did_seal)
            log_write(LOG_ERROR,
                      "the secret key is being replaced by one that this process does not know: it "
                      "seals nothing; start it with that key as HERALD_SECRET_KEY and its own as "
                      "HERALD_SECRET_KEY_OLD",
                      NULL, 0);
        return;
    }
    (void)vault_seal_by(vault, last->prefix);
    if (!did_seal) log_write(LOG_INFO, "the secret key is one that this process knows", NULL, 0);
}

static int count_done(const struct vault *vault, const struct vault_state states[static 2])
{
    int count = 0;

    for (int i = 0; i < SEALED_COLUMN_COUNT; i++) {
        const struct vault_state *state =
            &states[sealed_column_from(i, STORE_EXCHANGE, false) == (enum sealed_column)i];
        bool is_done = state->is_resealed || i < state->column;
        count += is_done && is_equal(state->prefix, vault_target(vault));
    }
    return count;
}

static void finish_file(const struct key_watch *watch)
{
    if (!watch->key_file) return;
    if (key_file_replace(watch->key_file))
        log_write(LOG_INFO, "the key file holds the new secret key",
                  LOG_FIELDS(log_plain("file", watch->key_file)));
}

void key_watch_judge(struct key_watch *watch, struct vault *vault,
                     const struct vault_state states[static 2])
{
    struct str target = vault_target(vault);
    bool is_begun = is_equal(states[0].prefix, target);
    bool is_through = is_begun && is_equal(states[1].prefix, target);
    bool is_old_left = states[0].old_prefix.len > 0 || states[1].old_prefix.len > 0;
    bool is_announced = states[0].next_prefix.len > 0;
    bool is_sealing = is_old_left || (is_begun && !is_through && states[1].prefix.len > 0);
    int64_t since_ms =
        states[0].since_ms > states[1].since_ms ? states[0].since_ms : states[1].since_ms;
    int state = is_announced                              ? KEY_CHANGE_ANNOUNCED
                : is_sealing                              ? KEY_CHANGE_SEALING
                : is_through || states[0].prefix.len == 0 ? KEY_CHANGE_IDLE
                                                          : KEY_CHANGE_READY;

    choose_sealer(vault, states);
    atomic_store(&watch->is_begun, is_begun);
    atomic_store(&watch->since_ms, since_ms);
    atomic_store(&watch->state, state);
    atomic_store(&watch->columns_done,
                 state == KEY_CHANGE_IDLE ? SEALED_COLUMN_COUNT : count_done(vault, states));
    bool was_changing = atomic_exchange(&watch->is_changing, is_announced || is_sealing);
    if (was_changing && is_through && !is_old_left) finish_file(watch);
}

enum err key_watch_make_target(struct key_watch *watch, struct vault *vault, struct arena *arena)
{
    AUTO_BUF why = {0};
    char *key;

    buf_init(&why, 8 * 1024);
    enum err err = key_file_make_next(watch->key_file, arena, &key, &why);
    if (err) {
        log_write(LOG_ERROR, "no new secret key can be made",
                  LOG_FIELDS(log_plain("error", arena_str(arena, buf_view(&why)))));
        return ERR_STORAGE_UNAVAILABLE;
    }
    err = vault_add_key(vault, str_of(key), true);
    secret_wipe(key, strlen(key));
    return err;
}
