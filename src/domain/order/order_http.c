/* The core system places orders for ERPs by these operations, and operators follow them (contract,
 * section 6). */
#include "core/request.h"
#include "domain/order/order.h"

/* --- Creating --------------------------------------------------------------------------------- */

static enum err handle_create(struct request *rq)
{
    struct order_delivery delivery;
    struct record_fault fault;
    enum err err = order_create(&rq->work, &rq->resource_id, rq->body, &delivery, &fault);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    return reply_with(rq, err, &delivery);
}

/* The body is that of the original; an id that it brought is the order's. */
static enum err replay(struct request *rq)
{
    const struct order_input *input = rq->body;
    const struct uuid *order_id = &input->order->id;
    struct order_delivery delivery;
    enum err err = uuid_is_nil(order_id)
                       ? order_read(&rq->work, &rq->resource_id, &delivery)
                       : order_read_own(&rq->work, &input->integration_id, order_id, &delivery);
    return reply_with(rq, err, &delivery);
}

static enum err handle_read(struct request *rq)
{
    struct order_delivery delivery;
    enum err err = order_read(&rq->work, &rq->path_ids[0], &delivery);
    return reply_with(rq, err, &delivery);
}

static enum err handle_reveal(struct request *rq)
{
    struct order_delivery delivery;
    enum err err = order_reveal(&rq->work, &rq->path_ids[0], &delivery);
    return reply_with(rq, err, &delivery);
}

/* --- Lists ------------------------------------------------------------------------------------ */

