/* What the exchange store holds. */
#include "domain/find/find_db.h"
#include "domain/find/find_list.h"
#include "domain/integration/integration.h"
#include "domain/order/order.h"

/* By its name, its id or that of its point. */
static enum err find_integrations(struct work *work, const char *q, struct find_list *list)
{
    struct integration_filter filter = {.query = q, .is_enabled = -1, .limit = FIND_OF_KIND_MAX};
    struct integration_list found = {.next_cursor = NULL};
    enum err err = integration_list(work, &filter, &found);
    const struct integration *rows = found.integrations.items;

    for (size_t i = 0; !err && i < found.integrations.count; i++)
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

static enum err find_order(struct work *work, const char *q, struct find_list *list)
{
    struct order_delivery order;
    struct uuid id;

    if (!uuid_parse(str_of(q), &id)) return ERR_OK;
    enum err err = order_read(work, &id, &order);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    find_add(work, list,
             (struct find_result){.type = FOUND_ORDER,
                                  .id = uuid_text(&order.id, work->arena),
                                  .title = order.erp_number,
                                  .state = order_state_words[order.state],
                                  .at = order.created_at});
    return ERR_OK;
}

enum err find_in_exchange(struct work *work, const char *q, struct find_list *ret_list)
{
    struct find_list list = {.results = {NULL, 0}};

    enum err err = find_order(work, q, &list);
    if (!err) err = find_integrations(work, q, &list);
    if (!err) err = find_packages(work, q, &list);
    if (!err) *ret_list = list;
    return err;
}
