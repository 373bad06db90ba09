/* What the exchange store holds. */
#include "domain/find/find_db.h"
#include "domain/find/find_list.h"
#include "domain/integration/integration.h"
#include "domain/order/order.h"

/* By its name, its id or that of its point. */
static enum err find_integrations(struct work *work, const char *q, struct find_list *list)
{
    struct record_list found = {NULL, 0};
    enum err err = integration_find(work, q, FIND_OF_KIND_MAX, &found);
    const struct integration *rows = found.items;

    for (size_t i = 0; !err && i < found.count; i++)
        find_add(work, list,
                 (struct find_result){.type = FOUND_INTEGRATION,
                                      .id = uuid_text(&rows[i].id, work->arena),
                                      .title = rows[i].name,
                                      .state = rows[i].enabled ? "enabled" : "disabled",
                                      .at = rows[i].created_at});
    return err;
}

static enum err find_packages(struct work *work, const char *q, struct find_list *list)
{
    struct record_list found = {NULL, 0};
    enum err err = find_select_packages(work, q, &found);
    const struct find_result *rows = found.items;

    for (size_t i = 0; !err && i < found.count; i++)
        find_add(work, list, rows[i]);
    return err;
}

static void add_order(struct work *work, struct find_list *list, const struct order_delivery *order)
{
    find_add(work, list,
             (struct find_result){.type = FOUND_ORDER,
                                  .id = uuid_text(&order->id, work->arena),
                                  .title = order->erp_number,
                                  .state = order_state_words[order->state],
                                  .at = order->created_at});
}

static enum err find_order(struct work *work, const struct uuid *id, struct find_list *list)
{
    struct order_delivery order;
    enum err err = order_read(work, id, &order);
    if (!err) add_order(work, list, &order);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err find_orders_of(struct work *work, const char *number, struct find_list *list)
{
    struct order_filter filter = {.search = {.number = number, .page.limit = FIND_OF_KIND_MAX},
                                  .state = -1};
    struct order_list found;
    enum err err = order_list(work, &filter, &found);
    const struct order_delivery *rows = found.orders.items;

    for (size_t i = 0; !err && i < found.orders.count; i++)
        add_order(work, list, &rows[i]);
    return err;
}

enum err find_in_exchange(struct work *work, const char *q, struct find_list *list)
{
    bool is_number = format_spelled_phone.is_valid(str_of(q));
    struct uuid id;

    enum err err = is_number ? find_orders_of(work, q, list) : find_integrations(work, q, list);
    if (!err && uuid_parse(str_of(q), &id)) err = find_order(work, &id, list);
    return err ? err : find_packages(work, q, list);
}
