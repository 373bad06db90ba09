/*
 * These rules make tasks of herald into messages of the app, and its states into results (contract,
 * section 15.2). The app keeps the ids that it had and sends none twice, so a message has the id of
 * its task; what it has handed to the radio is never given to anybody again (domain/phone_task).
 */
#include "domain/smsgate/smsgate.h"

#include "domain/sms/sms.h"
#include "kit/base/clock.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    PRIORITY_AT_ONCE = 100, /* from here on the app heeds neither its pace nor its limits */
    LONG_AGO_MS = 1000,     /* after every clock */
};

/* --- SIMs ------------------------------------------------------------------------------------- */

/* The last digits of what the app shows of a number: "********0001"; it hides all others. */
static struct str shown_digits(const char *phone_number)
{
    struct str text = str_of(phone_number ? phone_number : "");
    size_t len = 0;

    while (len < text.len && len < SMSGATE_DIGITS_MAX &&
           str_is_digit(text.data[text.len - len - 1]))
        len++;
    return (struct str){text.data + text.len - len, len};
}

/* This is stored of the SIMs: "1=0001 2=". */
static const char *write_sims(struct arena *arena, const struct record_list *sims)
{
    const struct smsgate_sim *rows = sims->items;
    const char *text = "";

    for (size_t i = 0; i < sims->count && i < SMSGATE_SIMS_MAX; i++) {
        struct str digits = shown_digits(rows[i].phone_number);
        if (rows[i].number < 1 || rows[i].number > SMSGATE_SIMS_MAX) continue;
        text = arena_printf(arena, "%s%s%d=%.*s", text, text[0] ? " " : "", (int)rows[i].number,
                            (int)digits.len, digits.data);
    }
    return text;
}

enum sim_match {
    SIM_MATCHES,
    SIM_MISSING,     /* the app shows no SIM in that slot */
    SIM_DIFFERS,     /* it shows one with another number */
    SIM_UNCONFIRMED, /* it does not show the number, and the operator has not set the slots */
};

static enum sim_match match_sim(const struct device_number *number, const char *sims)
{
    const char *end = number->number + strlen(number->number);
    const char mark[] = {(char)('0' + number->slot), '=', '\0'};
    const char *found = strstr(sims, mark);

    while (found && found > sims && found[-1] != ' ')
        found = strstr(found + 1, mark);
    if (!found && sims[0]) return SIM_MISSING;
    const char *digits = found ? found + 2 : "";
    size_t len = strspn(digits, "0123456789");
    if (len == 0) return number->is_slot_confirmed ? SIM_MATCHES : SIM_UNCONFIRMED;
    return memcmp(end - len, digits, len) == 0 ? SIM_MATCHES : SIM_DIFFERS;
}

static void note_sim(struct work *work, const struct uuid *device_id,
                     const struct device_number *number, enum sim_match match)
{
    static const char *const advice[] = {
        [SIM_MISSING] = "its phone shows no SIM in that slot",
        [SIM_DIFFERS] = "its phone shows another number in that slot: set the slots anew",
        [SIM_UNCONFIRMED] = "its phone does not show the number: set the slots, to confirm them",
    };

    if (match == SIM_MATCHES) return;
    work_note(work, LOG_WARNING, "number is not used",
              LOG_FIELDS(log_device(device_id), log_phone("gateway_number", number->number),
                         log_int("slot", number->slot), log_plain("cause", advice[match])));
}

static bool has_slot(const struct device_number *number)
{
    return number->slot >= 1 && number->slot <= SMSGATE_SLOTS_MAX;
}

enum err smsgate_store_sims(struct work *work, const struct uuid *device_id,
                            const struct record_list *sims)
{
    const char *text = write_sims(work->arena, sims);
    struct device device;

    enum err err = smsgate_phone_upsert(work, device_id, text);
    if (!err) err = fleet_read(work, device_id, &device);
    if (err) return err;
    const struct device_number *numbers = device.numbers.items;
    for (size_t i = 0; i < device.numbers.count; i++) {
        if (has_slot(&numbers[i]))
            note_sim(work, device_id, &numbers[i], match_sim(&numbers[i], text));
    }
    return ERR_OK;
}

/* --- Messages --------------------------------------------------------------------------------- */

static struct smsgate_message *add_message(struct work *work, struct record_list *messages,
                                           const struct uuid *id, const char *recipient,
                                           const char *content, int64_t slot)
{
    struct smsgate_message *message = (struct smsgate_message *)messages->items + messages->count++;
    struct smsgate_text *text = ARENA_NEW(work->arena, struct smsgate_text);
    const char **recipients = ARENA_NEW(work->arena, const char *);

    text->text = content;
    *recipients = recipient;
    *message = (struct smsgate_message){
        .id = *id,
        .text = text,
        .recipients = {recipients, 1},
        .slot = slot,
        .wants_report = true,
        .priority = PRIORITY_AT_ONCE,
        .state = "Pending",
    };
    return message;
}

