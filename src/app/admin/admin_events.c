/* The feed is followed by requests that wait for the next event (contract, section 13.2). */
#include "app/admin/admin_events.h"

#include "app/admin/admin_show.h"
#include "domain/event/event.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WAIT_S = 20, /* shorter than admin_fetch waits for an answer */
    AGAIN_MS = 1000,
    EVENT_MAX = 2 * EVENT_DATA_MAX,
};

static const char *subject_cell(const struct event *event, struct arena *arena)
{
    return arena_printf(arena, "%s %s", event_subject_words[event->subject->type],
                        event->subject->id);
}

void show_events(const struct admin_view *view)
{
    static const char *const heads[] = {"SEQ", "TIME", "TYPE", "SUBJECT"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct event_list *list = view->value;
    const struct event *rows = list->events.items;
    size_t count = list->events.count;

    if (count == 0) {
        buf_printf(view->out, "There is no such event up to %" PRId64 ".\n", list->last_seq);
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = show_number(rows[i].seq, view->arena);
        row[1] = show_short_time(rows[i].timestamp, view->arena);
        row[2] = rows[i].type;
        row[3] = subject_cell(&rows[i], view->arena);
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    buf_printf(view->out, "\nWhat came later: --after %" PRId64 "\n", list->last_seq);
}

void show_webhook_deleted(const struct admin_view *view)
{
    buf_text(view->out, "Deleted: nothing is delivered to it any more.\n");
}

/* --- Following -------------------------------------------------------------------------------- */

struct flags {
    int64_t after;
    const char *types;
};
static const struct field follow_fields[] = {
    FIELD(struct flags, after, FIELD_INTEGER, FIELD_NULLABLE,
          "The number of the last event that was seen; without it only what comes from now on.",
          .min = 0, .max = INT64_MAX, .example = "4711"),
    FIELD(struct flags, types, FIELD_STRING, 0,
          "Only events of these types, separated by commas; `otp.*` means all of a subject.",
          .min = 1, .max = EVENT_TYPES_LEN_MAX, .example = "otp.confirmed,challenge.*"),
};
const struct record admin_events_follow_flags = {.size = sizeof(struct flags),
                                                 RECORD_FIELDS(follow_fields)};

struct follower {
    const struct admin_input *input;
    const struct admin_service *service;
    struct buf *why;
    bool is_told; /* that the service is away */
};

static void show_event(const struct follower *follower, const struct event *event,
                       struct arena *arena, struct buf *out)
{
    if (follower->input->wants_json) {
        show_json(&event_record, event, out);
        return;
    }
    buf_printf(out, "%-8" PRId64 " %s  %-24s ", event->seq,
               show_short_time(event->timestamp, arena), event->type);
    terminal_escape(str_of(subject_cell(event, arena)), "", out);
    buf_char(out, '\n');
}

/* Returns false where nobody reads it. */
static bool print_events(const struct follower *follower, const struct event_list *list,
                         struct arena *arena)
{
    const struct event *events = list->events.items;
    AUTO_BUF out = {0};

    if (list->events.count == 0) return true;
    buf_init(&out, (size_t)EVENT_LIMIT_MAX * EVENT_MAX);
    for (size_t i = 0; i < list->events.count; i++)
        show_event(follower, &events[i], arena, &out);
    return fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
}

static const char *make_target(const struct follower *follower, int64_t after, struct arena *arena)
{
    const char *path = follower->input->route->path;
    const char *types = admin_value(follower->input, "types");
    AUTO_BUF query = {0};

    if (after < 0) return arena_printf(arena, "%s?from=now", path);
    buf_init(&query, (size_t)4 * EVENT_TYPES_LEN_MAX);
    if (types) buf_text(&query, "&types=");
    if (types) admin_put_encoded(types, &query);
    return arena_printf(arena, "%s?after=%" PRId64 "&wait_seconds=%d%s", path, after, WAIT_S,
                        arena_str(arena, buf_view(&query)));
}

/* A service that is away is asked again; one that refuses has a reason. */
static bool is_refused(struct follower *follower, const struct admin_answer *answer,
                       struct arena *arena)
{
    bool is_final = answer->status >= 400 && answer->status < 500 && answer->status != 429;

    if (is_final || !follower->is_told)
        admin_explain(follower->input, follower->service, answer, arena, follower->why);
    if (is_final) return true;
    if (!follower->is_told)
        fprintf(stderr, "herald: %.*s\n", (int)follower->why->len, follower->why->data);
    buf_clear(follower->why);
    follower->is_told = true;
    usleep(AGAIN_MS * 1000);
    return false;
}

/* Returns false where it is over; `*after` moves on. */
static bool follow_once(struct follower *follower, int64_t *after, struct arena *arena)
{
    struct record_faults faults;
    struct admin_answer answer;
    struct event_list list;

    admin_fetch(follower->service, "GET", make_target(follower, *after, arena), STR(""), arena,
                &answer);
    if (!admin_is_done(&answer)) return !is_refused(follower, &answer, arena);
    follower->is_told = false;
    record_faults_init(&faults, arena);
    if (record_decode_answer(&event_list_record, answer.body, arena, &list, &faults)) {
        buf_printf(follower->why,
                   "The answer of the service at %s is not of the shape that this version of "
                   "herald knows.",
                   follower->service->url);
        return false;
    }
    *after = list.last_seq;
    return print_events(follower, &list, arena);
}

int admin_events_follow(const struct admin_input *input, const struct admin_service *service,
                        struct arena *arena, struct buf *out, struct buf *why)
{
    struct follower follower = {.input = input, .service = service, .why = why};
    const char *text = admin_value(input, "after");
    long long number = -1;
    bool goes_on = true;

    (void)arena;
    (void)out;
    if (text && !str_to_int64(str_of(text), &number)) number = -1;
    for (int64_t after = number; goes_on;) {
        struct arena own;
        arena_init(&own);
        goes_on = follow_once(&follower, &after, &own);
        arena_done(&own);
    }
    return EXIT_FAILURE;
}
