/*
 * The log is searched page by page until there are as many entries as were asked for, since one
 * request looks at a part of the log only. What comes behind them is followed by the stream, which
 * is asked again, after the last entry that came, whenever it ends.
 */
#include "app/admin/admin_log.h"

#include "app/admin/admin_show.h"
#include "core/page.h"
#include "domain/event_log/event_log.h"
#include "kit/base/must.h"
#include "kit/base/terminal.h"
#include "kit/fetch/fetch.h"

#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    EXIT_WRONG_COMMAND = 2,
    PAGES_MAX = 1000, /* of 20,000 entries */
    CONNECT_TIMEOUT_MS = 5000,
    STREAM_MS = 60 * 1000, /* so a connection that broke unseen is noticed in time */
    AGAIN_MS = 1000,
    EVENT_MAX = 256 * 1024, /* one event of the stream */
    ENTRY_MAX = 512 * 1024, /* one entry as it is shown */
};

/* --- Searching -------------------------------------------------------------------------------- */

struct log_run {
    const struct admin_input *input;
    const struct admin_service *service;
    struct arena *arena;
    struct buf *out, *why;
};

static bool decode(const struct record *record, struct str body, struct arena *arena,
                   void *ret_value)
{
    struct record_faults faults;
    record_faults_init(&faults, arena);
    return record_decode_answer(record, body, arena, ret_value, &faults) == ERR_OK;
}

/* Asks for one page. Returns false, and says why, if there is none. */
static bool ask_page(const struct log_run *run, const char *target, struct log_entry_list *ret_page)
{
    struct admin_answer answer;

    admin_fetch(run->service, "GET", target, STR(""), run->arena, &answer);
    if (!admin_is_done(&answer)) {
        admin_explain(run->input, run->service, &answer, run->arena, run->why);
        return false;
    }
    if (decode(&log_entry_list_record, answer.body, run->arena, ret_page)) return true;
    buf_printf(run->why,
               "The answer of the service at %s is not of the shape that this version of herald "
               "knows.",
               run->service->url);
    return false;
}

static const char *next_target(const struct log_run *run, const char *cursor)
{
    const char *target = admin_make_target(run->input, run->arena);
    if (!cursor) return target;
    return arena_printf(run->arena, "%s%scursor=%s", target, strchr(target, '?') ? "&" : "?",
                        cursor);
}

/* Adds a page to the entries, at most `limit` in all; what is left over begins the next page. */
static void add_page(const struct log_run *run, int64_t limit, const struct log_entry_list *page,
                     struct log_entry_list *all)
{
    struct log_entry *entries = all->entries.items;
    const struct log_entry *added = page->entries.items;
    size_t room = (size_t)limit - all->entries.count;
    size_t count = page->entries.count < room ? page->entries.count : room;

    for (size_t i = 0; i < count; i++)
        entries[all->entries.count++] = added[i];
    all->next_cursor = page->next_cursor;
    if (count > 0 && count < page->entries.count)
        all->next_cursor = arena_printf(run->arena, "%" PRId64, added[count - 1].id);
}

static bool search(const struct log_run *run, struct log_entry_list *ret_all)
{
    const char *text = admin_value(run->input, "limit");
    /* Its own cursor is that of the first page; the later ones have another. */
    const char *cursor = NULL;
    struct log_entry_list page;
    long long limit = 0;

    bool is_good = text && str_to_int64(str_of(text), &limit);
    if (!is_good || limit < 1 || limit > PAGE_LIMIT_MAX) limit = PAGE_LIMIT_DEFAULT;
    ret_all->entries.items = arena_array(run->arena, (size_t)limit, sizeof(struct log_entry));
    for (int i = 0; i < PAGES_MAX && (i == 0 || cursor); i++) {
        if (!ask_page(run, next_target(run, cursor), &page)) return false;
        add_page(run, limit, &page, ret_all);
        cursor = ret_all->entries.count < (size_t)limit ? ret_all->next_cursor : NULL;
        if (admin_value(run->input, "cursor")) break;
    }
    return true;
}