static enum err pull_slot(struct work *work, const struct device *phone,
                          const struct device_number *number, bool is_usable,
                          struct record_list *messages)
{
    struct sms_claim_input input = {.gateway_number = number->number, .sim_ready = is_usable};
    struct phone_task_claim_result result;
    enum err err = sms_claim(work, phone, &input, &result);
    const struct claimed_task *task = err ? NULL : result.task;

    /* Its radio has it: an app that has lost its memory must not see it again. */
    if (!task || task->is_handed_over) return err;
    struct smsgate_message *message =
        add_message(work, messages, &task->id, task->recipient, task->text, number->slot);
    /* The app compares it with the phone's clock. */
    message->valid_until =
        task->lease_expires_at - SMSGATE_SPARE_MS - fleet_clock_lag_ms(phone, work->now_ms);
    message->created_at = task->lease_expires_at - PHONE_TASK_LEASE_MS;
    return ERR_OK;
}

static int64_t slot_of(const struct device *device, const char *number)
{
    const struct device_number *numbers = device->numbers.items;
    for (size_t i = 0; i < device->numbers.count; i++) {
        if (strcmp(numbers[i].number, number) == 0 && has_slot(&numbers[i])) return numbers[i].slot;
    }
    return 1;
}

/* The app cancels what it has not sent yet. One that does not know the message, or is too old to
 * cancel, finds that its time was over long ago. */
static enum err add_ended(struct work *work, const struct device *device,
                          struct record_list *messages)
{
    struct record_list ended;
    enum err err = phone_task_list_ended(work, &device->id, &ended);
    const struct phone_task *tasks = ended.items;

    for (size_t i = 0; !err && i < ended.count; i++) {
        struct smsgate_message *message =
            add_message(work, messages, &tasks[i].id, tasks[i].recipient, "-",
                        slot_of(device, tasks[i].sender));
        message->state = "Cancelling";
        message->valid_until = LONG_AGO_MS;
        message->created_at = tasks[i].created_at;
    }
    return err;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct device_number *left = a, *right = b;
    return strcmp(left->number, right->number);
}

/* All rows of numbers come before tasks in the order of locks. */
static enum err hold_numbers(struct work *work, struct record_list *numbers)
{
    struct device_number *rows = numbers->items;

    if (numbers->count > 0) qsort(rows, numbers->count, sizeof(*rows), compare_numbers);
    for (size_t i = 0; !work->task.is_read && i < numbers->count; i++) {
        enum err err = fleet_hold_number(work, rows[i].number);
        if (err) return err;
    }
    return ERR_OK;
}

enum err smsgate_pull(struct work *work, const struct device *phone,
                      struct record_list *ret_messages)
{
    struct device device;
    const char *sims;

    if (!phone->enabled) return ERR_DEVICE_DISABLED;
    enum err err = fleet_read(work, &phone->id, &device);
    if (!err) err = smsgate_phone_select(work, &phone->id, &sims);
    if (!err) err = hold_numbers(work, &device.numbers);
    if (err) return err;
    const struct device_number *numbers = device.numbers.items;
    *ret_messages = (struct record_list){
        .items = arena_array(work->arena, 2 * DEVICE_NUMBERS_MAX, sizeof(struct smsgate_message))};
    for (size_t i = 0; !err && i < device.numbers.count; i++) {
        if (!has_slot(&numbers[i])) continue;
        bool is_usable = match_sim(&numbers[i], sims) == SIM_MATCHES;
        err = pull_slot(work, phone, &numbers[i], is_usable, ret_messages);
    }
    if (!err) err = add_ended(work, &device, ret_messages);
    if (!err) fleet_renew_seen(work, phone);
    return err;
}

/* --- Reports ---------------------------------------------------------------------------------- */

/* With these another send would fail as well. */
static bool is_permanent(const char *error)
{
    static const char *const causes[] = {"INVALID_ARGUMENTS", "NULL_PDU", "ENCODING_ERROR",
                                         "FDN_CHECK_FAILURE", "SHORT_CODE_"};

    for (size_t i = 0; error && i < COUNT_OF(causes); i++) {
        if (strstr(error, causes[i])) return true;
    }
    return false;
}

static const char *error_of(struct work *work, const struct smsgate_report *report)
{
    const struct smsgate_recipient *recipients = report->recipients.items;

    for (size_t i = 0; i < report->recipients.count; i++) {
        if (!recipients[i].error) continue;
        return arena_str(work->arena, utf8_cut(str_of(recipients[i].error), PHONE_TASK_ERROR_MAX));
    }
    return NULL;
}

