/*
 * The columns of a table are told once: which ones a statement selects, and into which member of a
 * struct each one is read. They are a macro, a row a column:
 *
 *     #define PHONE_ROW(FIRST, NEXT)            \
 *         FIRST(d.id, id, UUID)                 \
 *         NEXT(d.is_enabled, enabled, BOOL)     \
 *         NEXT(d.state, state, WORD(phone_state_words))
 *     #define PHONE_COLUMNS COLUMNS(PHONE_ROW)
 *     COLUMNS_READER(read_columns, struct phone, PHONE_ROW)
 *
 * A column that is NULL is read as NULL, 0, false or an uuid of zeros. Texts and blobs are copied
 * into the arena of the unit of work.
 */
#pragma once

#include "core/words.h"
#include "core/work.h"

/* The text that a statement lists them with: "d.id, d.is_enabled, d.state". */
#define COLUMNS(row)                            row(COLUMN_FIRST_NAME, COLUMN_NEXT_NAME)
#define COLUMN_FIRST_NAME(column, member, kind) #column
#define COLUMN_NEXT_NAME(column, member, kind)  ", " #column

/* Defines a function that reads them into `row`, whose other members it leaves. It returns false if
 * a word is none of its list: a later version of herald wrote the row. */
#define COLUMNS_READER(function, type, columns)                              \
    static bool function(struct work *work, struct db_stmt *stmt, type *row) \
    {                                                                        \
        struct column_reader column = {work, stmt, NULL, true};              \
        columns(COLUMN_READ, COLUMN_READ) return column.is_known;            \
    }
#define COLUMN_READ(name_of, member, kind) \
    column.name = column_name(#name_of);   \
    row->member = COLUMN_##kind;

/* The kinds: */
#define COLUMN_UUID db_get_uuid(column.stmt, column.name)
#define COLUMN_TEXT db_get_text(column.stmt, column.name, column.work->arena)
#define COLUMN_BLOB db_get_blob(column.stmt, column.name, column.work->arena)
#define COLUMN_INT  db_get_int(column.stmt, column.name)
#define COLUMN_INT_OR(none) \
    (db_get_null(column.stmt, column.name) ? (none) : db_get_int(column.stmt, column.name))
#define COLUMN_BOOL       (db_get_int(column.stmt, column.name) != 0)
#define COLUMN_TRISTATE   (db_get_null(column.stmt, column.name) ? -1 : COLUMN_BOOL) /* -1: NULL */
#define COLUMN_IS_THERE   (!db_get_null(column.stmt, column.name))
#define COLUMN_WORD(list) column_word(&column, (list))

struct column_reader {
    struct work *work;
    struct db_stmt *stmt;
    const char *name; /* of the column that is read */
    bool is_known;
};

/* The answer names it without its table. */
static inline const char *column_name(const char *text)
{
    const char *dot = strchr(text, '.');
    return dot ? dot + 1 : text;
}

static inline int column_word(struct column_reader *column, const char *const *words)
{
    int index = word_index(words, db_get_text(column->stmt, column->name, column->work->arena));
    column->is_known &= index >= 0;
    return index;
}
