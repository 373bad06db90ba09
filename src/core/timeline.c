/*
 * A line of the column `steps` is a letter, the time, and further values behind a letter each; the
 * error goes to its end (contract, section 11.7):
 *
 *   c1795235580123 d0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f
 *   f1795235580123 t142 orate_limited eHTTP 429
 *
 * Where a column was full there is a plus sign.
 */
#include "core/timeline.h"

#include "core/words.h"
#include "kit/base/buf.h"
#include "kit/base/macros.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

enum { CAPACITY_FIRST = 32, LINE_MAX = 256, MARK = '+' };

/* They stand in the database for ever. */
static const char letters[] = {
    [TIMELINE_CREATED] = 'C',   [TIMELINE_QUEUED] = 'q',      [TIMELINE_CLAIMED] = 'c',
    [TIMELINE_RETURNED] = 'r',  [TIMELINE_MOVED] = 'm',       [TIMELINE_CHECK] = 'k',
    [TIMELINE_FETCH] = 'f',     [TIMELINE_STATUS] = 'p',      [TIMELINE_SUCCESS] = 'y',
    [TIMELINE_ATTEMPT] = 't',   [TIMELINE_ACCEPTED] = 'a',    [TIMELINE_SENT] = 's',
    [TIMELINE_DELIVERED] = 'd', [TIMELINE_FAILED] = 'x',      [TIMELINE_UNKNOWN] = 'n',
    [TIMELINE_REJECTED] = 'j',  [TIMELINE_RETRIED] = 'o',     [TIMELINE_WRONG_CODE] = 'w',
    [TIMELINE_FALLBACK] = 'b',  [TIMELINE_UNDELIVERED] = 'u', [TIMELINE_CONFIRMED] = 'v',
    [TIMELINE_EXHAUSTED] = 'e', [TIMELINE_EXPIRED] = 'E',     [TIMELINE_CANCELED] = 'z',
    [TIMELINE_CUT] = MARK,
};
static_assert(COUNT_OF(letters) == TIMELINE_WORD_COUNT, "each word has its letter");

const char *const timeline_words[] = {
    "created",   "queued",   "claimed",  "returned",   "moved",    "check",       "fetch",
    "status",    "success",  "attempt",  "accepted",   "sent",     "delivered",   "failed",
    "unknown",   "rejected", "retried",  "wrong_code", "fallback", "undelivered", "confirmed",
    "exhausted", "expired",  "canceled", "cut",        NULL};
static_assert(COUNT_OF(timeline_words) == TIMELINE_WORD_COUNT + 1, "each word is named");

const char *const timeline_channel_words[] = {
    "sms", "flash_call", "messenger_gateway", "messenger_bot", "personal_messenger", NULL};
const char *const timeline_outcome_words[] = {
    "done",     "rate_limited", "retryable",      "permanent", "ours",     "unknown",
    "accepted", "rejected",     "contract_error", "refused",   "not_sent", NULL};

/* --- Writing ---------------------------------------------------------------------------------- */

static void put_error(struct buf *line, const char *error)
{
    struct str cut = utf8_fit(str_of(error), TIMELINE_ERROR_MAX);
    buf_text(line, " e");
    for (size_t i = 0; i < cut.len; i++) {
        bool is_control = (unsigned char)cut.data[i] < ' ' || cut.data[i] == 0x7f;
        buf_char(line, is_control ? ' ' : cut.data[i]);
    }
}

const char *timeline_line(struct arena *arena, const struct timeline_step *step)
{
    AUTO_BUF line = {0};

    buf_init(&line, LINE_MAX);
    buf_printf(&line, "%c%" PRId64, letters[step->word], step->at);
    if (!uuid_is_nil(&step->device_id))
        buf_printf(&line, " d%s", uuid_text(&step->device_id, arena));
    if (step->gateway_number) buf_printf(&line, " n%s", step->gateway_number);
    if (step->duration_ms >= 0) buf_printf(&line, " t%" PRId64, step->duration_ms);
    if (step->status > 0) buf_printf(&line, " h%" PRId64, step->status);
    if (step->outcome >= 0) buf_printf(&line, " o%s", timeline_outcome_words[step->outcome]);
    if (step->error) put_error(&line, step->error);
    buf_char(&line, '\n');
    return arena_str(arena, buf_view(&line));
}

