/* Statements on catalog_category and catalog_definition (migration 0011), which are alike. */
#pragma once

#include "kit/db/work.h"

enum shelf_kind { SHELF_CATEGORIES, SHELF_DEFINITIONS };
enum { SHELF_PART = 4096, SHELF_ROWS_MAX = 256 };

struct shelf_row {
    const char *id, *content; /* the name of a category, the doc of a definition */
};
struct shelf_rows {
    struct shelf_row items[SHELF_ROWS_MAX];
    size_t count;
};

/* Those behind `after` that are not archived, in order of id, SHELF_PART at most. */
enum err shelf_select(struct work *work, enum shelf_kind kind, int64_t catalog, const char *after,
                      void (*on_row)(void *arg, const char *id, struct str content),
                      void *arg) MUST_CHECK;
enum err shelf_insert(struct work *work, enum shelf_kind kind, int64_t catalog,
                      const struct shelf_rows *rows) MUST_CHECK;
enum err shelf_update(struct work *work, enum shelf_kind kind, int64_t catalog,
                      const struct shelf_rows *rows) MUST_CHECK;
/* Takes those off `rows` that were archived, and are not any more. */
enum err shelf_bring_back(struct work *work, enum shelf_kind kind, int64_t catalog,
                          struct shelf_rows *rows, size_t *ret_count) MUST_CHECK;
enum err shelf_archive(struct work *work, enum shelf_kind kind, int64_t catalog,
                       const char *id) MUST_CHECK;
