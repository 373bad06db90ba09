/* Orders are shown to people here. */
#include "app/admin/admin_show.h"
#include "domain/order/order.h"
#include "kit/base/macros.h"

/* An order whose lane is shut waits, whatever its own times say. */
static const char *state_cell(const struct order_delivery *order)
{
    return order->circuit ? "waits for its ERP" : order_state_words[order->state];
}

void show_orders(const struct admin_view *view)
{
    static const char *const heads[] = {"ORDER",    "INTEGRATION",  "STATE",      "CREATED",
                                        "ATTEMPTS", "NEXT ATTEMPT", "ERP NUMBER", "ERROR"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct order_list *list = view->value;
    const struct order_delivery *rows = list->orders.items;
    size_t count = list->orders.count;

    if (count == 0) {
        buf_text(view->out, "There is no such order.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = uuid_text(&rows[i].id, view->arena);
        row[1] = rows[i].integration_name;
        row[2] = state_cell(&rows[i]);
        row[3] = show_time(rows[i].created_at, view->arena);
        row[4] = show_number(rows[i].attempts, view->arena);
        row[5] = show_time(rows[i].next_attempt_at, view->arena);
        row[6] = rows[i].erp_number;
        row[7] = rows[i].last_error;
        if (rows[i].circuit) row[7] = show_circuit(rows[i].circuit, view->arena);
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are older ones: --cursor %s\n", list->next_cursor);
}

void show_order(const struct admin_view *view)
{
    const struct order_delivery *order = view->value;
    const struct order_products *known = order->known_products;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"id", uuid_text(&order->id, arena)},
        {"integration_id", uuid_text(&order->integration_id, arena)},
        {"integration", order->integration_name},
        {"order_id", uuid_text(&order->order_id, arena)},
        {"environment", integration_environment_words[order->environment]},
        {"state", state_cell(order)},
        {"attempts", show_number(order->attempts, arena)},
        {"next_attempt_at", show_time(order->next_attempt_at, arena)},
        {"erp_order_id", order->erp_order_id},
        {"erp_number", order->erp_number},
        {"last_error", order->last_error},
        {"circuit", order->circuit ? show_circuit(order->circuit, arena) : NULL},
        {"known products",
         known ? arena_printf(arena, "%lld of %lld", (long long)known->known, (long long)known->of)
               : NULL},
        {"created_at", show_time(order->created_at, arena)},
        {"updated_at", show_time(order->updated_at, arena)},
        {"metadata", order->metadata},
        {"customer", order->customer ? order->customer->name : NULL},
        {"phone", order->customer ? order->customer->phone : NULL},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells) - (order->customer ? 0 : 2), view->out);
}

void show_attempts(const struct admin_view *view)
{
    static const char *const heads[] = {"ATTEMPT", "STARTED", "MS", "STATUS", "OUTCOME", "ERROR"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct order_attempt_list *list = view->value;
    const struct order_attempt *rows = list->attempts.items;
    size_t count = list->attempts.count;

    if (count == 0) {
        buf_text(view->out, "There is no attempt.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = show_number(rows[i].attempt, view->arena);
        row[1] = show_time(rows[i].started_at, view->arena);
        row[2] = show_number(rows[i].duration_ms, view->arena);
        row[3] = rows[i].status > 0 ? show_number(rows[i].status, view->arena) : NULL;
        row[4] = order_outcome_words[rows[i].outcome];
        row[5] = rows[i].error;
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are later ones: --cursor %s\n", list->next_cursor);
}

void show_order_retried(const struct admin_view *view)
{
    buf_text(view->out, "If it had failed or was queued, it is due now: `orders show` tells what "
                        "becomes of it.\n");
}
