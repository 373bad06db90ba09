/* Lines of the form "12:30:05.123  catalog:...  what happened". */
#include "tell.h"

#include "kit/base/clock.h"
#include "kit/base/terminal.h"
#include "kit/json/pointer.h"
#include "kit/json/utf8.h"
#include "kit/json/writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX = 4096, DETAIL_MAX = 600, REPORT_MAX = 2 * 1024 * 1024 };

static const char *const kind_words[] = {
    [HAPPENED_TOKEN] = "token", [HAPPENED_POST] = "post", [HAPPENED_WAIT] = "wait",
    [HAPPENED_STATE] = "state", [HAPPENED_STOP] = "stop", [HAPPENED_SUM] = "sum",
};

bool teller_init(struct teller *teller, const char *path)
{
    teller->report_fd = -1;
    if (!path) return true;
    teller->report_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    return teller->report_fd >= 0;
}

void teller_done(struct teller *teller)
{
    if (teller->report_fd >= 0) close(teller->report_fd);
}

/* The front of a foreign text, at most `max` bytes, up to what is no UTF-8. */
static struct str cut_text(struct str text, size_t max)
{
    const char *end = text.data + (text.len < max ? text.len : max);
    size_t len = 0;

    while (text.data + len < end) {
        int step = utf8_measure(text.data + len, end);
        if (step <= 0) break;
        len += (size_t)step;
    }
    return (struct str){text.data, len};
}

/* --- The report ------------------------------------------------------------------------------- */

static void put_int_if(struct json_writer *writer, const char *key, int64_t value, bool is_there)
{
    if (is_there) json_put_int(writer, key, value);
}

static void write_report(const struct teller *teller, const struct happening *happening,
                         const char *at)
{
    struct json_writer writer;
    AUTO_BUF line = {0};

    buf_init(&line, REPORT_MAX);
    json_writer_init(&writer, &line);
    json_object_begin(&writer);
    json_put_text(&writer, "at", at);
    json_put_text(&writer, "what", kind_words[happening->kind]);
    if (happening->event_id) json_put_text(&writer, "event_id", happening->event_id);
    put_int_if(&writer, "attempt", happening->attempt, happening->attempt > 0);
    put_int_if(&writer, "http_status", happening->http_status, happening->kind <= HAPPENED_POST);
    if (happening->outcome) json_put_text(&writer, "outcome", happening->outcome);
    put_int_if(&writer, "us", happening->us, happening->us > 0);
    put_int_if(&writer, "server_ms", happening->server_ms,
               happening->kind == HAPPENED_STATE && happening->server_ms >= 0);
    put_int_if(&writer, "bytes", (int64_t)happening->bytes, happening->bytes > 0);
    put_int_if(&writer, "wait_ms", happening->wait_ms, happening->kind == HAPPENED_WAIT);
    if (happening->detail.len > 0) {
        json_key(&writer, "detail");
        json_str(&writer, cut_text(happening->detail, REPORT_MAX / 6));
    }
    json_object_end(&writer);
    buf_char(&line, '\n');
    if (write(teller->report_fd, line.data, line.len) < 0) return;
}

/* --- The terminal ----------------------------------------------------------------------------- */

/* The counts in the result of a status record that are not 0: "products 15000 added, prices 32500
 * changed". */
static bool print_counts(struct buf *line, struct str record)
{
    static const char *const groups[] = {"products", "categories", "prices", "stocks"};
    static const char *const counts[] = {"added", "changed", "unchanged", "archived", "superseded"};
    struct arena arena;
    bool has_group = false;

    arena_init(&arena);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool is_named = false;
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            struct json_value value;
            const char *pointer = arena_printf(&arena, "/result/%s/%s", groups[i], counts[k]);
            if (!json_find(record, pointer, &arena, &value)) break;
            if (value.type != JSON_NUMBER || str_is(value.text, "0")) continue;
            if (is_named)
                buf_text(line, ",");
            else
                buf_printf(line, "%s %s", has_group ? ";" : ":", groups[i]);
            buf_printf(line, " %s %s", value.text.data, counts[k]);
            is_named = has_group = true;
        }
    }
    arena_done(&arena);
    return has_group;
}

/* Text of the service, without what steers a terminal. */
static void print_detail(struct buf *line, struct str detail)
{
    buf_text(line, ": ");
    terminal_escape(cut_text(detail, DETAIL_MAX), "", line);
}

static void print_bytes(struct buf *line, size_t bytes)
{
    if (bytes < 1000 * 1000) {
        buf_printf(line, "%zu bytes", bytes);
        return;
    }
    buf_printf(line, "%.1f MB", (double)bytes / 1e6);
}

static void print_post(struct buf *line, const struct happening *happening)
{
    buf_printf(line, "attempt %" PRId64 ", ", happening->attempt);
    print_bytes(line, happening->bytes);
    if (happening->http_status == 0) {
        buf_printf(line, ": no answer (%s)", happening->outcome);
        return;
    }
    buf_printf(line, " -> %ld%s%s after %.1f ms", happening->http_status,
               happening->outcome ? " " : "", happening->outcome ? happening->outcome : "",
               (double)happening->us / 1000);
}

static void print_state(struct buf *line, const struct happening *happening)
{
    buf_text(line, happening->outcome);
    if (happening->us > 0)
        buf_printf(line, " %.1f ms after it was first sent", (double)happening->us / 1000);
    if (happening->server_ms >= 0)
        buf_printf(line, " (%" PRId64 " ms after its receipt)", happening->server_ms);
    if (happening->detail.len > 0 && !print_counts(line, happening->detail))
        print_detail(line, happening->detail);
}

static void print_line(struct buf *line, const struct happening *happening)
{
    switch (happening->kind) {
    case HAPPENED_TOKEN:
        if (happening->http_status == 200)
            buf_printf(line, "a new access token after %.1f ms", (double)happening->us / 1000);
        else
            buf_printf(line, "no access token: %ld %s", happening->http_status,
                       happening->outcome ? happening->outcome : "");
        return;
    case HAPPENED_POST:
        print_post(line, happening);
        return;
    case HAPPENED_WAIT:
        buf_printf(line, "again in %.1f s", (double)happening->wait_ms / 1000);
        return;
    case HAPPENED_STATE:
        print_state(line, happening);
        return;
    case HAPPENED_STOP:
        buf_printf(line, "STOPPED: %s", happening->outcome);
        if (happening->detail.len > 0) print_detail(line, happening->detail);
        return;
    case HAPPENED_SUM:
        buf_text(line, happening->outcome);
        return;
    }
}

void tell(const struct teller *teller, const struct happening *happening)
{
    char at[CLOCK_TEXT_LEN + 1];
    AUTO_BUF line = {0};

    clock_format(clock_now_ms(), at);
    if (teller->report_fd >= 0) write_report(teller, happening, at);
    buf_init(&line, LINE_MAX);
    buf_printf(&line, "%.12s  %s  ", at + 11, happening->event_id ? happening->event_id : "erp");
    print_line(&line, happening);
    line.max = LINE_MAX + 1; /* the end of the line always fits */
    buf_char(&line, '\n');
    /* One write a line. A watcher that has gone away is no reason to stop. */
    if (write(STDOUT_FILENO, line.data, line.len) < 0) return;
}
