/* Things of the exchange store are found here. */
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

static enum err find_orders_of(struct work *work, const char *number, struct find_list *list)
{
    struct order_filter filter = {.search = {.number = number, .page.limit = FIND_OF_KIND_MAX},
                                  .state = -1};
    struct order_list found;
    enum err err = order_list(work, &filter, &found);
    const struct order_delivery *rows = found.orders.items;

    for (size_t i = 0; !err && i < found.orders.count; i++)
        find_add(work, list,
                 (struct find_result){.type = FOUND_ORDER,
                                      .id = uuid_text(&rows[i].id, work->arena),
                                      .title = rows[i].erp_number,
                                      .state = order_state_words[rows[i].state],
                                      .at = rows[i].created_at});
    return err;
}

enum err find_in_exchange(struct work *work, const char *q, struct find_list *list)
{
    bool is_number = format_spelled_phone.is_valid(str_of(q));
    enum err err = is_number ? find_orders_of(work, q, list) : find_integrations(work, q, list);
    return err ? err : find_by_key(work, q, list);
}
