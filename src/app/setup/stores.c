/* The two databases are opened, checked and closed here; `herald migrate` is here, too. */
#include "app/setup/stores.h"

#include "app/setup/key_watch.h"
#include "app/setup/migrations.h"
#include "app/setup/store_pair.h"
#include "app/setup/store_pair_db.h"
#include "app/setup/vault_db.h"
#include "core/audit.h"
#include "core/store_clock.h"
#include "domain/erp/erp.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

#include <pthread.h>

/* A search of a large catalog takes long, so a second reader goes on meanwhile. */
enum { VERIFICATION_READERS = 1, EXCHANGE_READERS = 2 };
/* Before migration 0021, herald did not overwrite what it erased (contract, section 10.4). */
enum { ERASES_FROM_VERSION = 21 };
/* Packages change the same pages again and again, and can wait for a long copying. */
enum { EXCHANGE_LOG_PAGES = 2000 };

static const char *const store_words[] = {
    [STORE_VERIFICATION] = "verification", [STORE_EXCHANGE] = "exchange"};

METRIC(store_commit_seconds, COUNT_OF(store_words), METRIC_HISTOGRAM_CELLS,
       .name = "herald_db_commit_seconds", .help = "How long commits of the database took.",
       .type = METRIC_HISTOGRAM, .labels = {"store"}, .words = {store_words},
       .word_counts = {COUNT_OF(store_words), 1}, .bounds = &metric_bounds_commit);

/* Of a process's connections one listens and one looks whether the server answers; the two stores
 * share the others. */
static int pool_size(const struct config *config, enum route_store store)
{
    int rest = (int)config->database_connections - 2;
    int size = store == STORE_EXCHANGE ? rest / 2 : rest - rest / 2;
    return size > 1 ? size : 1;
}

static struct db_options options_of(const struct config *config, enum route_store store)
{
    bool is_exchange = store == STORE_EXCHANGE;
    return (struct db_options){
        .url = is_exchange ? config->exchange_url : config->database_url,
        .store = store_words[store],
        .readers = is_exchange ? EXCHANGE_READERS : VERIFICATION_READERS,
        .log_pages = is_exchange ? EXCHANGE_LOG_PAGES : 0,
        .connections = pool_size(config, store),
        .timeout_ms = (int)config->database_timeout_ms,
        .silence_ms = (int)config->database_silence_ms,
        .commits = &store_commit_seconds,
        .commits_series = (size_t)store,
        .migrations = herald_migrations,
        .migration_count = herald_migration_count,
        .rewrite_before = ERASES_FROM_VERSION,
        .may_migrate = config_is_embedded(config),
    };
}

struct key_check {
    struct vault *vault;
    enum route_store store;
    bool begins_form_2;
};

static enum err run_key_check(void *arg, struct db_tx *tx)
{
    const struct key_check *check = arg;
    int64_t now_ms = clock_now_ms();
    enum err err = vault_check(tx, check->vault, check->store, now_ms);
    if (err || !check->begins_form_2) return err;
    return vault_begin_form_2(tx, check->vault, now_ms);
}

static void explain_silence(struct db *db, struct buf *why)
{
    buf_text(why, "The database does not answer.");
    db_explain(db, why);
}

/* Form 2 is written and both are taken until stores_learn. */
static enum err check_secret_key(const struct service *service, enum route_store store,
                                 const char *url, bool begins_form_2, struct buf *why)
{
    struct key_check check = {service->vault, store, begins_form_2};
    const char *file = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : "this database";
    vault_set_forms(service->vault,
                    (struct vault_forms){.writes_form_2 = true, .takes_form_1 = true},
                    clock_monotonic_ms());
    enum err err = db_run(store_of(service, store), false, run_key_check, &check);

    if (err == ERR_UNAUTHORIZED)
        buf_printf(why,
                   "HERALD_SECRET_KEY is not the key that %s was made with. Give the same key to "
                   "every process; after a restore, restore the key file too. If the key is being "
                   "replaced, give the new one as HERALD_SECRET_KEY and the one before it as "
                   "HERALD_SECRET_KEY_OLD.",
                   file);
    else if (err == ERR_LEASE_LOST)
        buf_printf(why,
                   "Values of %s are still sealed under the secret key before this one. Give that "
                   "one as HERALD_SECRET_KEY_OLD until `herald admin secret-key show` says that "
                   "nothing is sealed under it.",
                   file);
    else if (err)
        explain_silence(store_of(service, store), why);
    return err;
}

