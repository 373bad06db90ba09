/*
 * A database for a test, on each engine in turn: every case starts on an empty one, a copy of one
 * that was migrated once.
 *
 * PostgreSQL cases need HERALD_TEST_POSTGRES_URL (tools/with_postgres sets it) and are left out
 * without it.
 */
#pragma once

#include "kit/db/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STORE_URL_MAX = 1024, STORE_CONNECTIONS = 4 };

struct store {
    struct db *db; /* may be closed and opened by the case */
    enum db_engine engine;
    struct db_options options;
    struct arena arena;
    char url[STORE_URL_MAX];
    char folder[64]; /* SQLite: of the file herald.db */
    char schema[64]; /* PostgreSQL: of the tables, and the name of the database */
};

enum { STORE_SQLITE = 1, STORE_POSTGRES = 2, STORE_BOTH = 3 };

struct store_case {
    const char *name;
    void (*run)(struct store *store);
    int engines; /* STORE_... ; 0 is both */
};

/* One on both engines, named as its function. */
#define STORE_CASE(function)                 \
    {                                        \
        .name = #function, .run = (function) \
    }

/* Runs the cases on the engines that they name; the migrations are those of an empty store. */
int store_run_cases(const char *group, const struct db_migration *migrations,
                    size_t migration_count, const struct store_case *cases, size_t case_count);

void store_open(struct store *store);
void store_close(struct store *store);

/* db_run that must end in ERR_OK. */
void store_write(struct store *store, enum err (*run)(void *arg, struct db_tx *tx), void *arg);
void store_read(struct store *store, enum err (*run)(void *arg, struct db_tx *tx), void *arg);
/* The one number that `sql` yields, as column n. */
int64_t store_number(struct store *store, const char *sql);
/* PostgreSQL: how many rows of `table` this transaction has read, with what its connection read a
 * moment ago, so that only differences tell. SQLite: 0. */
enum err store_count_read(struct db *db, struct db_tx *tx, const char *table, int64_t *ret_count);
/* Asserts how many rows there are: assert_count(store, "device WHERE enabled = 0", 2). */
#define assert_count(store, rows, expected) \
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM " rows), expected)

/* PostgreSQL: runs `sql` on a connection beside the pool, in the case's schema. */
void store_admin(struct store *store, const char *sql);
/* Returns what went wrong at `options`, which must not open. The caller frees it. */
char *store_open_refused(const struct db_options *options);

void sleep_ms(int ms);

/* PostgreSQL: goes to a database of its own, which can be shut without disturbing others, and back.
 */
void store_use_own_database(struct store *store, char *name, size_t size);
void store_drop_own_database(struct store *store, const char *name);
