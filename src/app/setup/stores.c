/* The two databases are opened, checked and closed here; `herald migrate` is here, too. */
#include "app/setup/stores.h"

#include "app/setup/migrations.h"
#include "app/setup/store_pair.h"
#include "app/setup/store_pair_db.h"
#include "app/setup/vault_db.h"
#include "domain/erp/erp.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

/* A search of a large catalog takes long, so a second reader goes on meanwhile. */
enum { VERIFICATION_READERS = 1, EXCHANGE_READERS = 2 };
/* Before migration 0021, herald did not overwrite what it erased (contract, section 9.6). */
enum { ERASES_FROM_VERSION = 21 };
/* Packages change the same pages again and again, and can wait for a long copying. */
enum { EXCHANGE_LOG_PAGES = 2000 };

static struct db_options options_of(const struct config *config, enum route_store store)
{
    bool is_exchange = store == STORE_EXCHANGE;
    return (struct db_options){
        .url = is_exchange ? config->exchange_url : config->database_url,
        .store = is_exchange ? "exchange" : "verification",
        .readers = is_exchange ? EXCHANGE_READERS : VERIFICATION_READERS,
        .log_pages = is_exchange ? EXCHANGE_LOG_PAGES : 0,
        .connections = (int)config->database_connections,
        .timeout_ms = (int)config->database_timeout_ms,
        .migrations = herald_migrations,
        .migration_count = herald_migration_count,
        .rewrite_before = ERASES_FROM_VERSION,
        .may_migrate = config_is_embedded(config),
    };
}

struct key_check {
    const struct vault *vault;
    bool begins_form_2;
};

static enum err run_key_check(void *arg, struct db_tx *tx)
{
    const struct key_check *check = arg;
    int64_t now_ms = clock_now_ms();
    enum err err = vault_check(tx, check->vault, now_ms);
    if (err || !check->begins_form_2) return err;
    return vault_begin_form_2(tx, check->vault, now_ms);
}

/* Form 2 is written and both are taken until stores_learn_forms. */
static enum err check_secret_key(struct db *db, struct vault *vault, const char *url,
                                 bool begins_form_2, struct buf *why)
{
    struct key_check check = {vault, begins_form_2};
    const char *file = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : "this database";
    vault_set_forms(vault, (struct vault_forms){.writes_form_2 = true, .takes_form_1 = true});
    enum err err = db_run(db, false, run_key_check, &check);

    if (err == ERR_UNAUTHORIZED)
        buf_printf(why,
                   "HERALD_SECRET_KEY is not the key that %s was made with. Give the same key to "
                   "every process; after a restore, restore the key file too.",
                   file);
    else if (err)
        buf_text(why, "The database does not answer.");
    return err;
}

static enum err open_pair(struct service *service, const struct config *config, struct buf *why)
{
    struct db_options verification = options_of(config, STORE_VERIFICATION);
    struct db_options exchange = options_of(config, STORE_EXCHANGE);
    return store_pair_open(&verification, &exchange, service, why);
}

/* One database on a server has both stores, each with connections of its own, so that a task that
 * waits in one of them holds up no task of the other. */
static enum err open_server_stores(struct service *service, const struct config *config,
                                   struct buf *why)
{
    struct db_options verification = options_of(config, STORE_VERIFICATION);
    struct db_options exchange = options_of(config, STORE_EXCHANGE);
    enum err err = db_open(&verification, &service->verification, why);
    return err ? err : db_open(&exchange, &service->exchange, why);
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

    for (size_t i = 0; !err && i < COUNT_OF(stores); i++)
        err = db_run(store_of(service, stores[i]), true, run_continue_ids, &stores[i]);
    if (err) buf_text(why, "The database does not answer.");
    return err;
}

enum err stores_open(struct service *service, const struct config *config, struct buf *why)
{
    bool is_embedded = config_is_embedded(config);
    service->is_one_database = strcmp(config->database_url, config->exchange_url) == 0;
    enum err err =
        is_embedded ? open_pair(service, config, why) : open_server_stores(service, config, why);
    /* A file has only this process, so no older version reads what it seals. */
    if (!err)
        err = check_secret_key(service->verification, service->vault, config->database_url,
                               is_embedded, why);
    if (!err)
        err = check_secret_key(service->exchange, service->vault, config->exchange_url, is_embedded,
                               why);
    if (err) return err;
    err = stores_learn_forms(service);
    if (err) buf_text(why, "The database does not answer.");
    return err ? err : continue_ids(service, why);
}

static enum err run_state(void *arg, struct db_tx *tx)
{
    return vault_select_state(tx, arg);
}

enum err stores_learn_forms(const struct service *service)
{
    struct vault_state states[2] = {0};
    struct vault_forms forms = vault_forms(service->vault);

    if (forms.writes_form_2 && !forms.takes_form_1)
        return ERR_OK; /* the forms do not change any more */
    enum err err = db_look(service->verification, run_state, &states[0]);
    if (!err) err = db_look(service->exchange, run_state, &states[1]);
    if (err) return err;
    forms.writes_form_2 = states[0].writes_form_2 && states[1].writes_form_2;
    forms.takes_form_1 = !states[0].is_resealed || !states[1].is_resealed;
    vault_set_forms(service->vault, forms);
    return ERR_OK;
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

static enum err finish(struct service *service, const struct config *config, struct buf *why)
{
    enum err err = vault_new(str_of(config->secret_key.data), &service->vault);
    if (!err) err = open_server_stores(service, config, why);
    if (err) return err;
    err = check_secret_key(service->verification, service->vault, config->database_url, true, why);
    if (err) return err;
    err = erp_recount_bodies(service);
    if (err) buf_text(why, "The database does not answer. Run it once more.");
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
    db_close(db);
    if (err && err != ERR_NOT_FOUND) {
        buf_text(why, "The database does not answer.");
        return err;
    }
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