static enum err open_pair(struct service *service, const struct config *config, struct buf *why)
{
    struct db_options verification = options_of(config, STORE_VERIFICATION);
    struct db_options exchange = options_of(config, STORE_EXCHANGE);
    return store_pair_open(&verification, &exchange, service, why);
}

static enum err begin_time(const struct service *service, bool is_beside, struct buf *why)
{
    enum err err = store_clock_begin(service->verification, is_beside);
    if (err) explain_silence(service->verification, why);
    return err;
}

/* One database on a server has both stores, each with a pool of its own, so that a task that waits
 * in one of them holds up no task of the other. */
static enum err open_server_stores(struct service *service, const struct config *config,
                                   struct buf *why)
{
    struct db_options verification = options_of(config, STORE_VERIFICATION);
    struct db_options exchange = options_of(config, STORE_EXCHANGE);
    enum err err = db_open(&verification, &service->verification, why);
    if (err) return err;
    exchange.with = service->verification;
    return db_open(&exchange, &service->exchange, why);
}

static enum err run_continue_ids(void *arg, struct db_tx *tx)
{
    const enum route_store *store = arg;
    struct uuid ids[NEWEST_IDS_MAX];
    int count;

    enum err err = newest_ids_read(tx, *store, ids, &count);
    for (int i = 0; !err && i < count; i++)
        uuid_start_after(&ids[i], clock_now_ms());
    return err;
}

/* Ids sort by time (contract, section 1), also after a restart with a clock that is behind. */
static enum err continue_ids(const struct service *service, struct buf *why)
{
    enum route_store stores[] = {STORE_VERIFICATION, STORE_EXCHANGE};
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < COUNT_OF(stores); i++) {
        struct db *db = store_of(service, stores[i]);
        err = db_run(db, true, run_continue_ids, &stores[i]);
        if (err) explain_silence(db, why);
    }
    return err;
}

enum err stores_make_vault(const struct config *config, struct vault **ret_vault, struct buf *why)
{
    const struct secret *old = &config->old_secret_key, *next = &config->next_secret_key;

    enum err err = vault_new(str_of(config->secret_key.data), ret_vault);
    if (!err && old->data) err = vault_add_key(*ret_vault, str_of(old->data), false);
    if (err || !next->data) return err;
    err = vault_add_key(*ret_vault, str_of(next->data), true);
    if (err)
        buf_printf(why, "The file %s.new holds no key. Restore it from a backup.",
                   config->secret_key_file);
    return err;
}

enum err stores_open(struct service *service, const struct config *config, struct buf *why)
{
    bool is_embedded = config_is_embedded(config);
    service->is_one_database = strcmp(config->database_url, config->exchange_url) == 0;
    enum err err =
        is_embedded ? open_pair(service, config, why) : open_server_stores(service, config, why);
    if (!err) err = begin_time(service, false, why);
    /* A file has only this process, so no older version reads what it seals. */
    if (!err)
        err = check_secret_key(service, STORE_VERIFICATION, config->database_url, is_embedded, why);
    if (!err)
        err = check_secret_key(service, STORE_EXCHANGE, config->exchange_url, is_embedded, why);
    if (err) return err;
    err = stores_learn(service);
    if (err) explain_silence(service->verification, why);
    return err ? err : continue_ids(service, why);
}

struct state_query {
    struct arena arena;
    struct vault_state state;
};

static enum err run_state(void *arg, struct db_tx *tx)
{
    struct state_query *query = arg;
    return vault_select_state(tx, &query->arena, &query->state);
}

/* An earlier key does not mean an earlier form: values are of herald 0.5.0 only before any key was
 * replaced. */
static bool may_have_form_1(const struct vault_state *state)
{
    return !state->is_resealed && state->old_prefix.len == 0;
}

static void learn(const struct service *service, const struct vault_state states[static 2],
                  int64_t read_at_ms)
{
    struct vault_forms forms = {
        .writes_form_2 = states[0].writes_form_2 && states[1].writes_form_2,
        .takes_form_1 = may_have_form_1(&states[0]) || may_have_form_1(&states[1]),
    };
    key_watch_judge(service->key_watch, service->vault, states);
    vault_set_forms(service->vault, forms, read_at_ms);
}