static const struct state {
    const char *word;
    enum phone_task_status status;
    const char *error;
    size_t time_at; /* in struct smsgate_times */
} states[] = {
    {"Processed", PHONE_TASK_STATUS_HANDED_OVER, NULL, offsetof(struct smsgate_times, processed)},
    {"Sent", PHONE_TASK_STATUS_SENT, NULL, offsetof(struct smsgate_times, sent)},
    {"Delivered", PHONE_TASK_STATUS_DELIVERED, NULL, offsetof(struct smsgate_times, delivered)},
    {"Failed", PHONE_TASK_STATUS_FAILED, "the phone did not say why",
     offsetof(struct smsgate_times, failed)},
    {"Cancelled", PHONE_TASK_STATUS_FAILED, "it was canceled on the phone",
     offsetof(struct smsgate_times, cancelled)},
};

/* Returns NULL for a state that tells nothing. */
static const struct state *state_of(const struct smsgate_report *report)
{
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        if (strcmp(report->state, states[i].word) == 0) return &states[i];
    }
    return NULL;
}

/* A failure that the delivery report tells: the network had taken the SMS. Its Sent may be lost, so
 * this may be the first that herald hears, and another SMS might be a second one. */
static bool is_undelivered(const struct state *state, const char *error)
{
    return state->status == PHONE_TASK_STATUS_FAILED && error && strstr(error, "Delivery result");
}

static struct phone_task_result read_result(struct work *work, const struct smsgate_report *report,
                                            const struct state *state)
{
    const char *error = state->error ? error_of(work, report) : NULL;

    if (is_undelivered(state, error))
        return (struct phone_task_result){.status = PHONE_TASK_STATUS_SENT};
    return (struct phone_task_result){
        .status = state->status,
        .error = error ? error : state->error,
        .permanent = is_permanent(error),
    };
}

/* Returns when the state was reached, by the phone's clock; 0: that is not told. */
static int64_t time_of(const struct smsgate_report *report)
{
    const struct state *state = state_of(report);
    if (!state || !report->times) return 0;
    return *(const int64_t *)((const char *)report->times + state->time_at);
}

/* The report that has waited least says most of the phone's clock. */
static enum err learn_clock(struct work *work, const struct device *phone,
                            const struct smsgate_reports *reports)
{
    const struct smsgate_report *items = reports->items.items;
    int64_t now_ms = clock_to_wall(work->now_ms), latest = 0, lag_ms;

    for (size_t i = 0; i < reports->items.count; i++) {
        if (time_of(&items[i]) > latest) latest = time_of(&items[i]);
    }
    if (latest == 0) return ERR_OK;
    if (latest - now_ms > DEVICE_CLOCK_LAG_MAX_MS)
        work_note(work, LOG_WARNING, "clock of a phone is far ahead, so it sends nothing: set it",
                  LOG_FIELDS(log_device(&phone->id)));
    return fleet_learn_clock(work, phone, now_ms - latest, &lag_ms);
}

/* These say that the report is of no use, and are found before anything is written. */
static bool is_of_no_use(enum err err)
{
    return err == ERR_NOT_FOUND || err == ERR_NUMBER_NOT_OWNED || err == ERR_LEASE_LOST ||
           err == ERR_RESULT_CONFLICT;
}

static void note_report(struct work *work, const struct device *phone,
                        const struct smsgate_report *report, const char *sentence,
                        const char *error)
{
    work_note(work, LOG_INFO, sentence,
              LOG_FIELDS(log_device(&phone->id), log_id("message_id", report->id),
                         log_plain("state", report->state), log_plain("error", error)));
}

static enum err take_report(struct work *work, const struct device *phone,
                            const struct smsgate_report *report)
{
    const struct state *state = state_of(report);
    struct uuid task_id;

    if (!state) return ERR_OK;
    struct phone_task_result result = read_result(work, report, state);
    bool is_ours = uuid_parse(str_of(report->id), &task_id);
    enum err err =
        is_ours ? phone_task_report(work, PHONE_TASK_SMS, phone, &task_id, &result) : ERR_NOT_FOUND;
    if (is_of_no_use(err))
        note_report(work, phone, report, "report passed over", err_info(err)->code);
    else if (!err && is_undelivered(state, error_of(work, report)))
        note_report(work, phone, report, "sms sent, but not delivered", "undelivered");
    return is_of_no_use(err) ? ERR_OK : err;
}

enum err smsgate_take_reports(struct work *work, const struct device *phone,
                              const struct smsgate_reports *reports)
{
    const struct smsgate_report *items = reports->items.items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < reports->items.count; i++)
        err = take_report(work, phone, &items[i]);
    return err ? err : learn_clock(work, phone, reports);
}
