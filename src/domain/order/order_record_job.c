/*
 * The part of a turn that records what came of each fetch. It does so by compare-and-set on the
 * number of the attempt, so that of two workers that had the same order only one is right. But an
 * accepted answer is always true: the document is there, whatever attempt made it, whoever has the
 * order now, and even if another answer was that the ERP does not want it.
 */
#include "core/trace.h"
#include "domain/event_log/event_log.h"
#include "domain/order/order_worker.h"

/* --- In the transaction ----------------------------------------------------------------------- */

static enum err record_attempts(struct order_turn *turn)
{
    const struct order_worker *worker = turn->worker;
    struct attempt_row *rows = arena_array(&turn->arena, worker->unrecorded_count, sizeof(*rows));
    size_t count = 0;

    for (const struct order_fetch *fetch = worker->unrecorded; fetch; fetch = fetch->next) {
        const struct order_answer *answer = &fetch->answer;
        rows[count++] = (struct attempt_row){fetch->id,
                                             {.attempt = fetch->attempt,
                                              .started_at = fetch->started_at,
                                              .status = answer->status,
                                              .duration_ms = fetch->slot.fetch.duration_ms,
                                              .outcome = (int)answer->outcome,
                                              .error = answer->error,
                                              .words = answer->words}};
    }
    return order_attempts_insert(&turn->work, rows, count);
}

static enum err record_ends(struct order_turn *turn)
{
    const struct order_worker *worker = turn->worker;
    struct order_end *ends = arena_array(&turn->arena, worker->unrecorded_count, sizeof(*ends));
    size_t count = 0;

    for (const struct order_fetch *fetch = worker->unrecorded; fetch; fetch = fetch->next)
        ends[count++] = fetch->end;
    turn->are_ended = arena_array(&turn->arena, count, sizeof(int64_t));
    enum err err = orders_end(&turn->work, ends, count, turn->are_ended);
    for (size_t i = 0; !err && i < count; i++) {
        if (turn->are_ended[i])
            order_tell(&turn->work, &ends[i].id, (enum order_state)ends[i].state);
    }
    return err;
}

/* Looks whether orders that were accepted before have another document now. */
static enum err look_for_second_ones(struct order_turn *turn)
{
    const struct order_worker *worker = turn->worker;
    enum err err = ERR_OK;
    size_t i = 0;

    turn->are_second =
        arena_array(&turn->arena, worker->unrecorded_count, sizeof(*turn->are_second));
    for (const struct order_fetch *fetch = worker->unrecorded; !err && fetch;
         fetch = fetch->next, i++) {
        if (turn->are_ended[i] || fetch->end.state != ORDER_ACCEPTED) continue;
        err = order_has_other_document(&turn->work, &fetch->end, &turn->are_second[i]);
    }
    return err;
}

static enum err delete_bodies(struct order_turn *turn)
{
    const struct order_worker *worker = turn->worker;
    struct uuid *ids = arena_array(&turn->arena, worker->unrecorded_count, sizeof(*ids));
    size_t count = 0, i = 0;

    for (const struct order_fetch *fetch = worker->unrecorded; fetch; fetch = fetch->next, i++) {
        if (fetch->end.state == ORDER_ACCEPTED && turn->are_ended[i]) ids[count++] = fetch->id;
    }
    return order_bodies_delete(&turn->work, ids, count);
}

enum err order_turn_record(struct order_turn *turn)
{
    if (turn->worker->unrecorded_count == 0) return ERR_OK;
    enum err err = record_ends(turn);
    if (!err) err = look_for_second_ones(turn);
    if (!err) err = delete_bodies(turn);
    return err ? err : record_attempts(turn);
}

/* --- After it --------------------------------------------------------------------------------- */

static void log_fetch(const struct order_fetch *fetch, enum log_level level, const char *what)
{
    const struct order_answer *answer = &fetch->answer;
    struct log_field status = log_int("status", answer->status);
    struct log_field trace[TRACE_FIELDS];
    struct trace_ids ids;

    if (answer->status == 0) status = log_plain("status", NULL);
    trace_log_fields(fetch->traceparent, &ids, trace);
    event_log_write(fetch->worker->event_log, level, what,
                    LOG_FIELDS(trace[0], trace[1], log_uuid("order_id", &fetch->id),
                               log_integration(&fetch->lane->integration_id),
                               log_int("attempts", fetch->attempt),
                               log_plain("outcome", order_outcome_words[answer->outcome]), status));
}

static void log_end(const struct order_fetch *fetch)
{
    switch (fetch->end.state) {
    case ORDER_ACCEPTED:
        log_fetch(fetch, LOG_INFO, "order accepted by its ERP");
        break;
    case ORDER_REJECTED:
        log_fetch(fetch, LOG_WARNING, "order rejected by its ERP");
        break;
    case ORDER_FAILED:
        log_fetch(fetch, LOG_ERROR, "order failed; an operator can have it tried again");
        break;
    case ORDER_QUEUED:
        if (fetch->answer.is_of_order && fetch->failures == 0) /* once of an order */
            log_fetch(fetch, LOG_WARNING, "order refused by its ERP; it is tried again");
        break;
    case ORDER_DELIVERING:
        break;
    }
}

void order_turn_recorded(struct order_turn *turn)
{
    struct order_worker *worker = turn->worker;
    struct order_fetch *fetch = worker->unrecorded;

    for (size_t i = 0; fetch; i++) {
        struct order_fetch *next = fetch->next;
        if (turn->are_ended[i]) log_end(fetch);
        if (turn->are_second[i])
            log_fetch(fetch, LOG_ERROR,
                      "an ERP told of two documents for one order; look for both");
        order_fetch_free(fetch);
        fetch = next;
    }
    worker->unrecorded = NULL;
    worker->unrecorded_end = &worker->unrecorded;
    worker->unrecorded_count = 0;
}
