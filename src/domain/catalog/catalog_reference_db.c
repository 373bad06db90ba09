/* Statements on catalog_category and catalog_definition. */
#include "domain/catalog/catalog_reference_db.h"

#include "kit/db/rows.h"

/* $1 the catalog, $2 the id, $3 the content, $4 the time; of `archive` $3 the time. */
static const struct {
    const char *select, *insert, *update, *bring_back, *archive;
} statements[] = {
    [REFERENCE_CATEGORIES] =
        {
            .select = "SELECT id, name AS content FROM catalog_category"
                      " WHERE catalog = $1 AND id > $2 AND archived = 0 ORDER BY id LIMIT $3",
            .insert = "INSERT INTO catalog_category (catalog, id, name, archived, updated_at)"
                      " VALUES ($1, $2, $3, 0, $4)",
            .update = "UPDATE catalog_category SET name = $3, updated_at = $4"
                      " WHERE catalog = $1 AND id = $2",
            .bring_back = "UPDATE catalog_category SET name = $3, archived = 0, updated_at = $4"
                          " WHERE catalog = $1 AND id = $2 AND archived = 1",
            .archive = "UPDATE catalog_category SET archived = 1, updated_at = $3"
                       " WHERE catalog = $1 AND id = $2",
        },
    [REFERENCE_DEFINITIONS] =
        {
            .select = "SELECT id, doc AS content FROM catalog_definition"
                      " WHERE catalog = $1 AND id > $2 AND archived = 0 ORDER BY id LIMIT $3",
            .insert = "INSERT INTO catalog_definition (catalog, id, doc, archived, updated_at)"
                      " VALUES ($1, $2, $3, 0, $4)",
            .update = "UPDATE catalog_definition SET doc = $3, updated_at = $4"
                      " WHERE catalog = $1 AND id = $2",
            .bring_back = "UPDATE catalog_definition SET doc = $3, archived = 0, updated_at = $4"
                          " WHERE catalog = $1 AND id = $2 AND archived = 1",
            .archive = "UPDATE catalog_definition SET archived = 1, updated_at = $3"
                       " WHERE catalog = $1 AND id = $2",
        },
};

enum err catalog_reference_select(struct work *work, enum reference_kind kind, int64_t catalog,
                                  const char *after, struct arena *arena,
                                  void (*on_row)(void *arg, const char *id, struct str content),
                                  void *arg)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, statements[kind].select,
                 DB_ARGS(db_int(catalog), db_text(after), db_int(REFERENCE_PART)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        struct arena_mark mark = arena_mark(arena);
        const char *id = db_get_text(stmt, "id", arena);
        const char *content = db_get_text(stmt, "content", arena);
        if (!id || !content) return ERR_OVERLOADED;
        on_row(arg, id, str_of(content));
        arena_rewind(arena, mark);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* `ret_changed` (may be NULL): what the statement changed for each of the rows. */
static enum err write_all(struct work *work, const char *sql, int64_t catalog,
                          const struct reference_rows *rows, int64_t *ret_changed)
{
    struct arena_mark mark = arena_mark(work->arena);
    struct db_rows written = {work->tx, work->arena, sql, REFERENCE_ROWS_MAX,
                              .changed = ret_changed};
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < rows->count; i++)
        err = db_rows_add(&written, DB_ARGS(db_int(catalog), db_text(rows->items[i].id),
                                            db_text(rows->items[i].content), db_int(work->now_ms)));
    if (!err) err = db_rows_run(&written);
    arena_rewind(work->arena, mark);
    return err;
}

enum err catalog_reference_write(struct work *work, enum reference_kind kind, int64_t catalog,
                                 bool is_new, const struct reference_rows *rows)
{
    const char *sql = is_new ? statements[kind].insert : statements[kind].update;
    return write_all(work, sql, catalog, rows, NULL);
}

enum err catalog_reference_bring_back(struct work *work, enum reference_kind kind, int64_t catalog,
                                      struct reference_rows *rows, size_t *ret_count)
{
    int64_t changed[REFERENCE_ROWS_MAX] = {0};
    enum err err = write_all(work, statements[kind].bring_back, catalog, rows, changed);
    if (err) return err;

    size_t left = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (changed[i] == 0) rows->items[left++] = rows->items[i];
    }
    *ret_count = rows->count - left;
    rows->count = left;
    return ERR_OK;
}

enum err catalog_reference_archive(struct work *work, enum reference_kind kind, int64_t catalog,
                                   const char *id)
{
    return db_exec_later(work->tx, statements[kind].archive,
                         DB_ARGS(db_int(catalog), db_text(id), db_int(work->now_ms)));
}
