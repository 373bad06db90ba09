/* Events are kept with their unit of work and written behind its last statement (contract, section
 * 13.1). */
#include "core/event.h"

#include "core/service.h"
#include "kit/base/clock.h"
#include "kit/json/mask.h"

const char *const event_subject_words[] = {"otp",     "challenge",   "message",          "order",
                                           "package", "sim",         "device",           "account",
                                           "channel", "integration", "webhook_endpoint", NULL};
static_assert(COUNT_OF(event_subject_words) == EVENT_SUBJECT_COUNT + 1, "each has its word");
const char *const event_mode_words[] = {"auto", "on", "off", NULL};

const char *const event_type_words[] = {
    [EVENT_OTP_ACCEPTED] = "otp.accepted",
    [EVENT_OTP_SENT] = "otp.sent",
    [EVENT_OTP_DELIVERED] = "otp.delivered",
    [EVENT_OTP_UNDELIVERED] = "otp.undelivered",
    [EVENT_OTP_CONFIRMED] = "otp.confirmed",
    [EVENT_OTP_EXPIRED] = "otp.expired",
    [EVENT_OTP_EXHAUSTED] = "otp.exhausted",
    [EVENT_OTP_CANCELED] = "otp.canceled",
    [EVENT_CHALLENGE_CONFIRMED] = "challenge.confirmed",
    [EVENT_CHALLENGE_EXPIRED] = "challenge.expired",
    [EVENT_CHALLENGE_CANCELED] = "challenge.canceled",
    [EVENT_MESSAGE_SENT] = "message.sent",
    [EVENT_MESSAGE_DELIVERED] = "message.delivered",
    [EVENT_MESSAGE_FAILED] = "message.failed",
    [EVENT_MESSAGE_UNKNOWN] = "message.unknown",
    [EVENT_ORDER_ACCEPTED] = "order.accepted",
    [EVENT_ORDER_REJECTED] = "order.rejected",
    [EVENT_ORDER_FAILED] = "order.failed",
    [EVENT_PACKAGE_APPLIED] = "package.applied",
    [EVENT_PACKAGE_FAILED] = "package.failed",
    [EVENT_SIM_SILENT] = "sim.silent",
    [EVENT_SIM_READY] = "sim.ready",
    [EVENT_DEVICE_DISABLED] = "device.disabled",
    [EVENT_DEVICE_ENABLED] = "device.enabled",
    [EVENT_ACCOUNT_GONE] = "account.gone",
    [EVENT_ACCOUNT_BACK] = "account.back",
    [EVENT_CHANNEL_CLOSED] = "channel.closed",
    [EVENT_CHANNEL_OPENED] = "channel.opened",
    [EVENT_CIRCUIT_OPENED] = "integration.circuit_opened",
    [EVENT_CIRCUIT_CLOSED] = "integration.circuit_closed",
    [EVENT_WEBHOOK_DISABLED] = "webhook_endpoint.disabled",
    [EVENT_TYPE_COUNT] = NULL,
};

/* The word of a type begins with that of its subject. */
static enum event_subject subject_of(enum event_type type)
{
    const char *word = event_type_words[type];
    size_t len = strcspn(word, ".");
    int subject = 0;

    while (strlen(event_subject_words[subject]) != len ||
           memcmp(event_subject_words[subject], word, len) != 0)
        subject++;
    return (enum event_subject)subject;
}

struct event_note {
    struct event_note *next;
    const char *type; /* "": its subject is erased */
    enum event_subject subject;
    const char *subject_id;
};

/* --- Whether somebody listens ----------------------------------------------------------------- */

/* A process that cannot ask who listens writes events, so that none is missing. */
static bool is_wanted(struct event_setup *setup)
{
    int64_t known_at_ms = atomic_load(&setup->known_at_ms);
    return atomic_load(&setup->is_wanted) || clock_monotonic_ms() - known_at_ms > EVENT_KNOWN_MS;
}

/* A unit of work that found nobody is counted until its end: a registration waits for it. */
static bool ask_who_listens(struct event_setup *setup)
{
    if (is_wanted(setup)) return true;
    atomic_fetch_add(&setup->unheard, 1);
    if (!is_wanted(setup)) return false;
    atomic_fetch_sub(&setup->unheard, 1);
    return true;
}

