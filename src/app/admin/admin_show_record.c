/* Any answer can be shown by the table of its record: a record as facts, a list as a table. Answers
 * that people read every day have a function of their own. */
#include "app/admin/admin_show.h"
#include "kit/json/record_value.h"

#include <ctype.h>
#include <inttypes.h>

enum { COLUMNS_MAX = 9, DEPTH_MAX = 3, NESTED_MAX = 8 };

/* --- Cells ------------------------------------------------------------------------------------ */

static const char *strings_cell(const struct record_list *list, struct arena *arena)
{
    const char *const *items = list->items;
    const char *text = list->count > 0 ? items[0] : NULL;

    for (size_t i = 1; i < list->count; i++)
        text = arena_printf(arena, "%s, %s", text, items[i]);
    return text;
}

/* Returns what a field holds, in the arena; NULL: nothing. */
static const char *cell_of(const struct field *field, const void *slot, struct arena *arena)
{
    if (field_is_absent(field, slot)) return NULL;
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_WORD:
    case FIELD_DECIMAL:
    case FIELD_MAP:
        return *(const char *const *)slot;
    case FIELD_STRING_OR_INTEGER:
        return ((const struct string_or_integer *)slot)->text;
    case FIELD_SCALAR:
        return ((const struct scalar *)slot)->text;
    case FIELD_INTEGER:
        return arena_printf(arena, "%" PRId64, *(const int64_t *)slot);
    case FIELD_BOOLEAN:
        return *(const bool *)slot ? "yes" : "no";
    case FIELD_TRISTATE:
        return *(const int *)slot > 0 ? "yes" : "no";
    case FIELD_TIME:
        return field->flags & FIELD_WALL ? show_wall_time(*(const int64_t *)slot, arena)
                                         : show_time(*(const int64_t *)slot, arena);
    case FIELD_UUID:
        return uuid_text(slot, arena);
    case FIELD_ENUM:
        return field->words[*(const int *)slot];
    case FIELD_STRINGS:
        return strings_cell(slot, arena);
    case FIELD_OBJECT:
        return arena_str(arena, *(const struct str *)slot);
    case FIELD_RECORDS:
        return arena_printf(arena, "%zu", ((const struct record_list *)slot)->count);
    case FIELD_RECORD:
        break;
    }
    return NULL;
}

/* --- A list ----------------------------------------------------------------------------------- */

/* Returns the next field that `columns` names, and goes on behind it; NULL: that was all. */
static const struct field *next_column(const struct record *record, const char **columns)
{
    struct str name = {*columns, strcspn(*columns, " ")};
    if (name.len == 0) return NULL;
    *columns += name.len;
    *columns += **columns == ' ';
    const struct field *field = record_find(record, name);
    assert(field); /* the table of commands names it */
    return field;
}

/* Chooses the fields that are shown of an item. */
static size_t choose_columns(const struct record *record, const char *columns,
                             const struct field **ret_fields)
{
    const struct field *field;
    size_t count = 0;

    while (columns && count < COLUMNS_MAX && (field = next_column(record, &columns)))
        ret_fields[count++] = field;
    for (size_t i = 0; !columns && i < record->field_count && count < COLUMNS_MAX; i++) {
        if (record->fields[i].type != FIELD_RECORD) ret_fields[count++] = &record->fields[i];
    }
    return count;
}

static const char *head_of(const struct field *field, struct arena *arena)
{
    char *head = arena_text(arena, field->name);

    for (char *p = head; *p; p++)
        *p = (char)(*p == '_' ? ' ' : toupper((unsigned char)*p));
    return head;
}

/* Shows a row for each item, with those of its fields that `columns` names; NULL: the first ones
 * that are no records. */
static void show_items(const struct record *record, const struct record_list *list,
                       const char *columns, struct arena *arena, struct buf *out)
{
    const struct field *shown[COLUMNS_MAX];
    size_t count = choose_columns(record, columns, shown);
    const char **cells = arena_array(arena, (list->count + 1) * count, sizeof(char *));
    for (size_t column = 0; column < count; column++) {
        const char *item = list->items;
        cells[column] = head_of(shown[column], arena);
        for (size_t i = 1; i <= list->count; i++, item += record->size)
            cells[i * count + column] = cell_of(shown[column], item + shown[column]->offset, arena);
    }
    show_table(cells, count, list->count + 1, out);
}

/* --- A record --------------------------------------------------------------------------------- */

/* Facts are gathered from a record and those within it; lists of records come behind them. */
struct facts {
    const char **cells;
    size_t count;
    struct {
        const struct field *field;
        const struct record_list *list;
    } lists[NESTED_MAX];
    size_t list_count;
    struct arena *arena;
};

enum { FACTS_MAX = 128 };

static void gather(struct facts *facts, const struct record *record, const char *value,
                   const char *prefix, int depth)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        const void *slot = value + field->offset;
        const char *name = arena_printf(facts->arena, "%s%s", prefix, field->name);
        bool has_items = field->type == FIELD_RECORDS && !field_is_absent(field, slot) &&
                         ((const struct record_list *)slot)->count > 0;
        if (has_items && facts->list_count < NESTED_MAX) {
            facts->lists[facts->list_count].field = field;
            facts->lists[facts->list_count++].list = slot;
            continue;
        }
        if (field->type == FIELD_RECORD && !field_is_absent(field, slot) && depth < DEPTH_MAX) {
            gather(facts, field->record, *(const char *const *)slot,
                   arena_printf(facts->arena, "%s ", name), depth + 1);
            continue;
        }
        if (facts->count == FACTS_MAX) return;
        facts->cells[2 * facts->count] = name;
        facts->cells[2 * facts->count++ + 1] = cell_of(field, slot, facts->arena);
    }
}

static void show_facts(const struct admin_view *view, const struct record *record)
{
    struct facts facts = {
        .cells = arena_array(view->arena, 2 * FACTS_MAX, sizeof(char *)),
        .arena = view->arena,
    };

    gather(&facts, record, view->value, "", 0);
    show_table(facts.cells, 2, facts.count, view->out);
    for (size_t i = 0; i < facts.list_count; i++) {
        const struct field *field = facts.lists[i].field;
        buf_printf(view->out, "\n%s\n", field->name);
        show_items(field->record, facts.lists[i].list, NULL, view->arena, view->out);
    }
}

/* Returns the field of a record that is a list: its first one is of records, and behind it there is
 * a cursor at most. */
static const struct field *list_of(const struct record *record)
{
    const struct field *first = &record->fields[0];
    bool is_list = first->type == FIELD_RECORDS && record->field_count <= 2;
    return is_list ? first : NULL;
}

void show_record(const struct admin_view *view)
{
    const struct record *record = view->input->route->reply;
    const struct field *items = list_of(record), *cursor = record_find(record, STR("next_cursor"));

    if (!items) {
        show_facts(view, record);
        return;
    }
    const struct record_list *list = (const void *)((const char *)view->value + items->offset);
    if (list->count == 0) {
        buf_text(view->out, "There is none.\n");
        return;
    }
    show_items(items->record, list, view->input->command->columns, view->arena, view->out);
    const char *next =
        cursor ? *(const char *const *)((const char *)view->value + cursor->offset) : NULL;
    if (next) buf_printf(view->out, "\nThere are more: --cursor %s\n", next);
}