static enum err read_and_learn(const struct service *service)
{
    int64_t read_at_ms = clock_monotonic_ms();
    struct state_query queries[2];

    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        arena_init(&queries[i].arena);
        queries[i].state = (struct vault_state){0};
    }
    enum err err = db_look(service->verification, run_state, &queries[0]);
    if (!err) err = db_look(service->exchange, run_state, &queries[1]);
    if (!err)
        learn(service, (const struct vault_state[2]){queries[0].state, queries[1].state},
              read_at_ms);
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        arena_done(&queries[i].arena);
    return err;
}

/* One at a time, so that what was read earlier takes no place of what was read later. */
enum err stores_learn(const struct service *service)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    enum err err = read_and_learn(service);
    if (!err) err = store_clock_learn(service->verification);
    pthread_mutex_unlock(&lock);
    return err;
}

/* --- Beside other processes --- */

static enum err open_beside(const struct config *config, enum route_store store, struct db *with,
                            struct db **ret_db, struct buf *why)
{
    struct db_options options = options_of(config, store);

    options.with = with;
    options.readers = 1;
    options.connections = 1;
    options.may_migrate = false;
    options.is_beside = true;
    return db_open(&options, ret_db, why);
}

enum err stores_open_beside(struct service *service, const struct config *config, struct buf *why)
{
    bool is_embedded = config_is_embedded(config);
    enum err err = ERR_OK;

    service->is_one_database = !is_embedded;
    if (is_embedded) err = store_pair_check_filled(config->database_url, config->exchange_url, why);
    if (!err) err = open_beside(config, STORE_VERIFICATION, NULL, &service->verification, why);
    if (!err)
        err = open_beside(config, STORE_EXCHANGE, service->verification, &service->exchange, why);
    if (!err && is_embedded)
        err = store_pair_check(service, config->database_url, config->exchange_url, why);
    return err ? err : begin_time(service, true, why);
}

static enum err run_check_only(void *arg, struct db_tx *tx)
{
    return vault_check_only(tx, arg);
}

enum err stores_check_key(const struct service *service)
{
    enum err err = db_run(service->verification, true, run_check_only, service->vault);
    return err ? err : db_run(service->exchange, true, run_check_only, service->vault);
}

void stores_close(struct service *service)
{
    if (service->exchange) db_close(service->exchange);
    if (service->verification) db_close(service->verification);
    service->exchange = service->verification = NULL;
}

struct db *store_of(const struct service *service, enum route_store store)
{
    return store == STORE_EXCHANGE ? service->exchange : service->verification;
}

static enum err run_ping(void *arg, struct db_tx *tx)
{
    (void)arg;
    return vault_ping(tx);
}

enum err stores_ping_exchange(const struct service *service)
{
    return db_look(service->exchange, run_ping, NULL);
}

/* --- herald migrate finish --- */

static enum err record_finish(struct work *work)
{
    work_audit(work, "database.finish", "database", NULL, NULL);
    return ERR_OK;
}

/* It stands behind the change, which may take several transactions, and can be repeated. */
static enum err audit_finish(struct service *service)
{
    struct arena arena;
    struct work work;

    arena_init(&arena);
    work_init(&work, service, &arena, clock_now_ms(), NULL);
    enum err err = work_run(&work, service->verification, record_finish);
    arena_done(&arena);
    return err;
}

static enum err finish(struct service *service, const struct config *config, struct buf *why)
{
    enum err err = stores_make_vault(config, &service->vault, why);
    if (!err) err = open_server_stores(service, config, why);
    if (!err) err = begin_time(service, false, why);
    if (err) return err;
    err = check_secret_key(service, STORE_VERIFICATION, config->database_url, true, why);
    if (err) return err;
    err = erp_recount_bodies(service);
    if (!err) err = audit_finish(service);
    if (err) {
        explain_silence(service->verification, why);
        buf_text(why, " Run it once more.");
    }
    return err;
}

enum err stores_finish(const struct config *config, struct buf *out, struct buf *why)
{
    struct service service = {.verification = NULL};

    if (config_is_embedded(config)) {
        buf_text(out, "An embedded database has one process, whose start does this by itself.\n");
        return ERR_OK;
    }
    if (!config->secret_key.data) {
        buf_text(why, "HERALD_SECRET_KEY is not set. Give the one that the processes run with.");
        return ERR_VALIDATION;
    }
    enum err err = finish(&service, config, why);
    stores_close(&service);
    vault_free(service.vault);
    if (!err)
        buf_text(out, "From now on all values are sealed in the new form, and the worker seals old "
                      "ones anew. herald 0.5.0 refuses this database. The bodies that integrations "
                      "keep of their packages were counted anew.\n");
    return err;
}

