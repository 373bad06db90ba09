/*
 * An SMS is made at ModemManager, noted in the journal, and only then sent (contract,
 * section 15.4). What the modem answered for sure is sent or failed; all else is unknown, and
 * nothing is sent again for it.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "modem/agent.h"

#include <stdio.h>
#include <stdlib.h>

#define MESSAGING MM_NAME ".Modem.Messaging"
#define SMS       MM_NAME ".Sms"

enum {
    CREATE_TIMEOUT_S = 20,
    SEND_TIMEOUT_S = 180,
    BEGIN_MS = 60 * 1000,   /* later, the lease would end before the SMS has gone out */
    NO_REFERENCE = 1 << 16, /* ModemManager has not told it */
    PART_UNITS = 70,        /* of UCS-2, which one SMS holds */
    PDU_SUBMIT = 2,         /* MMSmsPduType */
    PDU_REPORT = 3,
    SMS_RECEIVED = 3, /* MMSmsState */
    SMS_SENDING = 4,
    REPORT_DONE_MAX = 0x02, /* TP-ST: delivered */
    REPORT_FAILED_MIN = 0x40,
};

/* An SMS that is under way at ModemManager. */
struct sending {
    struct agent *agent;
    uint64_t modem; /* its serial */
    struct task task;
    size_t key;
    int64_t claimed_ms; /* monotonic */
    bool is_whole;      /* it is one part */
    char path[PATH_TEXT_SIZE];
};

static struct sending *copy(const struct sending *sending)
{
    struct sending *made = must_malloc(sizeof *made);

    *made = *sending;
    return made;
}

static void set_idle(const struct sending *sending)
{
    struct modem *modem = manager_find(&sending->agent->manager, sending->modem);

    sending->agent->sending--;
    if (modem) modem->is_sending = false;
}

/* Nothing was handed to the modem. */
static void refuse(const struct sending *sending, const char *why)
{
    const struct job job = {.id = sending->task.id, .lease_id = sending->task.lease_id};

    set_idle(sending);
    report_refusal(sending->agent, &sending->agent->links[sending->key], sending->task.number, &job,
                   why);
}

/* --- The outcome ------------------------------------------------------------------------------ */

static void delete_sms(struct agent *agent, uint64_t serial, const char *path)
{
    const struct modem *modem = manager_find(&agent->manager, serial);

    if (modem) bus_order(agent->bus, modem->path, MESSAGING, "Delete", path);
}

static bool begins(const char *text, const char *with)
{
    size_t len = strlen(with);
    return strlen(text) >= len && memcmp(text, with, len) == 0;
}

