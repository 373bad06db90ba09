/*
 * Orders are taken, and asked about. Before the commit an order is not there; after it, its
 * delivery ends with the ERP's word, or after 72 hours. Unique keys see to it that one id is one
 * order of its integration: of two at one moment, the second finds the first and is compared with
 * it.
 */
#include "domain/order/order.h"

#include "core/audit.h"
#include "core/event.h"
#include "core/personal.h"
#include "core/phone.h"
#include "domain/order/order_body.h"
#include "domain/order/order_db.h"

/* --- Taking ----------------------------------------------------------------------------------- */

static enum err check_target(const struct integration *integration, const struct order *order,
                             struct record_fault *ret_fault)
{
    if (!integration->enabled) {
        *ret_fault = (struct record_fault){"integration_id", "This integration is disabled."};
        return ERR_VALIDATION;
    }
    if (!uuid_equal(&order->point_id, &integration->point_id)) {
        *ret_fault =
            (struct record_fault){"order.point_id", "Must be the point_id of the integration."};
        return ERR_VALIDATION;
    }
    return ERR_OK;
}

/* Answers for an order of this integration with this id that may be there already: ERR_NOT_FOUND,
 * or whether it is the same. */
static enum err take_again(struct work *work, const struct order_delivery *delivery,
                           const uint8_t fingerprint[static SECRET_HASH_LEN],
                           struct order_delivery *ret_delivery)
{
    bool is_same;

    enum err err = order_select_same(work, &delivery->integration_id, &delivery->order_id,
                                     fingerprint, ret_delivery, &is_same);
    if (err) return err;
    return is_same ? ERR_OK : ERR_ORDER_CONFLICT;
}

static enum err take_new(struct work *work, const struct order_delivery *delivery, const char *body)
{
    struct str sealed;
    enum err err =
        work_seal(work, SEALED_ORDER_BODY, uuid_view(&delivery->id), str_of(body), &sealed);
    if (!err) err = order_body_insert(work, &delivery->id, sealed);
    if (!err) err = order_lane_insert(work, &delivery->integration_id);
    if (err) return err;
    db_notify(work->tx, ORDER_TOPIC);
    work_note(work, LOG_INFO, "order queued",
              LOG_FIELDS(log_uuid("order_id", &delivery->id),
                         log_integration(&delivery->integration_id)));
    return ERR_OK;
}

/* An order of another integration may have the same id; then the row of this one has `resource_id`
 * for its key. But a worker of herald 0.5.0 sends the key of the row as the order's
 * Idempotency-Key, so that the ERP could be asked for two documents. While such a worker may run
 * beside, the order is refused, as 0.5.0 refuses it. */
static enum err insert(struct work *work, const struct uuid *resource_id,
                       const struct order_delivery *delivery, const struct order_text *text,
                       struct order_delivery *ret_delivery)
{
    struct order_delivery made = *delivery;
    bool is_new;

    enum err err = order_insert(work, &made, text, &is_new);
    if (!err && !is_new) {
        err = take_again(work, &made, text->fingerprint, ret_delivery);
        if (err != ERR_NOT_FOUND) return err;
        if (!vault_forms(work->service->vault).writes_form_2) return ERR_ORDER_CONFLICT;
        made.id = *resource_id;
        err = order_insert(work, &made, text, &is_new);
        if (!err && !is_new) return take_again(work, &made, text->fingerprint, ret_delivery);
    }
    if (err) return err;
    *ret_delivery = made;
    return take_new(work, &made, text->body);
}

/* By this hash the orders of a customer are found who asks to be forgotten. */
static void hash_customer(const struct work *work, const struct order *order,
                          struct order_text *text)
{
    const struct order_customer *customer = order->customer;
    char phone[PHONE_MAX + 1];

    text->has_customer = customer && customer->phone && phone_read(str_of(customer->phone), phone);
    if (text->has_customer) personal_hash(work, phone, text->customer);
}

/* Only a new order has to fit its target; one that was taken is answered as before. */
static enum err take(struct work *work, const struct uuid *resource_id,
                     const struct integration *integration, const struct order *order,
                     const char *metadata, struct order_delivery *ret_delivery,
                     struct record_fault *ret_fault)
{
    struct order_text text = {.body = order_body_write(order, work->arena)};
    struct order_delivery delivery = {
        .id = order->id,
        .integration_id = integration->id,
        .order_id = order->id,
        .environment = integration->environment,
        .integration_name = integration->name,
        .state = ORDER_QUEUED,
        .next_attempt_at = work->now_ms,
        .created_at = work->now_ms,
        .updated_at = work->now_ms,
        .metadata = metadata,
    };

    order_body_fingerprint(work->service->vault, text.body, metadata, work->arena,
                           text.fingerprint);
    hash_customer(work, order, &text);
    text.product_ids = order_body_products(order, work->arena, &text.product_count);
    enum err unfit = check_target(integration, order, ret_fault);
    if (!unfit) return insert(work, resource_id, &delivery, &text, ret_delivery);
    enum err err = take_again(work, &delivery, text.fingerprint, ret_delivery);
    return err == ERR_NOT_FOUND ? unfit : err;
}

enum err order_create(struct work *work, const struct uuid *resource_id,
                      const struct order_input *input, struct order_delivery *ret_delivery,
                      struct record_fault *ret_fault)
{
    struct order order = *input->order;
    struct integration integration;

    if (uuid_is_nil(&order.id)) order.id = *resource_id;
    enum err err = integration_read(work, &input->integration_id, &integration);
    if (err == ERR_NOT_FOUND) return ERR_INTEGRATION_NOT_FOUND;
    return err ? err
               : take(work, resource_id, &integration, &order, input->metadata, ret_delivery,
                      ret_fault);
}

