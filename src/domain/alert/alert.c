/* These rules say of what people are told, when, and how often (contract, section 13.4). */
#include "domain/alert/alert.h"

#include "domain/alert/alert_db.h"
#include "domain/message/message.h"
#include "domain/sms/sms_text.h"
#include "kit/base/macros.h"

#include <stdlib.h>

enum { LINES_IN_CHAT = 15, LINES_IN_SMS = 3, DAY_MS = 24 * 60 * 60 * 1000 };

const char *const alert_way_words[] = {"chat", "sms", NULL};

/* --- One alert -------------------------------------------------------------------------------- */

/* Tells whether so much time has passed since then. */
static bool has_passed(int64_t then, int64_t ms, int64_t now_ms)
{
    return now_ms >= then + ms;
}

enum alert_move alert_look(struct alert *alert, bool is_there, int64_t now_ms)
{
    if (is_there != alert->is_there) {
        alert->is_there = is_there;
        alert->since_at = now_ms;
    }
    bool is_sure = has_passed(alert->since_at, ALERT_HOLD_MS, now_ms);
    bool has_rested = alert->told_at == 0 || has_passed(alert->told_at, ALERT_REST_MS, now_ms);

    if (is_there && !alert->is_told) return is_sure && has_rested ? ALERT_TELL : ALERT_KEEP;
    if (!is_there && alert->is_told) return is_sure ? ALERT_TELL_OVER : ALERT_KEEP;
    return !is_there && has_rested ? ALERT_FORGET : ALERT_KEEP;
}

/* --- What is wrong ---------------------------------------------------------------------------- */

/* One turn of the job, and what it has found. */
struct turn {
    struct work work;
    const struct alert_setup *setup;
    struct trouble_list troubles;
    struct trouble_watch kept;
    enum alert_way way;
};

static struct turn *turn_of(struct work *work)
{
    return CONTAINER_OF(work, struct turn, work);
}

static enum err find_in_exchange(struct work *work)
{
    struct trouble_list *troubles = &turn_of(work)->troubles;

    troubles->count = 0;
    return alert_find_in_exchange(work, troubles);
}

static enum err find_in_verification(struct work *work)
{
    struct turn *turn = turn_of(work);
    size_t before = turn->troubles.count;

    enum err err = alert_find_in_verification(work, &turn->troubles);
    if (!err) err = trouble_read(work, &turn->kept);
    if (err) turn->troubles.count = before; /* it may run again */
    return err;
}

static enum err keep(struct work *work)
{
    const struct turn *turn = turn_of(work);
    return trouble_keep(work, &turn->troubles, &turn->kept);
}

/* --- Looking ---------------------------------------------------------------------------------- */

/* Returns the index of what the alert is of, or the count. */
static size_t find_trouble(const struct trouble_list *troubles, const struct alert *alert)
{
    size_t i = 0;

    while (i < troubles->count && (troubles->items[i].kind != alert->kind ||
                                   strcmp(troubles->items[i].subject, alert->subject) != 0))
        i++;
    return i;
}

static enum err look_at(struct work *work, enum alert_way way, struct alert *alert, bool is_there)
{
    struct alert before = *alert;
    enum alert_move move = alert_look(alert, is_there, work->now_ms);

    if (move == ALERT_FORGET) return alert_delete(work, way, alert);
    bool is_same = before.is_there == alert->is_there && before.since_at == alert->since_at;
    return is_same ? ERR_OK : alert_put(work, way, alert);
}

/* Notes what is there, and what is there no more. */
static enum err look(struct work *work)
{
    struct turn *turn = turn_of(work);
    const struct trouble_list *troubles = &turn->troubles;
    bool has_alert[COUNT_OF(troubles->items) + 1] = {
        0}; /* the last one: alerts without a trouble */
    struct record_list list;
    enum err err = alert_select(work, turn->way, &list);
    if (err) return err;

    struct alert *alerts = list.items;
    for (size_t i = 0; !err && i < list.count; i++) {
        size_t found = find_trouble(troubles, &alerts[i]);
        has_alert[found] = true;
        err = look_at(work, turn->way, &alerts[i], found < troubles->count);
    }
    for (size_t i = 0; !err && i < troubles->count; i++) {
        const struct trouble *trouble = &troubles->items[i];
        struct alert fresh = {trouble->kind, trouble->subject, trouble->name};
        if (!has_alert[i]) err = look_at(work, turn->way, &fresh, true);
    }
    return err;
}

/* --- Telling ---------------------------------------------------------------------------------- */

static void write_more(const struct turn *turn, size_t more, struct buf *text)
{
    bool is_russian = turn->work.service->sms->language == SMS_RUSSIAN;
    if (more > 0) buf_printf(text, is_russian ? "\nи ещё %zu" : "\nand %zu more", more);
}

