/*
 * The columns of a table are told once: which ones a statement selects, and into which member of a
 * struct each one is read. They are a macro, a row a column:
 *
 *     #define PHONE_ROW(FIRST, NEXT)            \
 *         FIRST(d.id, id, UUID)                 \
 *         NEXT(d.is_enabled, enabled, BOOL)     \
 *         NEXT(d.state, state, WORD(phone_state_words))
 *     #define PHONE_COLUMNS COLUMNS(PHONE_ROW)
 *     COLUMNS_READER(read_columns, struct phone *, PHONE_ROW)
 */
#pragma once

#include "core/words.h"
#include "core/work.h"

/* The text that a statement lists them with: "d.id, d.is_enabled, d.state". */
#define COLUMNS(columns)                        columns(COLUMN_FIRST_NAME, COLUMN_NEXT_NAME)
#define COLUMN_FIRST_NAME(column, member, kind) #column
#define COLUMN_NEXT_NAME(column, member, kind)  ", " #column

/* Defines a function that reads them into the struct that `pointer_type` points to, whose other
 * members it leaves. It returns false if a word is none of its list: a later version of herald
 * wrote the row. Texts and blobs are copied into the arena of the unit of work. */
/* clang-format off */
#define COLUMNS_READER(function, pointer_type, columns)                             \
    static bool function(struct work *work, struct db_stmt *stmt, pointer_type row) \
    {                                                                               \
        struct column_reader reader = {work, stmt, NULL, true};                     \
        columns(COLUMN_READ, COLUMN_READ)                                           \
        return reader.is_known;                                                     \
    }
/* clang-format on */
#define COLUMN_READ(column, member, kind) \
    reader.name = column_name(#column);   \
    row->member = COLUMN_##kind;

/* These are the kinds, with what stands for NULL. */
#define COLUMN_UUID         db_get_uuid(reader.stmt, reader.name)                     /* nil */
#define COLUMN_TEXT         db_get_text(reader.stmt, reader.name, reader.work->arena) /* NULL */
#define COLUMN_BLOB         db_get_blob(reader.stmt, reader.name, reader.work->arena) /* no data */
#define COLUMN_INT          db_get_int(reader.stmt, reader.name)                      /* 0 */
#define COLUMN_INT_OR(none) (COLUMN_IS_THERE ? COLUMN_INT : (none))
#define COLUMN_BOOL         (COLUMN_INT != 0) /* false */
#define COLUMN_TRISTATE     (COLUMN_IS_THERE ? COLUMN_BOOL : -1)
#define COLUMN_IS_THERE     (!db_get_null(reader.stmt, reader.name))
#define COLUMN_WORD(words)  column_word(&reader, (words)) /* not known */

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

static inline int column_word(struct column_reader *reader, const char *const *words)
{
    int index = word_index(words, db_get_text(reader->stmt, reader->name, reader->work->arena));
    reader->is_known &= index >= 0;
    return index;
}
