/*
 * Tasks of phones and sends of providers are together the list that an OTPChallenge shows
 * (contract, section 2, OTPChallenge.sends); of a test number, what its scenario plays.
 */
#include "core/words.h"
#include "domain/otp/otp_send.h"
#include "kit/db/keys.h"

#include <stdlib.h>

/* This has no default, so that a new channel is a compile error here. */
bool otp_has_provider(int channel)
{
    switch ((enum otp_channel)channel) {
    case OTP_FLASH_CALL:
    case OTP_MESSENGER_GATEWAY:
        return true;
    case OTP_SMS:
    case OTP_PERSONAL_MESSENGER:
    case OTP_CHANNEL_COUNT:
        break;
    }
    return false;
}

const char *const otp_send_state_words[] = {"queued",    "claimed", "accepted", "sent",
                                            "delivered", "failed",  "unknown",  NULL};

static const enum otp_send_state state_of_task[] = {
    [PHONE_TASK_QUEUED] = OTP_SEND_QUEUED, [PHONE_TASK_CLAIMED] = OTP_SEND_CLAIMED,
    [PHONE_TASK_SENT] = OTP_SEND_SENT,     [PHONE_TASK_DELIVERED] = OTP_SEND_DELIVERED,
    [PHONE_TASK_FAILED] = OTP_SEND_FAILED, [PHONE_TASK_UNKNOWN] = OTP_SEND_UNKNOWN,
};

static const enum otp_send_state state_of_send[] = {
    [SEND_QUEUED] = OTP_SEND_QUEUED,       [SEND_FETCHING] = OTP_SEND_CLAIMED,
    [SEND_ACCEPTED] = OTP_SEND_ACCEPTED,   [SEND_SENT] = OTP_SEND_SENT,
    [SEND_DELIVERED] = OTP_SEND_DELIVERED, [SEND_FAILED] = OTP_SEND_FAILED,
    [SEND_UNKNOWN] = OTP_SEND_UNKNOWN,
};

/* This has no default, so that a new channel is a compile error here. */
static enum otp_channel channel_of_send(const struct channel_send *send)
{
    switch (send->channel) {
    case CHANNEL_FLASH_CALL:
        return OTP_FLASH_CALL;
    case CHANNEL_MESSENGER_GATEWAY:
        return OTP_MESSENGER_GATEWAY;
    case CHANNEL_MESSENGER_BOT:
    case CHANNEL_COUNT:
        break;
    }
    abort(); /* no code goes over those */
}

/* A send with its id, which gives it its place in the list: ids are in the order of time. */
struct row {
    struct uuid id;
    struct otp_send send;
};

static struct row row_of_task(const struct work *work, const struct phone_task *task)
{
    bool is_sms = task->channel == PHONE_TASK_SMS;
    return (struct row){
        .id = task->id,
        .send =
            {
                .channel = is_sms ? OTP_SMS : OTP_PERSONAL_MESSENGER,
                .gateway_number = is_sms ? task->sender : NULL,
                .state = state_of_task[phone_task_shown_state(task, work->now_ms)],
                .error = phone_task_error(work, task),
                .failure = task->error,
                .updated_at = task->updated_at,
            },
    };
}

static struct row row_of_send(const struct work *work, const struct channel_send *send)
{
    return (struct row){
        .id = send->id,
        .send =
            {
                .channel = (int)channel_of_send(send),
                .state = state_of_send[send->state],
                .error = channel_error(work, send),
                .failure = send->error,
                .updated_at = send->updated_at,
            },
    };
}

static struct row row_of_test(const struct test_send *send)
{
    return (struct row){
        .id = send->id,
        .send =
            {
                .channel = word_index(otp_channel_words, send->channel),
                .gateway_number = send->gateway_number,
                .state = state_of_send[send->state],
                .error = send->error,
                .failure = send->error,
                .updated_at = send->updated_at,
            },
    };
}

/* --- Of one code ------------------------------------------------------------------------------ */

static enum err read_test_list(struct work *work, const struct uuid *otp_id,
                               struct record_list *ret_rows)
{
    struct record_list list;
    enum err err = test_send_list(work, otp_id, &list);
    if (err) return err;

    const struct test_send *sends = list.items;
    struct row *rows = arena_array(work->arena, list.count, sizeof(*rows));
    for (size_t i = 0; i < list.count; i++)
        rows[i] = row_of_test(&sends[i]);
    *ret_rows = (struct record_list){rows, list.count};
    return ERR_OK;
}

/* Both lists are in the order of their ids, which is that of time. */
static size_t merge(const struct work *work, const struct record_list *tasks,
                    const struct record_list *sends, struct row *rows)
{
    const struct phone_task *task = tasks->items, *phone_task_end = task + tasks->count;
    const struct channel_send *send = sends->items, *send_end = send + sends->count;
    size_t count = 0;

    while (task < phone_task_end || send < send_end) {
        bool is_task = send == send_end || (task < phone_task_end &&
                                            memcmp(&task->id, &send->id, sizeof(task->id)) < 0);
        rows[count++] = is_task ? row_of_task(work, task++) : row_of_send(work, send++);
    }
    return count;
}

