/* Opening, checking and closing of the two databases, and `herald migrate`. */
#include "app/stores.h"

#include "app/migrations.h"
#include "app/store_pair.h"
#include "app/vault_db.h"

/* A search of a large catalog takes long, and others read meanwhile. */
enum { VERIFICATION_READERS = 1, EXCHANGE_READERS = 2 };
/* Packages change the same pages again and again, and have time. */
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
        .may_migrate = config_is_embedded(config),
    };
}

static enum err run_vault_check(void *arg, struct db_tx *tx)
{
    return vault_check(tx, arg);
}

static enum err check_secret_key(struct db *db, const struct vault *vault, const char *url,
                                 struct buf *why)
{
    enum err err = db_run(db, false, run_vault_check, (void *)vault);
    const char *file = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : "this database";

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

/* One database on a server, for each store with connections of its own: what waits in one of them,
 * for a lock or for its turn, holds up nobody of the other. */
static enum err open_server_stores(struct service *service, const struct config *config,
                                   struct buf *why)
{
    struct db_options verification = options_of(config, STORE_VERIFICATION);
    struct db_options exchange = options_of(config, STORE_EXCHANGE);
    enum err err = db_open(&verification, &service->verification, why);
    return err ? err : db_open(&exchange, &service->exchange, why);
}

enum err stores_open(struct service *service, const struct config *config, struct buf *why)
{
    bool is_embedded = config_is_embedded(config);
    enum err err =
        is_embedded ? open_pair(service, config, why) : open_server_stores(service, config, why);
    if (!err)
        err = check_secret_key(service->verification, service->vault, config->database_url, why);
    if (!err) err = check_secret_key(service->exchange, service->vault, config->exchange_url, why);
    return err;
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
    enum err err = store_pair_check_files(config, why);
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

/* An embedded pair is made and brought up to date as `serve` does it. */
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
    enum err err = store_pair_check_files(config, why);
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