bool work_is_heard(struct work *work)
{
    struct event_setup *setup = work->service ? work->service->events : NULL;

    if (!setup || setup->mode == EVENTS_OFF) return false;
    if (setup->mode == EVENTS_ON) return true;
    if (work->hearing == HEARING_UNKNOWN)
        work->hearing = ask_who_listens(setup) ? HEARING_SOMEBODY : HEARING_NOBODY;
    return work->hearing == HEARING_SOMEBODY;
}

void event_forget(struct work *work)
{
    if (work->hearing == HEARING_NOBODY) atomic_fetch_sub(&work->service->events->unheard, 1);
    work->hearing = HEARING_UNKNOWN;
    work->events = NULL;
    work->events_end = &work->events;
}

/* --- Adding ----------------------------------------------------------------------------------- */

static void add(struct work *work, const char *type, enum event_subject subject, const char *id)
{
    struct event_note *note = ARENA_NEW(work->arena, struct event_note);

    *note = (struct event_note){
        .type = type, .subject = subject, .subject_id = arena_text(work->arena, id)};
    *work->events_end = note;
    work->events_end = &note->next;
}

void work_event(struct work *work, enum event_type type, const char *subject_id)
{
    if (work_is_heard(work)) add(work, event_type_words[type], subject_of(type), subject_id);
}

void work_event_id(struct work *work, enum event_type type, const struct uuid *subject_id)
{
    if (work_is_heard(work)) work_event(work, type, uuid_text(subject_id, work->arena));
}

void work_event_erase(struct work *work, enum event_subject subject, const struct uuid *subject_id)
{
    struct event_setup *setup = work->service ? work->service->events : NULL;
    bool has_feed = setup && (atomic_load(&setup->has_feed) || work_is_heard(work));
    if (has_feed) add(work, "", subject, uuid_text(subject_id, work->arena));
}

/* --- Writing ---------------------------------------------------------------------------------- */

static bool is_same_subject(const struct event_note *a, const struct event_note *b)
{
    return a->subject == b->subject && strcmp(a->subject_id, b->subject_id) == 0;
}

/* Of several events about one subject, each has the sequence of its own change. */
static int64_t count_later(const struct event_note *note)
{
    int64_t count = 0;
    for (const struct event_note *later = note->next; later; later = later->next)
        count += later->type[0] && is_same_subject(note, later);
    return count;
}

static const char *encode(struct work *work, const struct record *record, const void *value)
{
    struct json_writer writer;
    AUTO_BUF out = {0};

    buf_init(&out, EVENT_DATA_MAX);
    json_writer_init(&writer, &out);
    record_encode(record, value, &writer);
    return out.is_full ? NULL : arena_str(work->arena, buf_view(&out));
}

/* ERR_NOT_FOUND: its subject is gone. */
static enum err show_subject(struct work *work, const struct event_note *note,
                             struct event_row *row)
{
    const struct event_reader *reader = &work->service->events->readers[note->subject];
    const void *value;

    if (!note->type[0]) return ERR_OK;
    work->makes_events = true;
    enum err err = reader->read(work, note->subject_id, &value, &row->sequence);
    work->makes_events = false;
    if (err) return err;
    row->sequence -= count_later(note);
    row->data = encode(work, reader->record, value);
    return ERR_OK;
}

struct str event_show(const struct event_setup *setup, const struct event_row *row, enum role role,
                      struct arena *arena)
{
    struct json_masks masks = role_masks(role);
    AUTO_BUF shown = {0};

    if (!row->data) return (struct str){0};
    if (!masks.personal && !masks.words) return str_of(row->data);
    buf_init(&shown, MASK_GROWTH * EVENT_DATA_MAX);
    const struct record *record = setup->readers[row->subject].record;
    if (!json_mask_record(str_of(row->data), record, masks, &shown)) return (struct str){0};
    return (struct str){arena_str(arena, buf_view(&shown)), shown.len};
}

static enum err write_note(struct work *work, const struct event_note *note)
{
    struct event_row row = {
        .id = uuid_new(work->now_ms),
        .type = note->type,
        .subject = note->subject,
        .subject_id = note->subject_id,
        .at = clock_to_wall(work->now_ms),
        .traceparent = work->traceparent,
    };

    enum err err = show_subject(work, note, &row);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    return outbox_insert(work, &row);
}

enum err event_write(struct work *work)
{
    enum err err = ERR_OK;

    if (!work->events) return ERR_OK;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    for (const struct event_note *note = work->events; !err && note; note = note->next)
        err = write_note(work, note);
    if (!err) db_notify(work->tx, EVENT_OUTBOX_TOPIC);
    return err;
}