/* --- Asking ----------------------------------------------------------------------------------- */

static const struct page_key by_time = PAGE_BY_NUMBER_AND_ID(struct order_delivery, created_at, id);

/* Orders are read in order of time, so that the first one that is too old ends the list. */
static void drop_older(int64_t since_ms, struct record_list *orders)
{
    const struct order_delivery *rows = orders->items;

    if (since_ms == 0) return;
    while (orders->count > 0 && rows[orders->count - 1].created_at < since_ms)
        orders->count--;
}

static enum err list_by_time(struct work *work, const struct order_filter *filter,
                             struct order_list *list)
{
    const struct search_query *query = &filter->search;
    struct page_place before = {.number = INT64_MAX};

    enum err err = page_begin(query->page.cursor, &by_time, &before);
    if (err) return err;
    bool ends_earlier = query->until != 0 && query->until <= before.number;
    if (ends_earlier) before = (struct page_place){.number = query->until};
    err = order_select_page(work, filter, &before, query->page.limit + 1, &list->orders);
    if (err) return err;
    drop_older(query->since, &list->orders);
    list->next_cursor = page_end(query->page.limit, &by_time, &list->orders, work->arena);
    return ERR_OK;
}

static enum err list_of_customer(struct work *work, const struct order_filter *filter,
                                 struct order_list *list)
{
    bool has_filter = filter->state >= 0 || !uuid_is_nil(&filter->integration_id);
    int64_t limit = filter->search.page.limit;
    uint8_t customer[SECRET_HASH_LEN];
    struct search search;

    enum err err = search_begin(&filter->search, has_filter, work->arena, &search);
    if (err) return err;
    personal_hash(work, search.number, customer);
    search.hash = (struct str){(const char *)customer, sizeof(customer)};
    err = order_cut_search(work, &search);
    if (!err) err = order_select_page_of(work, filter, &search, limit + 1, &list->orders);
    if (err) return err;
    list->next_cursor = search_end(&search, limit, &by_time, &list->orders, work->arena);
    return ERR_OK;
}

enum err order_list(struct work *work, const struct order_filter *filter,
                    struct order_list *ret_list)
{
    *ret_list = (struct order_list){.next_cursor = NULL};
    return filter->search.number ? list_of_customer(work, filter, ret_list)
                                 : list_by_time(work, filter, ret_list);
}

enum err order_list_attempts(struct work *work, const struct uuid *id,
                             const struct page_query *query, struct order_attempt_list *ret_list)
{
    static const struct page_key by_number = PAGE_BY_NUMBER(struct order_attempt, attempt);
    struct order_attempt_list list = {.next_cursor = NULL};
    struct order_delivery delivery;
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_number, &after);
    if (!err) err = order_read(work, id, &delivery);
    if (!err)
        err = order_attempt_select_page(work, id, after.number, query->limit + 1, &list.attempts);
    if (err) return err;
    list.next_cursor = page_end(query->limit, &by_number, &list.attempts, work->arena);
    *ret_list = list;
    return ERR_OK;
}

enum err order_reveal(struct work *work, const struct uuid *id, struct order_delivery *ret_delivery)
{
    struct audit_changes changes = {.arena = work->arena};
    struct order_delivery delivery;
    const char *body;
    struct str sealed;

    enum err err = order_read(work, id, &delivery);
    if (err) return err;
    err = order_body_select(work, id, &sealed);
    if (err) return err == ERR_NOT_FOUND ? ERR_CUSTOMER_GONE : err;
    err = order_body_open(work->service->vault, id, sealed, work->arena, &body);
    if (!err) err = order_body_contact(body, work->arena, &delivery.customer);
    if (err) return err;
    audit_change_reveal(&changes, "customer.phone", delivery.customer->phone);
    work_audit_id(work, "order.reveal", "order", id, &changes);
    *ret_delivery = delivery;
    return ERR_OK;
}

/* --- Events ----------------------------------------------------------------------------------- */

void order_tell(struct work *work, const struct uuid *id, enum order_state state)
{
    switch (state) {
    case ORDER_ACCEPTED:
        work_event_id(work, EVENT_ORDER_ACCEPTED, id);
        break;
    case ORDER_REJECTED:
        work_event_id(work, EVENT_ORDER_REJECTED, id);
        break;
    case ORDER_FAILED:
        work_event_id(work, EVENT_ORDER_FAILED, id);
        break;
    case ORDER_QUEUED:
    case ORDER_DELIVERING:
        break;
    }
}

/* --- Trying again ----------------------------------------------------------------------------- */

/* One that is being delivered is as good as tried again. */
static enum err why_not_due(enum order_state state)
{
    switch (state) {
    case ORDER_ACCEPTED:
        return ERR_ALREADY_ACCEPTED;
    case ORDER_REJECTED:
    case ORDER_FAILED:
        return ERR_BODY_GONE;
    case ORDER_QUEUED:
    case ORDER_DELIVERING:
        break;
    }
    return ERR_OK;
}

enum err order_retry(struct work *work, const struct uuid *id)
{
    struct order_delivery delivery;
    bool is_due = false;

    enum err err = order_hold(work, id);
    if (!err) err = order_read(work, id, &delivery);
    if (!err) err = order_requeue(work, &delivery, &is_due);
    if (err) return err;
    if (!is_due) return why_not_due(delivery.state);
    db_notify(work->tx, ORDER_TOPIC);
    work_note(work, LOG_INFO, "order is tried again",
              LOG_FIELDS(log_uuid("order_id", id), log_integration(&delivery.integration_id)));
    work_audit_id(work, "order.retry", "order", id, NULL);
    return ERR_OK;
}