static void show(const struct log_run *run, const struct log_entry_list *list)
{
    struct admin_view view = {
        .input = run->input, .value = list, .arena = run->arena, .out = run->out};

    if (run->input->wants_json)
        show_json(&log_entry_list_record, list, run->out);
    else
        show_log(&view);
}

/* --- Following -------------------------------------------------------------------------------- */

struct follower {
    struct fetch call; /* first, since the hooks get this pointer */
    const struct log_run *run;
    sem_t is_done;
    int64_t last_id;  /* of the last entry that was shown */
    struct buf event; /* what has come of the next event */
    bool is_closed;   /* nobody reads what is shown */
};

static bool print(const struct buf *text)
{
    return fwrite(text->data, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
}

/* With --json a line is an entry as the stream has it; else it is shown as in the table. */
static void show_entry(struct follower *follower, struct str json)
{
    struct log_entry entry;
    struct arena arena;
    AUTO_BUF text = {0};

    arena_init(&arena);
    buf_init(&text, ENTRY_MAX);
    if (decode(&log_entry_record, json, &arena, &entry) && entry.id > follower->last_id) {
        follower->last_id = entry.id;
        if (follower->run->input->wants_json) {
            terminal_escape(json, "", &text);
            buf_char(&text, '\n');
        } else {
            show_log_entry(&entry, &arena, &text);
        }
        follower->is_closed |= !print(&text);
    }
    arena_done(&arena);
}

/* An event has the lines "id: 1" and "data: {...}"; a comment has none of them. */
static void take_event(struct follower *follower, struct str event)
{
    static const char name[] = "data: ";

    while (event.len > 0) {
        const char *end = memchr(event.data, '\n', event.len);
        size_t len = end ? (size_t)(end - event.data) : event.len;
        if (len > strlen(name) && memcmp(event.data, name, strlen(name)) == 0)
            show_entry(follower, (struct str){event.data + strlen(name), len - strlen(name)});
        len += end != NULL;
        event = (struct str){event.data + len, event.len - len};
    }
}

/* Runs on the client's thread, while the other one waits. */
static bool take_part(struct fetch *call, struct str part)
{
    struct follower *follower = (struct follower *)call;
    struct buf *event = &follower->event;

    for (size_t i = 0; i < part.len; i++) {
        buf_char(event, part.data[i]);
        bool is_end = event->len > 1 && memcmp(event->data + event->len - 2, "\n\n", 2) == 0;
        if (!is_end) continue;
        if (!event->is_full) take_event(follower, buf_view(event));
        buf_clear(event);
    }
    return !follower->is_closed;
}

static void call_done(struct fetch *call)
{
    sem_post(&((struct follower *)call)->is_done);
}

static const char *stream_target(const struct follower *follower, struct arena *arena)
{
    static const char *const shared[] = {"level", "q"};
    struct admin_input input = *follower->run->input;

    for (size_t i = 0; i < input.flags.count; i++) {
        bool is_shared = false;
        for (size_t k = 0; k < sizeof(shared) / sizeof(shared[0]); k++)
            is_shared |= strcmp(input.flags.rows[i].path, shared[k]) == 0;
        if (!is_shared) input.values[i] = NULL;
    }
    const char *target = admin_make_target(&input, arena); /* "/internal/v1/logs?level=info" */
    size_t path_len = strcspn(target, "?");
    return arena_printf(arena, "%.*s/stream?after=%" PRId64 "%s%s", (int)path_len, target,
                        follower->last_id, target[path_len] ? "&" : "",
                        target[path_len] ? target + path_len + 1 : "");
}

/* Follows the stream until it ends. */
static void follow_once(struct follower *follower)
{
    const struct admin_service *service = follower->run->service;
    struct arena arena;

    arena_init(&arena);
    follower->call = (struct fetch){
        .method = "GET",
        .url = arena_printf(&arena, "%s%s", service->url, stream_target(follower, &arena)),
        .headers = {{"X-Internal-API-Key", service->key}},
        .route = {.pin = service->pin,
                  .connect_timeout_ms = CONNECT_TIMEOUT_MS,
                  .timeout_ms = STREAM_MS},
        .done = call_done,
        .take = take_part,
    };
    buf_clear(&follower->event);
    enum err err = fetch_start(service->client, &follower->call);
    must_have(!err, "the stream cannot be asked for");
    while (sem_wait(&follower->is_done))
        continue; /* a signal interrupted it */
    arena_done(&arena);
}

/* Tells whether coming again will not help: the service refuses, with a reason of its own. */
static bool is_refused(const struct follower *follower)
{
    int status = follower->call.status;
    return status >= 400 && status < 500 && status != 429;
}

static int explain(const struct follower *follower)
{
    const struct fetch *call = &follower->call;
    const struct log_run *run = follower->run;
    struct admin_answer answer = {.status = call->status,
                                  .error = call->error,
                                  .retry_after_ms = call->retry_after_ms,
                                  .body = buf_view(&call->answer)};

    admin_explain(run->input, run->service, &answer, run->arena, run->why);
    return EXIT_FAILURE;
}

/* A stream that lasted was in order, however it ended; else the person is told, once. */
static void rest(const struct follower *follower, bool *is_told)
{
    bool is_stream = follower->call.was_sent && follower->call.status == 0;

    if (!is_stream && !*is_told) {
        fprintf(stderr, "herald: The stream of the service at %s is away; it is asked for again.\n",
                follower->run->service->url);
        *is_told = true;
    }
    if (is_stream) *is_told = false;
    usleep(AGAIN_MS * 1000);
}

static int follow(const struct log_run *run, int64_t last_id)
{
    struct follower follower = {.run = run, .last_id = last_id};
    int status = EXIT_SUCCESS;
    bool is_told = false;

    sem_init(&follower.is_done, 0, 0);
    buf_init(&follower.event, EVENT_MAX);
    for (;;) {
        follow_once(&follower);
        if (is_refused(&follower)) status = explain(&follower);
        bool is_over = status != EXIT_SUCCESS || follower.is_closed;
        if (!is_over) rest(&follower, &is_told);
        fetch_done(&follower.call);
        if (is_over) break;
    }
    buf_done(&follower.event);
    sem_destroy(&follower.is_done);
    return status;
}

/* --- Both ------------------------------------------------------------------------------------- */

/* The stream knows fewer filters than the search. */
static bool can_follow(const struct log_run *run)
{
    static const char *const unknown[] = {"request_id", "otp_id", "until", "cursor"};

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        if (!admin_value(run->input, unknown[i])) continue;
        buf_text(run->why, "--follow goes with --level, --q, --since, --limit and --json.");
        return false;
    }
    return true;
}

