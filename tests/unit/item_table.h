/* A store of one table, on both engines, as the tests of kit/db use it. */
#pragma once

#include "item_rows.h"

static const struct db_migration item_migrations[] = {{
    .version = 1,
    .name = "0001_item",
    .store = "verification",
    .sqlite_sql = "CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL, n INTEGER, word TEXT, "
                  "data BLOB) STRICT",
    .postgres_sql = "CREATE TABLE item (id BIGINT PRIMARY KEY NOT NULL, n BIGINT, word TEXT, "
                    "data BYTEA)",
}};
