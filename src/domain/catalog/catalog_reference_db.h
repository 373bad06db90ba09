/* Statements on catalog_category and catalog_definition (migration 0011), which are alike. */
#pragma once

#include "core/work.h"

enum reference_kind { REFERENCE_CATEGORIES, REFERENCE_DEFINITIONS };
enum { REFERENCE_PART = 4096, REFERENCE_ROWS_MAX = 256 };

struct reference_row {
    const char *id, *content; /* the name of a category, the doc of a definition */
};
struct reference_rows {
    struct reference_row items[REFERENCE_ROWS_MAX];
    size_t count;
};

/* Reads those behind `after` that are not archived, in order of id, REFERENCE_PART at most; the
 * arena holds one at a time. ERR_OVERLOADED: a large arena has no memory for one. */
enum err catalog_reference_select(struct work *work, enum reference_kind kind, int64_t catalog,
                                  const char *after, struct arena *arena,
                                  void (*on_row)(void *arg, const char *id, struct str content),
                                  void *arg) MUST_CHECK;
/* Inserts rows that are new, or updates rows that there are. */
enum err catalog_reference_write(struct work *work, enum reference_kind kind, int64_t catalog,
                                 bool is_new, const struct reference_rows *rows) MUST_CHECK;
/* Brings back those of `rows` that are archived, and takes them off. */
enum err catalog_reference_bring_back(struct work *work, enum reference_kind kind, int64_t catalog,
                                      struct reference_rows *rows, size_t *ret_count) MUST_CHECK;
enum err catalog_reference_archive(struct work *work, enum reference_kind kind, int64_t catalog,
                                   const char *id) MUST_CHECK;