static int64_t newest_id(const struct log_entry_list *list)
{
    const struct log_entry *entries = list->entries.items;
    return list->entries.count > 0 ? entries[0].id : 0;
}

/* Each line of --json is one entry, as those of the stream are. */
static void show_found(const struct log_run *run, const struct log_entry_list *list)
{
    const struct log_entry *entries = list->entries.items;

    if (!run->input->wants_json && list->entries.count > 0) show(run, list);
    for (size_t i = list->entries.count; run->input->wants_json && i > 0; i--)
        show_json(&log_entry_record, &entries[i - 1], run->out);
}

/* The end of the log is asked for before the search, so that nothing falls between the search and
 * the stream. */
static int show_and_follow(const struct log_run *run)
{
    const char *end = arena_printf(run->arena, "%s?limit=1", run->input->route->path);
    struct log_entry_list head, list = {.next_cursor = NULL};

    if (!ask_page(run, end, &head) || !search(run, &list)) return EXIT_FAILURE;
    list.next_cursor = NULL;
    show_found(run, &list);
    if (run->out->len > 0 && !print(run->out)) return EXIT_FAILURE;
    buf_clear(run->out);
    int64_t found = newest_id(&list), last = newest_id(&head);
    return follow(run, found > last ? found : last);
}

int admin_log(const struct admin_input *input, const struct admin_service *service,
              struct arena *arena, struct buf *out, struct buf *why)
{
    const struct log_run run = {input, service, arena, out, why};
    struct log_entry_list list = {.next_cursor = NULL};

    if (input->wants_follow) return can_follow(&run) ? show_and_follow(&run) : EXIT_WRONG_COMMAND;
    if (!search(&run, &list)) return EXIT_FAILURE;
    show(&run, &list);
    return EXIT_SUCCESS;
}