static const struct field list_fields[] = {
    FIELD(struct order_filter, integration_id, FIELD_UUID, 0, "Only orders of this integration.",
          .example = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"),
    FIELD(struct order_filter, state, FIELD_ENUM, 0, "Only orders in this state.",
          .words = order_state_words, .example = "failed"),
    SEARCH_NUMBER_ROW("recipient", struct order_filter, search.number,
                      "Only orders of the customer with this phone."),
    SEARCH_TIME_ROWS(struct order_filter),
};

static const struct record list_query = {.size = sizeof(struct order_filter),
                                         RECORD_FIELDS(list_fields)};

static enum err handle_list(struct request *rq)
{
    struct order_list list;
    enum err err = order_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_list_attempts(struct request *rq)
{
    struct order_attempt_list list;
    enum err err = order_list_attempts(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = order_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    return reply_with(rq, err, &timeline);
}

/* --- Trying again ----------------------------------------------------------------------------- */

static enum err handle_retry(struct request *rq)
{
    enum err err = order_retry(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define ORDERS_PATH "/internal/v1/orders"

#define EXAMPLE_ORDER                                                                          \
    "{\"id\":" ORDER_EXAMPLE_ID ",\"number\":\"A-1042\","                                      \
    "\"created_at\":\"2026-11-21T04:32:58.000Z\","                                             \
    "\"point_id\":" ORDER_EXAMPLE_POINT ",\"type\":\"delivery\","                              \
    "\"status\":\"confirmed\",\"payment_method\":\"card_online\",\"payment_status\":\"paid\"," \
    "\"currency\":\"RUB\",\"subtotal\":\"580.00\",\"delivery_fee\":\"99.00\","                 \
    "\"total\":\"679.00\",\"customer\":{\"name\":\"Anna\",\"phone\":\"+79161234567\"},"        \
    "\"delivery\":{\"address\":\"Moscow, Tverskaya 1, 12\",\"scheduled_for\":null},"           \
    "\"comment\":\"\",\"items\":[{\"product_id\":\"p-1\",\"variant_id\":\"v-1\","              \
    "\"name\":\"Cappuccino\",\"quantity\":\"2\",\"unit_price\":\"250.00\","                    \
    "\"line_total\":\"580.00\",\"modifiers\":[{\"id\":\"o-1\",\"group_id\":\"g-1\","           \
    "\"name\":\"Oat milk\",\"quantity\":\"2\",\"unit_price\":\"40.00\","                       \
    "\"line_total\":\"80.00\"}]}]}"
#define EXAMPLE_INPUT \
    "{\"integration_id\":" ORDER_EXAMPLE_INTEGRATION ",\"order\":" EXAMPLE_ORDER "}"

static const struct route rows[] = {
    {
        .method = "POST",
        .path = ORDERS_PATH,
        .operation_id = "createOrder",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "Orders",
        .summary = "Have an order delivered to its ERP",
        .description = "202 means that the order is durably stored; its ERP gets it as soon as it "
                       "can take it. The body is fixed from then on: every attempt sends the same "
                       "bytes under the same id, until the ERP has its document or refuses it, for "
                       "72 hours at most. An `id` that was used before with the same order is "
                       "that order again; with another one it is refused (409). Ids are those of "
                       "an integration: what others use is no matter. The body may have 1 MiB.",
        .body = &order_input_record,
        .body_max = ORDER_REQUEST_MAX,
        .body_example = EXAMPLE_INPUT,
        .status = 202,
        .reply_doc = "The order is stored.",
        .reply = &order_delivery_record,
        .link_path = ORDERS_PATH "/{id}",
        .link_id = "/id",
        .idem_family = "orders",
        .errors = {ERR_INTEGRATION_NOT_FOUND, ERR_ORDER_CONFLICT},
        .handle = handle_create,
        .replay = replay,
    },
    {
        .method = "GET",
        .path = ORDERS_PATH,
        .operation_id = "listOrders",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Orders",
        .summary = "List orders",
        .description =
            "A page of orders, newest first: of all integrations or of one, in any state or in "
            "one, of all customers or of one, of any time.",
        .query = &list_query,
        .reply_doc = "The orders.",
        .reply = &order_list_record,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = ORDERS_PATH "/{id}",
        .operation_id = "getOrder",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Orders",
        .summary = "Read how the delivery of an order stands",
        .description = "The order itself is not returned: it names a customer.",
        .reply_doc = "The order's delivery as it stands now.",
        .reply = &order_delivery_record,
        .handle = handle_read,
    },
    {
        .method = "POST",
        .path = ORDERS_PATH "/{id}/reveal",
        .operation_id = "revealOrder",
        .role = ROLE_SUPPORT,
        .action = "order.reveal",
        .reveals = true,
        .tag = "Orders",
        .summary = "Read the delivery of an order with its customer",
        .description = "The same as reading it, with the name and the phone of `customer`, for "
                       "somebody who has to call them. They are known as long as the body is "
                       "kept: until the ERP has its document, and for 30 days after the order was "
                       "rejected or failed; then it is 409. Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The order's delivery as it stands now, and who ordered.",
        .reply = &order_revealed_record,
        .errors = {ERR_CUSTOMER_GONE},
        .handle = handle_reveal,
    },
    {
        .method = "GET",
        .path = ORDERS_PATH "/{id}/timeline",
        .operation_id = "getOrderTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Orders",
        .summary = "Read what became of an order",
        .description = "Step by step: each attempt with its duration and outcome, its end, and "
                       "each time that an operator had it tried again.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = handle_read_timeline,
    },
    {
        .method = "POST",
        .path = ORDERS_PATH "/{id}/retry",
        .operation_id = "retryOrder",
        .role = ROLE_SUPPORT,
        .action = "order.retry",
        .tag = "Orders",
        .summary = "Have an order tried again now",
        .description =
            "A failed, rejected or queued one is due now, with 72 hours of attempts before it; its "
            "ERP gets the same bytes again. Their body is kept for 30 days; afterwards it is 409 "
            "`body_gone`. One that is being delivered stays as it is, and an accepted one is 409 "
            "`already_accepted`. Once its ERP has failed five times in a row the order waits until "
            "GET /svc/v1/health, asked every 30 seconds, is answered with 2xx. May be repeated.",
        .reply_doc = "Done.",
        .errors = {ERR_ALREADY_ACCEPTED, ERR_BODY_GONE},
        .handle = handle_retry,
    },
    {
        .method = "GET",
        .path = ORDERS_PATH "/{id}/attempts",
        .operation_id = "listOrderAttempts",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Orders",
        .summary = "List the attempts to deliver an order",
        .description = "A page of attempts, oldest first: when each began, how long it took, and "
                       "what came of it. What was sent and answered is not kept.",
        .query = &page_by_number_query,
        .reply_doc = "The attempts.",
        .reply = &order_attempt_list_record,
        .handle = handle_list_attempts,
    },
};

const struct route_table order_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(rows)};