/* --- Before there is a key --- */

static enum err find_seal(const struct config *config, enum route_store store, bool *is_sealed,
                          struct buf *why)
{
    struct db_options options = options_of(config, store);
    enum store_file file;
    struct db *db;

    enum err err = store_file_look(options.url, &file, why);
    if (err || file != STORE_FILE_FILLED) return err;
    err = db_open(&options, &db, why);
    if (err) return err;
    err = db_run(db, true, run_ping, NULL);
    if (err && err != ERR_NOT_FOUND) explain_silence(db, why);
    db_close(db);
    if (err && err != ERR_NOT_FOUND) return err;
    *is_sealed |= !err;
    return ERR_OK;
}

enum err stores_are_sealed(const struct config *config, bool *ret_are_sealed, struct buf *why)
{
    bool are_sealed = false;
    enum err err = store_pair_check_files(config->database_url, config->exchange_url, why);
    if (!err) err = find_seal(config, STORE_VERIFICATION, &are_sealed, why);
    if (!err) err = find_seal(config, STORE_EXCHANGE, &are_sealed, why);
    if (!err) *ret_are_sealed = are_sealed;
    return err;
}

/* --- herald migrate --- */

enum err stores_schema(const struct config *config, enum route_store store, int *ret_version,
                       int *ret_newest, struct buf *why)
{
    struct db_options options = options_of(config, store);
    return db_migrate(&options, false, ret_version, ret_newest, why);
}

static enum err migrate(const struct config *config, enum route_store store, bool apply,
                        struct buf *out, bool *are_current, struct buf *why)
{
    struct db_options options = options_of(config, store);
    int version, newest;

    enum err err = db_migrate(&options, apply, &version, &newest, why);
    if (err) return err;
    if (config_is_embedded(config)) buf_printf(out, "%s: ", options.store);
    buf_printf(out, "schema %d of %d%s\n", version, newest,
               version < newest ? ": run `herald migrate up`" : ": up to date");
    *are_current &= version >= newest;
    return ERR_OK;
}

/* Makes an embedded pair and brings it up to date, as `serve` does. */
static enum err migrate_pair(const struct config *config, struct buf *why)
{
    struct service service = {.verification = NULL};
    enum err err = open_pair(&service, config, why);
    stores_close(&service);
    return err;
}

static enum err tell_store(const struct config *config, enum route_store store,
                           enum store_file file, struct buf *out, bool *are_current,
                           struct buf *why)
{
    if (file == STORE_FILE_FILLED) return migrate(config, store, false, out, are_current, why);
    struct db_options options = options_of(config, store);
    buf_printf(out, "%s: the file %s is %s\n", options.store, options.url + strlen("sqlite:"),
               file == STORE_FILE_EMPTY ? "empty" : "missing");
    *are_current = false;
    return ERR_OK;
}

static enum err tell_pair(const struct config *config, struct buf *out, bool *are_current,
                          struct buf *why)
{
    enum store_file verification, exchange;
    enum err err = store_pair_check_files(config->database_url, config->exchange_url, why);
    if (!err) err = store_file_look(config->database_url, &verification, why);
    if (!err) err = store_file_look(config->exchange_url, &exchange, why);
    if (err) return err;
    if (verification != STORE_FILE_FILLED) {
        buf_text(out, "There is no database yet: `herald serve` makes it at its first start, "
                      "`herald migrate up` at once.\n");
        *are_current = false;
        return ERR_OK;
    }
    err = tell_store(config, STORE_VERIFICATION, verification, out, are_current, why);
    if (err) return err;
    return tell_store(config, STORE_EXCHANGE, exchange, out, are_current, why);
}

enum err stores_migrate(const struct config *config, bool apply, struct buf *out,
                        bool *ret_are_current, struct buf *why)
{
    enum err err = ERR_OK;

    *ret_are_current = true;
    if (!config_is_embedded(config))
        return migrate(config, STORE_VERIFICATION, apply, out, ret_are_current, why);
    if (apply) err = migrate_pair(config, why);
    return err ? err : tell_pair(config, out, ret_are_current, why);
}
