/* PostgreSQL's listener as tests wait for it: it calls every subscriber once when it connects. */
#pragma once

#include "store.h"

static inline enum err notify_nobody(void *arg, struct db_tx *tx)
{
    (void)arg;
    db_notify(tx, "nobody");
    return ERR_OK;
}

/* Until the calls of its connecting are over: it announces nothing before. SQLite has none. */
static inline void await_listener(struct store *store)
{
    static const char announcements_sql[] =
        "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE application_name = current_schema()"
        " AND query LIKE 'SELECT pg_notify%'";

    if (store->engine == DB_SQLITE) return;
    store_write(store, notify_nobody, NULL);
    for (int i = 0; i < 3000 && store_number(store, announcements_sql) == 0; i++)
        sleep_ms(10);
    assert_true(store_number(store, announcements_sql) > 0);
}