/* --- Reading ---------------------------------------------------------------------------------- */

void timeline_init(struct timeline *timeline, struct arena *arena)
{
    *timeline = (struct timeline){.arena = arena};
}

struct timeline_step *timeline_at(const struct timeline *timeline, size_t index)
{
    assert(index < timeline->steps.count);
    return (struct timeline_step *)timeline->steps.items + index;
}

void timeline_add(struct timeline *timeline, const struct timeline_step *step)
{
    size_t count = timeline->steps.count;

    if (count == TIMELINE_STEPS_MAX) {
        timeline_at(timeline, count - 1)->word = TIMELINE_CUT;
        return;
    }
    if (count == timeline->capacity) {
        timeline->capacity = count ? 2 * count : CAPACITY_FIRST;
        void *steps = arena_array(timeline->arena, timeline->capacity, sizeof(*step));
        if (count) memcpy(steps, timeline->steps.items, count * sizeof(*step));
        timeline->steps.items = steps;
    }
    timeline->steps.count++;
    *timeline_at(timeline, count) = *step;
}

void timeline_remove(struct timeline *timeline, size_t index)
{
    struct timeline_step *step = timeline_at(timeline, index);
    size_t behind = --timeline->steps.count - index;
    memmove(step, step + 1, behind * sizeof(*step));
}

static bool read_number(struct str text, int64_t *ret_number)
{
    long long number;
    if (!str_to_int64(text, &number) || number < 0) return false;
    *ret_number = number;
    return true;
}

/* A value of a kind that a later version of herald writes is left out. */
static void read_value(struct arena *arena, char kind, struct str value, struct timeline_step *step)
{
    switch (kind) {
    case 'd':
        if (!uuid_parse(value, &step->device_id)) step->device_id = (struct uuid){0};
        break;
    case 'n':
        step->gateway_number = arena_str(arena, value);
        break;
    case 't':
        if (!read_number(value, &step->duration_ms)) step->duration_ms = -1;
        break;
    case 'h':
        if (!read_number(value, &step->status)) step->status = -1;
        break;
    case 'o':
        step->outcome = word_index(timeline_outcome_words, arena_str(arena, value));
        break;
    }
}

static bool read_word(char letter, int *ret_word)
{
    const char *found = letter ? memchr(letters, letter, sizeof(letters)) : NULL;
    if (!found) return false;
    *ret_word = (int)(found - letters);
    return true;
}

static bool read_line(struct arena *arena, struct str line, struct timeline_step *step)
{
    struct str time = str_until(line, ' ');

    if (time.len < 2 || !read_word(line.data[0], &step->word)) return false;
    if (!read_number(str_behind(time, 1), &step->at)) return false;
    for (struct str rest = str_behind(line, time.len); rest.len > 1;) {
        rest = str_behind(rest, 1);
        struct str value = rest.data[0] == 'e' ? rest : str_until(rest, ' ');
        rest = str_behind(rest, value.len);
        if (value.len == 0) continue;
        struct str behind = str_behind(value, 1);
        if (value.data[0] == 'e')
            step->error = arena_str(arena, behind);
        else
            read_value(arena, value.data[0], behind, step);
    }
    return true;
}

void timeline_add_lines(struct timeline *timeline, const char *steps,
                        const struct timeline_step *row)
{
    int64_t at = row->at;

    for (struct str rest = str_of(steps); rest.len > 0;) {
        if (rest.data[0] == MARK) {
            struct timeline_step cut = *row;
            cut.word = TIMELINE_CUT;
            cut.at = at;
            timeline_add(timeline, &cut);
            rest = str_behind(rest, 1);
            continue;
        }
        struct str line = str_until(rest, '\n');
        if (line.len == rest.len) return; /* it has no end */
        struct timeline_step step = *row;
        if (read_line(timeline->arena, line, &step)) timeline_add(timeline, &step);
        at = step.at;
        rest = str_behind(rest, line.len + 1);
    }
}