/* Errors before anything went to the modem: the call did not reach it, or was refused. */
static bool is_before(const char *name)
{
    static const char *const names[] = {
        MM_NAME ".Error.Core.WrongState",
        MM_NAME ".Error.Core.Unauthorized",
        MM_NAME ".Error.Core.NotFound",
        MM_NAME ".Error.Core.InvalidArgs",
        MM_NAME ".Error.Core.Unsupported",
        "org.freedesktop.DBus.Error.UnknownObject",
        "org.freedesktop.DBus.Error.UnknownMethod",
        "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.AccessDenied",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool is_port_closed(const sd_bus_error *error)
{
    const char *text = error->message ? error->message : "";
    return strstr(text, "Could not open serial device") || strstr(text, "port is now closed");
}

/* Judges an error of Send. The modem's own answer says that this part was not sent; but a network
 * that did not answer in time (332), or an error that the modem cannot name (500), says nothing. */
static void judge_error(struct task *task, const sd_bus_error *error, bool is_whole)
{
    const char *name = error->name ? error->name : "", *text = error->message ? error->message : "";
    bool is_of_modem = begins(name, MM_NAME ".Error.Message.");
    bool is_vague = strcmp(name, MM_NAME ".Error.Message.NetworkTimeout") == 0 ||
                    strcmp(text, "Unknown") == 0 || strcmp(text, "Unknown error") == 0;
    long long code = 0;

    if (begins(text, "Unknown message error: ")) str_to_int64(str_of(text + 23), &code);
    /* The port was closed before the modem got anything, as behind an unplugging. */
    bool is_closed = strstr(text, "Could not open serial device") != NULL;
    bool is_refusal = (is_of_modem && !is_vague) || is_closed;
    bool is_failure = is_before(name) || (is_refusal && is_whole);
    task->state = is_failure ? TASK_FAILED : TASK_UNKNOWN;
    /* Unassigned number, unidentified and unknown subscriber: no SIM would do better. */
    task->permanent = is_failure && (code == 1 || code == 28 || code == 30);
    snprintf(task->error, sizeof task->error, "%s%s%s", text, text[0] && name[0] ? ", " : "", name);
    for (char *c = task->error; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = ' ';
}

static void note_outcome(struct agent *agent, struct task *task)
{
    journal_note(agent->journal, task, true);
    log_write(task->state == TASK_SENT ? LOG_INFO : LOG_WARNING, "SMS handed to the modem",
              LOG_FIELDS(log_uuid("task_id", &task->id), log_phone("gateway_number", task->number),
                         log_plain("state", task_state_words[task->state]),
                         log_plain("error", task->error[0] ? task->error : NULL)));
}

/* --- Delivery reports ------------------------------------------------------------------------- */

/* A report that it was not delivered after all cannot be told: herald knows that it was sent, and
 * takes no failure behind that. The log has it. */
static bool take_report(struct agent *agent, const struct modem *modem,
                        const struct early_report *report)
{
    struct task *task = journal_find_report(agent->journal, modem->number, report->reference,
                                            report->tag, clock_now_ms());

    if (!task) return false;
    if (report->delivery <= REPORT_DONE_MAX) {
        task->state = TASK_DELIVERED;
        journal_note(agent->journal, task, true);
    }
    if (report->delivery >= REPORT_FAILED_MIN)
        log_write(LOG_WARNING, "the network could not deliver an SMS",
                  LOG_FIELDS(log_uuid("task_id", &task->id),
                             log_phone("gateway_number", task->number),
                             log_int("delivery_state", report->delivery)));
    return true;
}

/* A report may come before ModemManager has said that the SMS was sent. */
static void keep_early(struct modem *modem, const struct early_report *report)
{
    modem->early[modem->early_next++ % EARLY_REPORTS_MAX] = *report;
}

static void take_early(struct agent *agent, struct modem *modem, const struct task *task)
{
    for (size_t i = 0; i < EARLY_REPORTS_MAX; i++) {
        struct early_report *report = &modem->early[i];
        if (report->tag != task->tag || report->reference != task->reference) continue;
        if (take_report(agent, modem, report))
            *report = (struct early_report){.reference = NO_REFERENCE};
    }
}

static const struct bus_property reference_rows[] = {
    {"MessageReference", 'u', 0, sizeof(int64_t)},
};

static int take_reference(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct sending *sending = context;
    struct task *task = journal_find(sending->agent->journal, &sending->task.id);
    struct modem *modem = manager_find(&sending->agent->manager, sending->modem);
    int64_t reference = NO_REFERENCE;

    (void)error;
    if (!sd_bus_message_is_method_error(reply, NULL))
        bus_read_properties(reply, reference_rows, 1, &reference);
    if (task && reference != NO_REFERENCE) {
        task->reference = (unsigned)reference & 0xFF;
        journal_note(sending->agent->journal, task, false);
        if (modem) take_early(sending->agent, modem, task);
    }
    delete_sms(sending->agent, sending->modem, sending->path);
    return 0;
}

static int take_sent(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct sending *sending = context;
    struct agent *agent = sending->agent;
    struct task *task = journal_find(agent->journal, &sending->task.id);
    struct modem *modem = manager_find(&agent->manager, sending->modem);
    const sd_bus_error *fault = sd_bus_message_get_error(reply);

    (void)error;
    set_idle(sending);
    if (!task) return 0;
    if (fault)
        judge_error(task, fault, sending->is_whole);
    else
        task->state = TASK_SENT;
    note_outcome(agent, task);
    if (!fault)
        bus_ask_properties(agent->bus, sending->path, SMS, take_reference, copy(sending));
    else
        delete_sms(agent, sending->modem, sending->path);
    if (fault && modem && is_port_closed(fault)) manager_set_aside(&agent->manager, modem);
    if (fault && modem && strcmp(fault->name, MM_NAME ".Error.Message.MemoryFull") == 0)
        send_look_at_all(agent, modem, true);
    return 0;
}

/* --- Sending ---------------------------------------------------------------------------------- */

/* The last moment at which nothing has happened. */
static const char *find_hindrance(const struct sending *sending, const struct modem *modem)
{
    if (!modem || !modem_is_ready(modem)) return "the modem is gone";
    if (clock_monotonic_ms() - sending->claimed_ms > BEGIN_MS) return "the modem is too slow";
    return NULL;
}

static int take_created(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    struct sending *sending = context;
    struct agent *agent = sending->agent;
    const char *path, *why = find_hindrance(sending, manager_find(&agent->manager, sending->modem));
    AUTO_MESSAGE *message = NULL;

    (void)error;
    if (sd_bus_message_is_method_error(reply, NULL))
        why = sd_bus_message_get_error(reply)->message;
    else if (sd_bus_message_read(reply, "o", &path) < 0 || strlen(path) >= PATH_TEXT_SIZE)
        why = "ModemManager does not answer as it should";
    else
        snprintf(sending->path, sizeof sending->path, "%s", path);
    if (!why && sd_bus_message_new_method_call(agent->bus, &message, MM_NAME, sending->path, SMS,
                                               "Send") < 0)
        why = "D-Bus does not take it";
    if (!why && !journal_begin(agent->journal, &sending->task))
        why = "the journal cannot be written";
    if (why) {
        refuse(sending, why);
        return 0;
    }
    /* From here on it may be sent, whatever happens. */
    if (bus_ask(agent->bus, message, take_sent, SEND_TIMEOUT_S, copy(sending)) < 0) {
        struct task *task = journal_find(agent->journal, &sending->task.id);
        task->state = TASK_UNKNOWN;
        snprintf(task->error, sizeof task->error, "D-Bus did not take it");
        note_outcome(agent, task);
        set_idle(sending);
    }
    return 0;
}

/* Counts the units of UCS-2, which the alphabet of GSM never needs more of. */
static bool fits_one_part(struct str text)
{
    size_t units = 0;

    while (text.len > 0)
        units += utf8_take(&text) > 0xFFFF ? 2 : 1;
    return units <= PART_UNITS;
}

static int write_create(sd_bus_message *message, const struct job *job)
{
    return sd_bus_message_append(message, "a{sv}", 3, "number", "s", job->recipient, "text", "s",
                                 job->text, "delivery-report-request", "b", 1);
}

void send_begin(struct agent *agent, struct modem *modem, const struct job *job, int64_t claimed_ms)
{
    struct sending sending = {
        .agent = agent,
        .modem = modem->serial,
        .key = modem->key,
        .claimed_ms = claimed_ms,
        .is_whole = fits_one_part(str_of(job->text)),
        .task = {.id = job->id,
                 .lease_id = job->lease_id,
                 .state = TASK_SENDING,
                 .told = -1,
                 .reference = NO_REFERENCE,
                 .tag = journal_tag(job->recipient),
                 .at_ms = clock_now_ms()},
    };
    AUTO_MESSAGE *message = NULL;

    memcpy(sending.task.number, modem->number, sizeof sending.task.number);
    modem->is_sending = true;
    agent->sending++;
    int made = sd_bus_message_new_method_call(agent->bus, &message, MM_NAME, modem->path, MESSAGING,
                                              "Create");
    if (made >= 0) made = write_create(message, job);
    if (made >= 0)
        made = bus_ask(agent->bus, message, take_created, CREATE_TIMEOUT_S, copy(&sending));
    if (made < 0) refuse(&sending, "D-Bus does not take it");
}

/* --- What lies on the SIM --------------------------------------------------------------------- */

struct look {
    struct agent *agent;
    uint64_t modem;
    bool is_full; /* room is needed: what was received goes, too */
    char path[PATH_TEXT_SIZE];
};

struct seen_sms {
    int64_t kind, state, reference, delivery;
    char number[32];
};

static const struct bus_property sms_rows[] = {
    BUS_VALUE(struct seen_sms, kind, "PduType", 'u'),
    BUS_VALUE(struct seen_sms, state, "State", 'u'),
    BUS_VALUE(struct seen_sms, reference, "MessageReference", 'u'),
    BUS_VALUE(struct seen_sms, delivery, "DeliveryState", 'u'),
    BUS_TEXT(struct seen_sms, number, "Number"),
};

static int take_seen(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct look *look = context;
    struct modem *modem = manager_find(&look->agent->manager, look->modem);
    struct seen_sms sms = {0};

    (void)error;
    if (!modem || sd_bus_message_is_method_error(reply, NULL)) return 0;
    if (bus_read_properties(reply, sms_rows, sizeof sms_rows / sizeof *sms_rows, &sms) < 0)
        return 0;
    const struct early_report report = {.reference = (unsigned)sms.reference,
                                        .tag = journal_tag(sms.number),
                                        .delivery = sms.delivery};
    if (sms.kind == PDU_REPORT && !take_report(look->agent, modem, &report))
        keep_early(modem, &report);
    bool is_received = sms.kind != PDU_REPORT && sms.state == SMS_RECEIVED;
    bool is_own = sms.kind == PDU_SUBMIT && sms.state != SMS_SENDING && !modem->is_sending;
    if (sms.kind == PDU_REPORT || is_own || (is_received && look->is_full))
        delete_sms(look->agent, look->modem, look->path);
    return 0;
}

static void look_at(struct agent *agent, const struct modem *modem, const char *path, bool is_full)
{
    struct look *look = must_malloc(sizeof *look);

    *look = (struct look){.agent = agent, .modem = modem->serial, .is_full = is_full};
    snprintf(look->path, sizeof look->path, "%s", path);
    bus_ask_properties(agent->bus, path, SMS, take_seen, look);
}

void send_look(struct agent *agent, struct modem *modem, const char *path)
{
    look_at(agent, modem, path, false);
}

static int take_list(sd_bus_message *reply, void *context, sd_bus_error *error)
{
    const struct look *look = context;
    const struct modem *modem = manager_find(&look->agent->manager, look->modem);
    const char *path;

    (void)error;
    if (!modem || sd_bus_message_is_method_error(reply, NULL)) return 0;
    if (sd_bus_message_enter_container(reply, 'a', "o") < 0) return 0;
    while (sd_bus_message_read_basic(reply, 'o', &path) > 0)
        look_at(look->agent, modem, path, look->is_full);
    return 0;
}

void send_look_at_all(struct agent *agent, struct modem *modem, bool is_full)
{
    AUTO_MESSAGE *message = NULL;
    struct look *look = must_malloc(sizeof *look);

    *look = (struct look){.agent = agent, .modem = modem->serial, .is_full = is_full};
    int made = sd_bus_message_new_method_call(agent->bus, &message, MM_NAME, modem->path, MESSAGING,
                                              "List");
    if (made >= 0)
        bus_ask(agent->bus, message, take_list, CREATE_TIMEOUT_S, look);
    else
        free(look);
}
