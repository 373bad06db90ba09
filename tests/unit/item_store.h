/* The tables that tests of the engine itself write to. */
#pragma once

#include "item_rows.h"

static const struct db_migration item_migrations[] = {
    {
        .version = 1,
        .name = "0001_item",
        .store = "verification",
        .sqlite_sql = "",
        .postgres_sql = "CREATE TABLE item (id BIGINT PRIMARY KEY NOT NULL, n BIGINT)",
    },
    {
        .version = 2,
        .name = "0002_part",
        .store = "verification",
        .sqlite_sql = "",
        .postgres_sql = "CREATE TABLE part (id BIGINT PRIMARY KEY NOT NULL)",
    },
};

enum { ITEM_MIGRATIONS = sizeof item_migrations / sizeof *item_migrations };