/* Nearly all of them are in order already. */
void timeline_sort(struct timeline *timeline)
{
    for (size_t i = 1; i < timeline->steps.count; i++) {
        struct timeline_step step = *timeline_at(timeline, i);
        size_t at = i;
        for (; at > 0 && timeline_at(timeline, at - 1)->at > step.at; at--)
            *timeline_at(timeline, at) = *timeline_at(timeline, at - 1);
        *timeline_at(timeline, at) = step;
    }
}

/* --- On the wire ------------------------------------------------------------------------------ */

static const struct field step_fields[] = {
    FIELD(struct timeline_step, at, FIELD_TIME, FIELD_REQUIRED, "When it came about."),
    FIELD_AS("step", struct timeline_step, word, FIELD_ENUM, FIELD_REQUIRED,
             "What came about. created; queued: a send waits. claimed, returned, moved: a phone "
             "took it, it went back to the queue, it waits for another SIM. check, fetch, status, "
             "success: a fetch from the provider, which asks whether the recipient can be reached, "
             "hands over the send, asks what became of it, tells that the code was right. attempt: "
             "of an order. accepted, sent, delivered, failed, unknown, rejected: what became of a "
             "send or an order. retried: an operator had the order tried again. wrong_code; "
             "fallback: an SMS was asked for; undelivered: every send failed. confirmed, "
             "exhausted, expired, canceled: the end. cut: there is more than is kept.",
             .words = timeline_words, .example = "claimed"),
    FIELD(struct timeline_step, channel, FIELD_ENUM, FIELD_OMIT_NULL, "How it is sent.",
          .words = timeline_channel_words, .example = "sms"),
    FIELD(struct timeline_step, gateway_number, FIELD_STRING, FIELD_OMIT_NULL,
          "The SIM that sends it, or is called.", .example = "+79160000001"),
    FIELD(struct timeline_step, account_id, FIELD_STRING, FIELD_OMIT_NULL,
          "The personal messenger account that sends it.", .example = "shop-12"),
    FIELD(struct timeline_step, device_id, FIELD_UUID, FIELD_OMIT_NULL, "The phone that did it."),
    FIELD(struct timeline_step, device_name, FIELD_STRING, FIELD_WORDS | FIELD_OMIT_NULL,
          "Its name.", .example = "Shop 12"),
    FIELD(struct timeline_step, attempt, FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL,
          "Which send of the code or message, which wrong code, or which attempt of the order it "
          "is; 1 for the first.",
          .example = "1"),
    FIELD(struct timeline_step, duration_ms, FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL,
          "How long the fetch took.", .example = "142"),
    FIELD(struct timeline_step, status, FIELD_INTEGER, FIELD_NULLABLE | FIELD_OMIT_NULL,
          "The HTTP status of the answer.", .example = "200"),
    FIELD(struct timeline_step, outcome, FIELD_ENUM, FIELD_OMIT_NULL,
          "How the fetch ended; left out while it is under way, or where herald ended during it.",
          .words = timeline_outcome_words, .example = "done"),
    FIELD(struct timeline_step, error, FIELD_STRING, FIELD_WORDS | FIELD_OMIT_NULL,
          "Why it did not succeed.", .example = "no service"),
};

static const struct record step_record = {
    .name = "TimelineStep",
    .doc = "One step. What it has nothing to tell of is left out.",
    .size = sizeof(struct timeline_step),
    RECORD_FIELDS(step_fields),
};

static const struct field timeline_fields[] = {
    FIELD(struct timeline, steps, FIELD_RECORDS, FIELD_REQUIRED, "Oldest first.",
          .items_max = TIMELINE_STEPS_MAX, .record = &step_record),
};

const struct record timeline_record = {
    .name = "Timeline",
    .doc = "What became of it, step by step.",
    .size = sizeof(struct timeline),
    RECORD_FIELDS(timeline_fields),
};
