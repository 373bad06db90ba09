/* Packages of ERPs are shown to people here. What tells what is wrong stands within 80 columns; a
 * terminal that is wider shows the rest. */
#include "app/admin/admin_show.h"
#include "domain/erp/erp.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"

#include <inttypes.h>

/* --- A list ----------------------------------------------------------------------------------- */

static const char *progress_cell(const struct erp_package *package, struct arena *arena)
{
    const char *status = erp_package_status_words[package->status];

    if (!package->progress) return status;
    return arena_printf(arena, "%s %" PRId64 "/%" PRId64, status, package->progress->rows_done,
                        package->progress->rows_all);
}

void show_packages(const struct admin_view *view)
{
    static const char *const heads[] = {"INTEGRATION", "EVENT_ID",     "TYPE",
                                        "STATUS",      "ERROR",        "RECEIVED",
                                        "ATTEMPTS",    "NEXT ATTEMPT", "BYTES"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct erp_package_list *list = view->value;
    const struct erp_package *rows = list->events.items;
    size_t count = list->events.count;
    size_t left_out = view->input->ids[0] ? 1 : 0; /* the integration, where one was named */
    size_t columns = COLUMNS - left_out;

    if (count == 0) {
        buf_text(view->out, "There is no such package.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * columns, sizeof(char *));
    memcpy(cells, heads + left_out, columns * sizeof(*heads));
    for (size_t i = 0; i < count; i++) {
        const char *row[COLUMNS];
        row[0] = rows[i].integration_name;
        row[1] = rows[i].event_id;
        row[2] = erp_package_type_words[rows[i].event_type];
        row[3] = progress_cell(&rows[i], view->arena);
        row[4] = rows[i].last_error;
        row[5] = show_short_time(rows[i].received_at, view->arena);
        row[6] = show_number(rows[i].attempts, view->arena);
        row[7] = show_short_time(rows[i].next_attempt_at, view->arena);
        row[8] = show_number(rows[i].body_length, view->arena);
        memcpy(cells + (i + 1) * columns, row + left_out, columns * sizeof(*row));
    }
    show_table(cells, columns, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are older ones: --cursor %s\n", list->next_cursor);
}

void show_refusals(const struct admin_view *view)
{
    static const char *const heads[] = {"REFUSED",    "TYPE",     "CODE", "FAULTS", "FIRST FAULT",
                                        "REQUEST_ID", "EVENT_ID", "MORE", "BYTES"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct erp_refused_list *list = view->value;
    const struct erp_refused *rows = list->refusals.items;
    size_t count = list->refusals.count;

    if (count == 0) {
        buf_text(view->out, "No package of it was refused.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        const struct erp_refusal_fault *fault = rows[i].faults.items;
        row[0] = show_short_time(rows[i].refused_at, view->arena);
        row[1] = erp_package_type_words[rows[i].event_type];
        row[2] = arena_printf(view->arena, "%" PRId64 " %s", rows[i].status, rows[i].code);
        row[3] = show_number((int64_t)rows[i].faults.count, view->arena);
        if (rows[i].faults.count > 0)
            row[4] = arena_printf(view->arena, "%s: %s", fault->loc, fault->message);
        row[5] = rows[i].request_id;
        row[6] = rows[i].event_id;
        row[7] = show_number(rows[i].more, view->arena);
        row[8] = rows[i].body_length >= 0 ? show_number(rows[i].body_length, view->arena) : NULL;
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are older ones: --cursor %s\n", list->next_cursor);
}

/* --- One -------------------------------------------------------------------------------------- */

static void show_result(const struct catalog_result *result, struct buf *out, struct arena *arena)
{
    const struct catalog_content_tally *contents[] = {result->products, result->categories};
    const struct catalog_offer_tally *offers[] = {result->prices, result->stocks};
    const char *cells[5][6] = {
        {"", "ADDED", "CHANGED", "UNCHANGED", "ARCHIVED", "SUPERSEDED"},
        {"products", [5] = ""},
        {"categories", [5] = ""},
        {"prices", "", [4] = ""},
        {"stocks", "", [4] = ""},
    };

    for (size_t i = 0; i < 2; i++) {
        const char **content = cells[1 + i], **offer = cells[3 + i];
        content[1] = show_number(contents[i]->added, arena);
        content[2] = show_number(contents[i]->changed, arena);
        content[3] = show_number(contents[i]->unchanged, arena);
        content[4] = show_number(contents[i]->archived, arena);
        offer[2] = show_number(offers[i]->changed, arena);
        offer[3] = show_number(offers[i]->unchanged, arena);
        offer[5] = show_number(offers[i]->superseded, arena);
    }
    buf_char(out, '\n');
    show_table(&cells[0][0], 6, 5, out);
}

static void show_errors(const struct record_list *errors, struct buf *out, struct arena *arena)
{
    static const char *const heads[] = {"LIST", "ROW", "PRODUCT", "VARIANT", "FAULT"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct catalog_row_fault *rows = errors->items;

    const char **cells = arena_array(arena, (errors->count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < errors->count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = rows[i].list;
        row[1] = show_number(rows[i].index, arena);
        row[2] = rows[i].product_id;
        row[3] = rows[i].variant_id;
        row[4] = rows[i].message;
    }
    buf_char(out, '\n');
    show_table(cells, COLUMNS, errors->count + 1, out);
}

static void show_warnings(const struct record_list *warnings, struct buf *out, struct arena *arena)
{
    const struct erp_warning *rows = warnings->items;

    buf_text(out, "\nWarnings, which refuse nothing:\n");
    for (size_t i = 0; i < warnings->count; i++) {
        struct show_lines lines = {.out = out, .indent = 2};
        const char *const *loc = rows[i].loc.items;
        show_words(&lines, arena_printf(arena, "%s, %" PRId64 " at",
                                        erp_warning_type_words[rows[i].type], rows[i].count));
        const char *place = "";
        for (size_t k = 1; k < rows[i].loc.count; k++) /* the first one is the body */
            place = arena_printf(arena, "%s%s%s", place, k > 1 ? "." : "", loc[k]);
        show_words(&lines, show_safe(str_of(arena_printf(arena, "%s:", place)), arena));
        show_words(&lines, show_safe(str_of(rows[i].msg), arena));
        buf_char(out, '\n');
    }
}

void show_package(const struct admin_view *view)
{
    const struct erp_package *package = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"event_id", package->event_id},
        {"integration", package->integration_name},
        {"event_type", erp_package_type_words[package->event_type]},
        {"environment", integration_environment_words[package->environment]},
        {"status", progress_cell(package, arena)},
        {"attempts", show_number(package->attempts, arena)},
        {"last_error", package->last_error},
        {"generated_at", show_wall_time(package->generated_at, arena)},
        {"received_at", show_time(package->received_at, arena)},
        {"processed_at", show_time(package->processed_at, arena)},
        {"next_attempt_at", show_time(package->next_attempt_at, arena)},
        {"receipt", show_number(package->receipt, arena)},
        {"bytes", show_number(package->body_length, arena)},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    if (package->result) show_result(package->result, view->out, arena);
    if (package->errors.count > 0) show_errors(&package->errors, view->out, arena);
    if (package->warnings.count > 0) show_warnings(&package->warnings, view->out, arena);
    if (package->last_error && strcmp(package->last_error, CATALOG_ARCHIVE_LIMIT) == 0)
        buf_printf(view->out,
                   "\nIf the products are to go, release it:\n"
                   "  herald admin packages release %s %s\n",
                   uuid_text(&package->integration_id, arena),
                   terminal_quote(package->event_id, arena));
}

/* --- What was done ---------------------------------------------------------------------------- */

void show_retried(const struct admin_view *view)
{
    buf_text(view->out, "If it had failed or was in retry, it is tried again now: `packages show` "
                        "tells what becomes of it.\n");
}

void show_released(const struct admin_view *view)
{
    buf_text(view->out, "Unless it is applied already, it is tried again now, however many "
                        "products it archives: `packages show` tells what becomes of it.\n");
}
