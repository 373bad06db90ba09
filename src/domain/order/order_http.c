/* Decode, call, reply. */
#include "domain/order/order_http.h"

#include "core/page.h"
#include "core/words.h"
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

/* The body is that of the original: an id that it brought is the order's. */
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

/* --- Lists ------------------------------------------------------------------------------------ */

enum { PARAM_INTEGRATION, PARAM_STATE, PARAM_LIMIT, PARAM_CURSOR };

const struct field order_list_params[] = {
    [PARAM_INTEGRATION] = {.name = "integration_id",
                           .type = FIELD_UUID,
                           .doc = "Only orders of this integration.",
                           .example = ORDER_EXAMPLE_INTEGRATION},
    [PARAM_STATE] = {.name = "state",
                     .type = FIELD_ENUM,
                     .words = order_state_words,
                     .doc = "Only orders in this state.",
                     .example = "\"failed\""},
    [PARAM_LIMIT] = PAGE_LIMIT_PARAM,
    [PARAM_CURSOR] = {.name = "cursor",
                      .type = FIELD_STRING,
                      .min = 1,
                      .max = 60,
                      .doc = "`next_cursor` of the page before.",
                      .example = "\"1795235580123.0192f0cc-3333-7d3e-8f00-3b2a1c0d9e8f\""},
    {0},
};

enum err order_http_list(struct request *rq)
{
    const char *integration = rq->params[PARAM_INTEGRATION];
    struct uuid integration_id;
    struct order_list list;
    struct order_filter filter = {
        .state = word_index(order_state_words, rq->params[PARAM_STATE]),
        .cursor = rq->params[PARAM_CURSOR],
        .limit = page_limit(rq->params[PARAM_LIMIT]),
    };

    if (integration) {
        if (!uuid_parse(str_of(integration), &integration_id)) return ERR_INTERNAL;
        filter.integration_id = &integration_id;
    }
    enum err err = order_list(&rq->work, &filter, &list);
    if (err == ERR_VALIDATION) return error_fault(rq, "cursor", "Is not of an earlier page.");
    if (err) return err;
    reply_record(rq, &list);
    return ERR_OK;
}

enum { ATTEMPT_PARAM_LIMIT, ATTEMPT_PARAM_CURSOR };

const struct field order_attempt_list_params[] = {
    [ATTEMPT_PARAM_LIMIT] = PAGE_LIMIT_PARAM,
    [ATTEMPT_PARAM_CURSOR] = PAGE_NUMBER_CURSOR_PARAM,
    {0},
};

enum err order_http_list_attempts(struct request *rq)
{
    struct order_attempt_list list;
    enum err err =
        order_list_attempts(&rq->work, &rq->path_ids[0], rq->params[ATTEMPT_PARAM_CURSOR],
                            page_limit(rq->params[ATTEMPT_PARAM_LIMIT]), &list);
    if (err == ERR_VALIDATION) return error_fault(rq, "cursor", "Is not of an earlier page.");
    if (err) return err;
    reply_record(rq, &list);
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