/* A code that no provider can have sent is spared the question. */
static enum err read_list(struct work *work, const struct uuid *otp_id, bool has_provider,
                          struct record_list *ret_rows)
{
    struct record_list tasks, sends = {0};
    enum err err = phone_task_list(work, otp_id, &tasks);
    if (!err && has_provider) err = channel_list(work, otp_id, &sends);
    if (err) return err;
    struct row *rows = arena_array(work->arena, tasks.count + sends.count, sizeof(*rows));
    size_t count = merge(work, &tasks, &sends, rows);
    *ret_rows = (struct record_list){rows, count};
    return ERR_OK;
}

enum err otp_read_sends(struct work *work, struct otp *otp)
{
    struct record_list list;
    enum err err = otp->test ? read_test_list(work, &otp->id, &list)
                             : read_list(work, &otp->id, otp_has_provider(otp->channel), &list);
    if (err) return err;

    const struct row *rows = list.items;
    struct otp_send *sends = arena_array(work->arena, list.count, sizeof(*sends));
    for (size_t i = 0; i < list.count; i++)
        sends[i] = rows[i].send;
    otp->sends = (struct record_list){sends, list.count};
    return ERR_OK;
}

enum err otp_has_living_send(struct work *work, const struct uuid *otp_id, bool is_test,
                             const struct uuid *failed_id, bool *ret_has)
{
    struct record_list list;
    enum err err =
        is_test ? read_test_list(work, otp_id, &list) : read_list(work, otp_id, true, &list);
    if (err) return err;

    const struct row *rows = list.items;
    *ret_has = false;
    for (size_t i = 0; i < list.count; i++) {
        bool is_other = !uuid_equal(&rows[i].id, failed_id);
        if (is_other && rows[i].send.state != OTP_SEND_FAILED) *ret_has = true;
    }
    return ERR_OK;
}

/* --- Of a page of codes ----------------------------------------------------------------------- */

/* A send of one of several codes. */
struct owned_row {
    struct uuid otp_id;
    struct row row;
};

/* The sends of one code stand together, in the order of their ids. */
static int compare_owned(const void *left, const void *right)
{
    const struct owned_row *a = left, *b = right;
    int order = memcmp(&a->otp_id, &b->otp_id, sizeof(a->otp_id));
    return order != 0 ? order : memcmp(&a->row.id, &b->row.id, sizeof(a->row.id));
}

/* Nothing is asked for that none of the codes can have had. */
static enum err read_lists(struct work *work, const struct otp *otps, size_t count,
                           struct record_list *tasks, struct record_list *sends,
                           struct record_list *tests)
{
    struct uuid ids[DB_KEYS_MAX];
    bool has_true = false, has_provider = false, has_test = false;
    enum err err = ERR_OK;

    for (size_t i = 0; i < count; i++) {
        ids[i] = otps[i].id;
        has_test |= otps[i].test;
        has_true |= !otps[i].test;
        has_provider |= !otps[i].test && otp_has_provider(otps[i].channel);
    }
    if (has_true) err = phone_task_list_all(work, ids, count, tasks);
    if (!err && has_provider) err = channel_list_all(work, ids, count, sends);
    if (!err && has_test) err = test_send_list_all(work, ids, count, tests);
    return err;
}

static enum err read_owned(struct work *work, const struct otp *otps, size_t otp_count,
                           struct record_list *ret_rows)
{
    struct record_list tasks = {0}, sends = {0}, tests = {0};
    size_t count = 0;
    enum err err = read_lists(work, otps, otp_count, &tasks, &sends, &tests);
    if (err) return err;

    const struct phone_task *task = tasks.items;
    const struct channel_send *send = sends.items;
    const struct test_send *test = tests.items;
    struct owned_row *rows =
        arena_array(work->arena, tasks.count + sends.count + tests.count, sizeof(*rows));
    for (size_t i = 0; i < tasks.count; i++)
        rows[count++] = (struct owned_row){task[i].owner_id, row_of_task(work, &task[i])};
    for (size_t i = 0; i < sends.count; i++)
        rows[count++] = (struct owned_row){send[i].owner_id, row_of_send(work, &send[i])};
    for (size_t i = 0; i < tests.count; i++)
        rows[count++] = (struct owned_row){test[i].owner_id, row_of_test(&test[i])};
    if (count > 1) qsort(rows, count, sizeof(*rows), compare_owned);
    *ret_rows = (struct record_list){rows, count};
    return ERR_OK;
}

static void show_owned(const struct record_list *list, struct arena *arena, struct otp *otp)
{
    const struct owned_row *rows = list->items;
    size_t begin = 0, count = 0;

    while (begin < list->count && !uuid_equal(&rows[begin].otp_id, &otp->id))
        begin++;
    while (begin + count < list->count && uuid_equal(&rows[begin + count].otp_id, &otp->id))
        count++;
    struct otp_send *sends = arena_array(arena, count, sizeof(*sends));
    for (size_t i = 0; i < count; i++)
        sends[i] = rows[begin + i].row.send;
    otp->sends = (struct record_list){sends, count};
}

enum err otp_read_sends_of(struct work *work, struct otp *otps, size_t count)
{
    for (size_t begin = 0; begin < count; begin += DB_KEYS_MAX) {
        size_t part = count - begin < DB_KEYS_MAX ? count - begin : DB_KEYS_MAX;
        struct record_list rows;
        enum err err = read_owned(work, otps + begin, part, &rows);
        if (err) return err;
        for (size_t i = begin; i < begin + part; i++)
            show_owned(&rows, work->arena, &otps[i]);
    }
    return ERR_OK;
}