static enum err send(struct turn *turn, const char *text)
{
    struct work *work = &turn->work;
    bool is_chat = turn->way == ALERT_BY_CHAT;
    struct message_input input = {
        .channel = is_chat ? MESSAGE_MESSENGER_BOT : MESSAGE_SMS,
        .text = text,
        .recipient = is_chat ? NULL : turn->setup->number,
        .chat_id = {.text = is_chat ? turn->setup->chat_id : NULL},
    };
    struct uuid id = uuid_new(work->now_ms);
    struct message message;
    int64_t retry_after_ms;

    return message_create(work, &id, &input, &message, &retry_after_ms);
}

/* Tells of `alerts`, the worst first, in one message. */
static enum err tell_of(struct turn *turn, const struct record_list *alerts)
{
    size_t lines = turn->way == ALERT_BY_CHAT ? LINES_IN_CHAT : LINES_IN_SMS;
    const struct alert *rows = alerts->items;
    AUTO_BUF text = {0};

    buf_init(&text, (lines + 1) * TROUBLE_SENTENCE_MAX);
    buf_text(&text, "herald: ");
    for (size_t i = 0; i < alerts->count && i < lines; i++) {
        if (i > 0) buf_char(&text, '\n');
        trouble_write(rows[i].kind, rows[i].name, !rows[i].is_there,
                      turn->work.service->sms->language, &text);
    }
    write_more(turn, alerts->count > lines ? alerts->count - lines : 0, &text);
    buf_char(&text, '\0');
    return send(turn, text.data);
}

/* Keeps those of which is to be told now, as they are when it is told. */
static void keep_due(const struct turn *turn, struct record_list *alerts)
{
    struct alert *rows = alerts->items;
    size_t count = 0;

    for (size_t i = 0; i < alerts->count; i++) {
        enum alert_move move = alert_look(&rows[i], rows[i].is_there, turn->work.now_ms);
        if (move != ALERT_TELL && move != ALERT_TELL_OVER) continue;
        rows[i].is_told = move == ALERT_TELL;
        rows[i].told_at = turn->work.now_ms;
        rows[count++] = rows[i];
    }
    alerts->count = count;
}

static int by_weight(const void *a, const void *b)
{
    return ((const struct alert *)a)->kind - ((const struct alert *)b)->kind;
}

static enum err check_budget(struct turn *turn)
{
    struct work *work = &turn->work;
    int64_t count = 0;

    if (turn->way != ALERT_BY_SMS) return ERR_OK;
    enum err err = alert_count_sms(work, turn->setup->number, work->now_ms - DAY_MS, &count);
    return !err && count >= ALERT_SMS_A_DAY ? ERR_RATE_LIMITED : err;
}

static enum err tell(struct work *work)
{
    struct turn *turn = turn_of(work);
    struct record_list list;

    enum err err = alert_select(work, turn->way, &list);
    if (err) return err;
    keep_due(turn, &list);
    if (list.count == 0) return ERR_OK;
    qsort(list.items, list.count, sizeof(struct alert), by_weight);
    err = check_budget(turn);
    if (!err) err = tell_of(turn, &list);
    const struct alert *rows = list.items;
    for (size_t i = 0; !err && i < list.count; i++)
        err = alert_put(work, turn->way, &rows[i]);
    return err;
}

/* --- The job ---------------------------------------------------------------------------------- */

/* Returns whether it is no fault of the job, which is told later. */
static bool is_for_later(enum err err)
{
    return err == ERR_RATE_LIMITED || err == ERR_CIRCUIT_OPEN || err == ERR_NO_READY_SIM ||
           err == ERR_NO_ENABLED_NUMBER;
}

static enum err go_way(struct turn *turn, struct db *db)
{
    enum err err = work_run(&turn->work, db, look);
    if (!err) err = work_run(&turn->work, db, tell);
    return is_for_later(err) ? ERR_OK : err;
}

static enum err find_all(struct turn *turn, const struct service *service)
{
    turn->work.task.is_read = true;
    enum err err = work_run(&turn->work, service->exchange, find_in_exchange);
    if (!err) err = work_run(&turn->work, service->verification, find_in_verification);
    turn->work.task.is_read = false;
    if (!err) alert_find_on_disk(turn->setup->disk, &turn->troubles);
    return err;
}

static enum err take_turn(struct turn *turn, const struct service *service)
{
    const char *whom[ALERT_WAY_COUNT] = {turn->setup->chat_id, turn->setup->number};

    enum err err = find_all(turn, service);
    if (!err && trouble_compare(&turn->troubles, &turn->kept, turn->work.now_ms))
        err = work_run(&turn->work, service->verification, keep);
    for (int way = 0; !err && way < ALERT_WAY_COUNT; way++) {
        turn->way = (enum alert_way)way;
        if (whom[way]) err = go_way(turn, service->verification);
    }
    return err;
}

enum err alert_pass(struct service *service, int64_t now_ms, bool *ret_goes_on)
{
    struct arena arena;

    *ret_goes_on = false;
    arena_init(&arena);
    struct turn *turn = ARENA_NEW(&arena, struct turn);
    turn->setup = service->alerts;
    work_init(&turn->work, service, &arena, now_ms, NULL);
    enum err err = take_turn(turn, service);
    arena_done(&arena);
    return err;
}
