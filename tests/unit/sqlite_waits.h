/* This counts how long SQLite may wait for others. The program is linked with
 * --wrap=sqlite3_busy_timeout. */
#pragma once

#include "kit/db/sqlite.h"

#include <stdatomic.h>

/* They say how often less than the usual time was allowed to wait for others, and how much at
 * last. */
static atomic_int waits, wait_ms;

/* The linker puts the first one in the place of sqlite3_busy_timeout. */
int __wrap_sqlite3_busy_timeout(sqlite3 *handle, int ms);
int __real_sqlite3_busy_timeout(sqlite3 *handle, int ms);

int __wrap_sqlite3_busy_timeout(sqlite3 *handle, int ms)
{
    if (ms < SQLITE_WAIT_MS) {
        wait_ms = ms;
        waits++;
    }
    return __real_sqlite3_busy_timeout(handle, ms);
}
