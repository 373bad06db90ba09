/* An order tells its timeline, which its attempts make up (contract, section 11.7). */
#include "core/words.h"
#include "domain/order/order_db.h"

static void add_attempts(const struct record_list *list, struct timeline *timeline)
{
    const struct order_attempt *attempts = list->items;

    for (size_t i = 0; i < list->count; i++) {
        const struct order_attempt *attempt = &attempts[i];
        const char *outcome = order_outcome_words[attempt->outcome];
        struct timeline_step step = timeline_step_of(TIMELINE_ATTEMPT, attempt->started_at);
        step.attempt = attempt->attempt;
        step.duration_ms = attempt->duration_ms;
        step.status = attempt->status;
        step.outcome = word_index(timeline_outcome_words, outcome);
        step.error = attempt->error;
        timeline_add(timeline, &step);
    }
}

/* Attempts before the last ones are not told. */
static enum err add_last_attempts(struct work *work, const struct order_delivery *order,
                                  struct timeline *timeline)
{
    int64_t skipped = order->attempts - ORDER_TIMELINE_ATTEMPTS;
    struct record_list list;

    if (skipped < 0) skipped = 0;
    enum err err =
        order_attempt_select_page(work, &order->id, skipped, ORDER_TIMELINE_ATTEMPTS, &list);
    if (err) return err;
    const struct order_attempt *attempts = list.items;
    struct timeline_step cut = timeline_step_of(TIMELINE_CUT, 0);
    if (skipped > 0 && list.count > 0) {
        cut.at = attempts[0].started_at;
        timeline_add(timeline, &cut);
    }
    add_attempts(&list, timeline);
    return ERR_OK;
}

static void add_state(const struct order_delivery *order, struct timeline *timeline)
{
    struct timeline_step step = timeline_step_of(TIMELINE_ATTEMPT, order->updated_at);

    switch ((enum order_state)order->state) {
    case ORDER_QUEUED:
        return;
    case ORDER_DELIVERING:
        step.attempt = order->attempts;
        break;
    case ORDER_ACCEPTED:
        step.word = TIMELINE_ACCEPTED;
        break;
    case ORDER_REJECTED:
        step.word = TIMELINE_REJECTED;
        step.error = order->last_error;
        break;
    case ORDER_FAILED:
        step.word = TIMELINE_FAILED;
        step.error = order->last_error;
        break;
    }
    timeline_add(timeline, &step);
}

enum err order_read_timeline(struct work *work, const struct uuid *id,
                             struct timeline *ret_timeline)
{
    struct order_delivery order;
    const char *steps;

    timeline_init(ret_timeline, work->arena);
    enum err err = order_read(work, id, &order);
    if (!err) err = order_select_steps(work, id, &steps);
    if (err) return err;
    struct timeline_step created = timeline_step_of(TIMELINE_CREATED, order.created_at);
    timeline_add(ret_timeline, &created);
    err = add_last_attempts(work, &order, ret_timeline);
    if (err) return err;
    timeline_add_lines(ret_timeline, steps, &created);
    add_state(&order, ret_timeline);
    timeline_sort(ret_timeline);
    return ERR_OK;
}
