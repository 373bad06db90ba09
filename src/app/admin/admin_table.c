/* Cells become a table. Facts are a table of two columns, a name and a value. */
#include "app/admin/admin_show.h"
#include "kit/base/clock.h"
#include "kit/base/terminal.h"

#include <unistd.h>

enum {
    GAP = 2,
    COLUMNS_MAX = 9,
    ESCAPED_LEN = 6,
    CELL_WIDTH_MIN = 12, /* no column is made narrower to let the table fit */
    ID_WIDTH_MAX = 48,   /* an id of others that is longer gives as any text does */
    FACT_COLUMNS = 2,
    LINE_MAX_BYTES = 64 * 1024,
};

struct table {
    const char **cells; /* as they are shown */
    size_t column_count, cell_count;
    size_t widths[COLUMNS_MAX];
    bool are_kept[COLUMNS_MAX]; /* holds ids or types, of which a part would be of no use */
};

/* Returns the cell as it is shown. */
static const char *make_cell(const char *cell, struct arena *arena)
{
    AUTO_BUF text = {0};

    buf_init(&text, cell ? ESCAPED_LEN * strlen(cell) : 0);
    if (!cell) return "-";
    terminal_escape(str_of(cell), "", &text);
    return arena_str(arena, buf_view(&text));
}

static bool is_kept_by_head(const char *head)
{
    size_t len = strlen(head);
    return len >= 2 && (strcmp(head + len - 2, "ID") == 0 || strcmp(head, "TYPE") == 0);
}

static void measure(struct table *table)
{
    struct uuid id;

    memset(table->widths, 0, sizeof(table->widths));
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        struct str cell = str_of(table->cells[i]);
        size_t width = terminal_width(cell);
        if (width > table->widths[column]) table->widths[column] = width;
        if (uuid_parse(cell, &id)) table->are_kept[column] = true;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        bool is_short = table->widths[i] <= ID_WIDTH_MAX;
        if (is_short && is_kept_by_head(table->cells[i])) table->are_kept[i] = true;
    }
}

static void make_cells(const char *const *cells, struct table *table, struct arena *arena)
{
    table->cells = arena_array(arena, table->cell_count, sizeof(*table->cells));
    for (size_t i = 0; i < table->cell_count; i++)
        table->cells[i] = make_cell(cells[i], arena);
    measure(table);
}

static size_t width_at_least(const struct table *table, size_t column)
{
    bool may_give = !table->are_kept[column] && table->widths[column] > CELL_WIDTH_MIN;
    return may_give ? CELL_WIDTH_MIN : table->widths[column];
}

/* Returns how many columns, from the first on, can be seen: where the last ones have no room
 * whatever the others give, those need not give for them. */
static size_t count_seen(const struct table *table, size_t columns)
{
    size_t seen = 0, total = 0;

    while (seen < table->column_count) {
        total += width_at_least(table, seen) + (seen > 0 ? GAP : 0);
        if (total > columns && seen > 0) break;
        seen++;
    }
    return seen;
}

/* Behind columns that are seen, but are not all, the line ends with a mark. */
static size_t total_width(const struct table *table, size_t seen)
{
    size_t total = GAP * (seen < table->column_count ? seen : seen - 1);

    for (size_t i = 0; i < seen; i++)
        total += table->widths[i];
    return total;
}

/* Shows 2026-11-28T16:10:05.828Z as 2026-11-28 16:10, of which a part would be of no use. */
static void shorten_times(struct table *table, struct arena *arena)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        const char *cell = table->cells[i];
        bool is_time = strlen(cell) == CLOCK_TEXT_LEN && cell[4] == '-' && cell[7] == '-' &&
                       cell[10] == 'T' && cell[13] == ':' && cell[CLOCK_TEXT_LEN - 1] == 'Z';
        if (!is_time) continue;
        table->cells[i] = arena_printf(arena, "%.10s %.5s", cell, cell + 11);
        table->are_kept[i % table->column_count] = true;
    }
    measure(table);
}

/* Times give their seconds first, then the widest column gives. */
static void fit(struct table *table, size_t columns, struct arena *arena)
{
    if (total_width(table, table->column_count) > columns) shorten_times(table, arena);
    size_t seen = count_seen(table, columns);
    for (size_t total = total_width(table, seen); total > columns; total--) {
        size_t *widest = NULL;
        for (size_t i = 0; i < seen; i++) {
            bool may_give = !table->are_kept[i] && table->widths[i] > CELL_WIDTH_MIN;
            if (may_give && (!widest || table->widths[i] > *widest)) widest = &table->widths[i];
        }
        if (!widest) return;
        *widest -= 1;
    }
}

/* The last cell needs no blanks behind it, and may be as long as it is unless the table is cut. */
static void print_row(const struct table *table, size_t first, bool is_cut, struct buf *line)
{
    for (size_t column = 0; column < table->column_count; column++) {
        struct str cell = str_of(table->cells[first + column]);
        size_t from = line->len;
        terminal_cut(cell, is_cut ? table->widths[column] : SIZE_MAX, line);
        size_t width = terminal_width((struct str){line->data + from, line->len - from});
        if (column < table->column_count - 1)
            buf_printf(line, "%*s", (int)(table->widths[column] - width + GAP), "");
    }
    while (line->len > 0 && line->data[line->len - 1] == ' ')
        line->len--;
}

void show_table_within(const char *const *cells, size_t column_count, size_t row_count,
                       size_t columns, struct buf *out)
{
    struct table table = {.column_count = column_count, .cell_count = row_count * column_count};
    bool is_cut = columns > 0 && column_count > FACT_COLUMNS;
    struct arena arena;
    assert(column_count <= COLUMNS_MAX);

    arena_init(&arena);
    make_cells(cells, &table, &arena);
    if (is_cut) fit(&table, columns, &arena);
    for (size_t i = 0; i < table.cell_count; i += column_count) {
        AUTO_BUF line = {0};
        buf_init(&line, LINE_MAX_BYTES);
        print_row(&table, i, is_cut, &line);
        terminal_cut(buf_view(&line), is_cut ? columns : SIZE_MAX, out);
        buf_char(out, '\n');
    }
    arena_done(&arena);
}

void show_table(const char *const *cells, size_t column_count, size_t row_count, struct buf *out)
{
    show_table_within(cells, column_count, row_count, terminal_columns(STDOUT_FILENO), out);
}
