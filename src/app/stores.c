/* Opening, checking and closing of the two databases. */
#include "app/stores.h"

#include "app/migrations.h"
#include "app/vault_db.h"

enum { SQLITE_READERS = 1 };

static struct db_options options_of(const struct config *config, enum route_store store)
{
    bool is_exchange = store == STORE_EXCHANGE;
    return (struct db_options){
        .url = is_exchange ? config->exchange_url : config->database_url,
        .store = is_exchange ? "exchange" : "verification",
        .readers = SQLITE_READERS,
        .connections = (int)config->database_connections,
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

static enum err open_store(struct service *service, const struct config *config,
                           enum route_store store, struct db **ret_db, struct buf *why)
{
    struct db_options options = options_of(config, store);
    enum err err = db_open(&options, ret_db, why);
    return err ? err : check_secret_key(*ret_db, service->vault, options.url, why);
}

enum err stores_open(struct service *service, const struct config *config, struct buf *why)
{
    enum err err = open_store(service, config, STORE_VERIFICATION, &service->verification, why);
    if (err) return err;
    if (config_is_embedded(config))
        return open_store(service, config, STORE_EXCHANGE, &service->exchange, why);
    service->exchange = service->verification;
    return ERR_OK;
}

void stores_close(struct service *service)
{
    bool are_two = service->exchange != service->verification;

    if (service->exchange && are_two) db_close(service->exchange);
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
    if (service->exchange == service->verification) return ERR_OK;
    return db_run(service->exchange, true, run_ping, NULL);
}

static enum err migrate(const struct config *config, enum route_store store, bool apply,
                        struct buf *out, struct buf *why)
{
    struct db_options options = options_of(config, store);
    int version, newest;

    enum err err = db_migrate(&options, apply, &version, &newest, why);
    if (err) return err;
    if (config_is_embedded(config)) buf_printf(out, "%s: ", options.store);
    buf_printf(out, "schema %d of %d%s\n", version, newest,
               version < newest ? ": run `herald migrate up`" : ": up to date");
    return ERR_OK;
}

enum err stores_migrate(const struct config *config, bool apply, struct buf *out, struct buf *why)
{
    enum err err = migrate(config, STORE_VERIFICATION, apply, out, why);
    if (err || !config_is_embedded(config)) return err;
    return migrate(config, STORE_EXCHANGE, apply, out, why);
}
