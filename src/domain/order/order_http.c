/* The handlers of operations on orders. */
#include "domain/order/order_http.h"

#include "domain/order/order.h"

/* --- Creating --------------------------------------------------------------------------------- */

enum err order_http_create(struct request *rq)
{
    struct order_delivery delivery;
    struct record_fault fault;
    enum err err = order_create(&rq->work, &rq->resource_id, rq->body, &delivery, &fault);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    if (err) return err;
    reply_record(rq, &delivery);
    return ERR_OK;
}

static enum err answer_with(struct request *rq, enum err err, const struct order_delivery *delivery)
{
    if (err) return err;
    reply_record(rq, delivery);
    return ERR_OK;
}

/* The body is that of the original; an id that it brought is the order's. */
enum err order_http_replay(struct request *rq)
{
    const struct order_input *input = rq->body;
    const struct uuid *order_id = &input->order->id;
    struct order_delivery delivery;
    enum err err = uuid_is_nil(order_id)
                       ? order_read(&rq->work, &rq->resource_id, &delivery)
                       : order_read_own(&rq->work, &input->integration_id, order_id, &delivery);
    return answer_with(rq, err, &delivery);
}

enum err order_http_read(struct request *rq)
{
    struct order_delivery delivery;
    enum err err = order_read(&rq->work, &rq->path_ids[0], &delivery);
    return answer_with(rq, err, &delivery);
}

enum err order_http_reveal(struct request *rq)
{
    struct order_delivery delivery;
    enum err err = order_reveal(&rq->work, &rq->path_ids[0], &delivery);
    return answer_with(rq, err, &delivery);
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

const struct record order_list_query = {.size = sizeof(struct order_filter),
                                        RECORD_FIELDS(list_fields)};

enum err order_http_list(struct request *rq)
{
    struct order_list list;
    enum err err = order_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err order_http_list_attempts(struct request *rq)
{
    struct order_attempt_list list;
    enum err err = order_list_attempts(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err order_http_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = order_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    if (err) return err;
    reply_record(rq, &timeline);
    return ERR_OK;
}

/* --- Trying again ----------------------------------------------------------------------------- */

enum err order_http_retry(struct request *rq)
{
    enum err err = order_retry(&rq->work, &rq->path_ids[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
