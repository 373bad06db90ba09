/* Readers catch up by themselves and share the tail. */
#include "app/api/log_stream.h"

#include "app/api/api_key_set.h"
#include "app/api/dispatch.h"
#include "app/api/log_page.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    QUERY_MAX = 200,
    PIECE_MAX = 16 * 1024, /* frames that leave in one write */
    SLICE = 256,           /* so many readers are written to before the loop serves others */
};

struct log_query {
    int level; /* -1: all */
    const char *q;
    int64_t after; /* -1: none */
};

static const struct field query_fields[] = {
    FIELD(struct log_query, level, FIELD_ENUM, 0, "The least level of the entries wanted.",
          .words = log_level_words, .example = "warning"),
    FIELD(
        struct log_query, q, FIELD_STRING, 0,
        "Only entries whose message, or a value of whose fields, contains this, in whatever case.",
        .min = 1, .max = QUERY_MAX, .example = "otp"),
    FIELD(struct log_query, after, FIELD_INTEGER, FIELD_DEFAULT,
          "The id of an entry behind which the stream begins; 0: with the oldest that is kept. A "
          "Last-Event-ID counts more, so that a browser that comes again misses nothing.",
          .max = INT64_MAX, .default_value = -1, .example = "4711"),
};

const struct record log_stream_query = {.size = sizeof(struct log_query),
                                        RECORD_FIELDS(query_fields)};

enum reader_state {
    READER_CATCHING_UP, /* it reads pages of its own */
    READER_LIVE,        /* it gets the pages of the tail */
    READER_BLOCKED,     /* its connection is full; it goes on when that drains */
    READER_ENDED,       /* its stream has ended, and the end may still wait for the connection */
};

struct log_reader {
    struct db_task task; /* first: the database gives this pointer back */
    struct log_stream *stream;
    struct http_request *x;
    struct log_reader *next, **link; /* on its loop */
    enum reader_state state;
    bool is_begun;   /* the head of the answer is sent, once the first page was read */
    int64_t last_id; /* all entries up to it were sent or filtered out */
    int64_t sent_at_ms;
    int least_level;
    bool sees_unmasked;
    struct arena arena; /* of: */
    struct log_wanted wanted;
    struct log_page *page; /* the page just read */
    enum err err;
};

/* The state of a loop, which only its thread touches. */
struct loop_state {
    struct log_reader *readers;
    struct log_reader *next; /* gets the current page next */
    int64_t tail_id;         /* pages up to it were handed out, or are being so */
};

struct log_stream {
    struct db_task task; /* reads the tail; first, since the database gives this pointer back */
    struct db *db;
    int loop_count;

    pthread_mutex_t lock;
    struct http_server *server; /* NULL until it listens */
    int live_count;
    int64_t tail_id;    /* the tail has read up to it */
    int64_t tail_start; /* the tail began behind it, so no reader got earlier entries */
    bool is_reading;
    int handing_count; /* loops that still hand out a page; the next one waits for them */
    bool is_stopping;
    pthread_cond_t is_idle;
    bool is_woken; /* there may be more */
    struct log_page *page;

    struct loop_state loops[];
};

static struct loop_state *loop_of(const struct log_reader *reader)
{
    return &reader->stream->loops[http_loop_index(reader->x)];
}

/* --- Sending ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct log_reader *reader, const struct log_frame *frame)
{
    if (frame->id <= reader->last_id || frame->level < reader->least_level) return false;
    if (frame->is_unmasked && !reader->sees_unmasked) return false;
    return event_log_has(frame->folded, &reader->wanted);
}

/* Returns the last frame that leaves together with frame `first`. Without a filter nearly all
 * following ones are wanted, and one write of many costs as much as of one. */
static size_t last_of_piece(const struct log_reader *reader, const struct log_page *page,
                            size_t first)
{
    size_t last = first, start = page->frames[first].at;

    if (reader->wanted.text || reader->least_level > LOG_DEBUG) return first;
    while (last + 1 < page->count) {
        const struct log_frame *next = &page->frames[last + 1];
        if (next->at + next->len - start > PIECE_MAX || !is_wanted(reader, next)) break;
        last++;
    }
    return last;
}

/* Returns false if the connection is full; then the reader stands before the first unsent frame. */
static bool send_page(struct log_reader *reader, const struct log_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_frame *first = &page->frames[i];
        if (!is_wanted(reader, first)) continue;
        i = last_of_piece(reader, page, i);
        const struct log_frame *last = &page->frames[i];
        struct str piece = {page->text.data + first->at, last->at + last->len - first->at};
        if (!http_stream_write(reader->x, piece)) return false;
        reader->last_id = last->id;
        reader->sent_at_ms = clock_monotonic_ms();
    }
    return true;
}

static void begin_stream(struct log_reader *reader)
{
    const struct dispatch *ex = http_user(reader->x);
    const struct http_header headers[] = {
        {STR("Content-Type"), STR("text/event-stream")},
        {STR("Cache-Control"), STR("no-store")},
        {STR("X-Accel-Buffering"), STR("no")}, /* tells nginx to pass it on at once */
        {STR("X-Request-Id"), str_of(ex->request_id)},
    };
    reader->is_begun = true;
    http_stream_begin(reader->x, 200, headers, COUNT_OF(headers));
    /* This shows the reader at once that it is connected. */
    (void)http_stream_write(reader->x, STR(": herald log\n\n"));
}

static void end_stream(struct log_reader *reader)
{
    reader->state = READER_ENDED;
    http_stream_end(reader->x);
}

/* A reader whose stream has begun comes again, with its Last-Event-ID. */
static void give_up(struct log_reader *reader, enum err err)
{
    if (reader->is_begun)
        end_stream(reader);
    else
        dispatch_answer(http_user(reader->x), err);
}

/* --- Catching up ------------------------------------------------------------------------------ */

static void read_more(struct log_reader *reader);

/* Joins the live readers, unless the tail is ahead already. */
static bool join(struct log_reader *reader)
{
    struct log_stream *stream = reader->stream;
    bool is_joined = true;

    pthread_mutex_lock(&stream->lock);
    /* A tail that still reads or hands out a page without readers is not rewound. */
    if (stream->live_count == 0 && !stream->is_reading && stream->handing_count == 0) {
        stream->tail_id = reader->last_id;
        stream->tail_start = reader->last_id;
    } else {
        is_joined =
            reader->last_id >= stream->tail_start && reader->last_id >= loop_of(reader)->tail_id;
    }
    stream->live_count += is_joined;
    pthread_mutex_unlock(&stream->lock);
    return is_joined;
}

static void leave(struct log_reader *reader)
{
    if (reader->state != READER_LIVE) return;
    pthread_mutex_lock(&reader->stream->lock);
    reader->stream->live_count--;
    pthread_mutex_unlock(&reader->stream->lock);
}

static void go_live(struct log_reader *reader)
{
    if (!join(reader)) {
        read_more(reader);
        return;
    }
    reader->state = READER_LIVE;
    /* Entries may have come between the reading and the joining. */
    log_stream_wake(reader->stream);
}

static void use_page(struct log_reader *reader, const struct log_page *page)
{
    if (!send_page(reader, page)) {
        reader->state = READER_BLOCKED;
        return;
    }
    reader->last_id = page->last_id;
    if (page->is_full)
        read_more(reader);
    else
        go_live(reader);
}

static void page_arrived(struct http_request *x)
{
    struct log_reader *reader = ((struct dispatch *)http_user(x))->reader;
    struct log_page *page = reader->page;

    reader->page = NULL;
    if (!http_is_closed(x) && reader->state != READER_ENDED) {
        if (!reader->err && !reader->is_begun) begin_stream(reader);
        if (reader->err)
            give_up(reader, reader->err);
        else
            use_page(reader, page);
    }
    if (page) log_page_unref(page);
    http_release(x);
}

static enum err read_page(struct db_task *task, struct db_tx *tx)
{
    struct log_reader *reader = (struct log_reader *)task;
    if (reader->page) log_page_unref(reader->page);
    reader->page = NULL;
    return log_page_read(tx, reader->last_id, &reader->page);
}

static void page_read(struct db_task *task, enum err err)
{
    struct log_reader *reader = (struct log_reader *)task;
    reader->err = err;
    http_defer(reader->x, page_arrived);
}

static void read_more(struct log_reader *reader)
{
    reader->state = READER_CATCHING_UP;
    reader->task =
        (struct db_task){.run = read_page, .done = page_read, .is_read = true, .is_bounded = true};
    http_hold(reader->x);
    enum err err = db_submit(reader->stream->db, &reader->task);
    if (!err) return;
    give_up(reader, err);
    http_release(reader->x);
}

/* --- Readers come and go ---------------------------------------------------------------------- */

static void link_reader(struct log_reader *reader)
{
    struct loop_state *loop = loop_of(reader);
    reader->next = loop->readers;
    reader->link = &loop->readers;
    if (reader->next) reader->next->link = &reader->next;
    loop->readers = reader;
}

/* The stream begins behind Last-Event-ID, else behind `after`, or at the end of the log. */
static enum err take_last_id(struct http_request *x, struct request *rq, int64_t *ret_id)
{
    struct str text = http_header_get(x, "Last-Event-ID");
    long long id = -1;

    if (!text.data) return ERR_OK;
    if (!str_to_int64(text, &id) || id < 0)
        return error_fault(rq, "Last-Event-ID", "Must be the id of an entry: a whole number.");
    *ret_id = id;
    return ERR_OK;
}

enum err log_stream_check(struct http_request *x, struct request *rq)
{
    int64_t last_id;
    return take_last_id(x, rq, &last_id);
}

enum err log_stream_open(struct log_stream *stream, struct http_request *x, struct request *rq,
                         struct log_reader **ret_reader)
{
    const struct log_query *query = rq->query;
    int64_t last_id = query->after;
    enum err err = take_last_id(x, rq, &last_id);
    if (err) return err;

    struct log_reader *reader = must_calloc(1, sizeof(*reader));
    reader->stream = stream;
    reader->x = x;
    reader->last_id = last_id;
    reader->sent_at_ms = clock_monotonic_ms();
    reader->least_level = query->level < 0 ? LOG_DEBUG : query->level;
    /* Only where LOG_SENSITIVE is true does the opening leave a record; elsewhere one reads pages.
     */
    reader->sees_unmasked =
        rq->work.service->is_log_sensitive && event_log_shows_unmasked(&rq->work);
    arena_init(&reader->arena);
    reader->wanted = event_log_want(query->q, &reader->arena);
    *ret_reader = reader;
    link_reader(reader);
    return ERR_OK;
}

void log_stream_start(struct log_reader *reader, bool is_head)
{
    if (!is_head) {
        read_more(reader);
        return;
    }
    begin_stream(reader);
    end_stream(reader);
}

void log_stream_close(struct log_reader *reader)
{
    if (!reader) return;
    leave(reader);
    if (loop_of(reader)->next == reader) loop_of(reader)->next = reader->next;
    *reader->link = reader->next;
    if (reader->next) reader->next->link = reader->link;
    arena_done(&reader->arena);
    free(reader);
}

void log_stream_drain(struct log_reader *reader)
{
    if (reader && reader->state == READER_BLOCKED) read_more(reader);
}

/* --- The tail --------------------------------------------------------------------------------- */

/* Reads on if there is a reason to. Call it with the lock. */
static void read_tail(struct log_stream *stream)
{
    bool is_due = stream->is_woken && stream->server && stream->live_count > 0;
    bool is_busy = stream->is_reading || stream->handing_count > 0;

    if (is_due && !is_busy && !stream->is_stopping)
        stream->is_reading = db_submit(stream->db, &stream->task) == ERR_OK;
}

/* A page on its way to the readers of a loop. */
struct delivery {
    struct log_stream *stream;
    struct http_server *server;
    struct log_page *page;
    int loop;
};

/* The next page is read when all loops have handed out this one. So if there are more entries than
 * they can write, pages grow and the number of writes does not. */
static void end_delivery(struct delivery *delivery)
{
    struct log_stream *stream = delivery->stream;

    pthread_mutex_lock(&stream->lock);
    stream->handing_count--;
    read_tail(stream);
    pthread_mutex_unlock(&stream->lock);
    log_page_unref(delivery->page);
    free(delivery);
}

static void give_page(struct log_reader *reader, const struct log_page *page)
{
    if (reader->state != READER_LIVE) return;
    if (send_page(reader, page)) {
        if (page->last_id > reader->last_id) reader->last_id = page->last_id;
        return;
    }
    leave(reader);
    reader->state = READER_BLOCKED;
}

/* Gives the page to some readers, and comes back for the others once the loop has served its other
 * connections. */
static void deliver(void *arg)
{
    struct delivery *delivery = arg;
    struct loop_state *loop = &delivery->stream->loops[delivery->loop];

    for (int i = 0; i < SLICE && loop->next; i++) {
        struct log_reader *reader = loop->next;
        loop->next = reader->next;
        give_page(reader, delivery->page);
    }
    if (loop->next)
        http_server_post(delivery->server, delivery->loop, deliver, delivery);
    else
        end_delivery(delivery);
}

/* A reader that joins from now on has read this page already. */
static void begin_delivery(void *arg)
{
    struct delivery *delivery = arg;
    struct loop_state *loop = &delivery->stream->loops[delivery->loop];

    loop->next = loop->readers;
    if (delivery->page->last_id > loop->tail_id) loop->tail_id = delivery->page->last_id;
    deliver(delivery);
}

/* Call it with the lock. */
static void hand_out(struct log_stream *stream, struct log_page *page)
{
    stream->handing_count = stream->loop_count;
    for (int i = 0; i < stream->loop_count; i++) {
        struct delivery *delivery = must_malloc(sizeof(*delivery));
        *delivery = (struct delivery){stream, stream->server, log_page_ref(page), i};
        http_server_post(stream->server, i, begin_delivery, delivery);
    }
}

static enum err read_tail_page(struct db_task *task, struct db_tx *tx)
{
    struct log_stream *stream = (struct log_stream *)task;
    int64_t after_id;

    if (stream->page) log_page_unref(stream->page);
    stream->page = NULL;
    pthread_mutex_lock(&stream->lock);
    after_id = stream->tail_id;
    stream->is_woken = false;
    pthread_mutex_unlock(&stream->lock);
    return log_page_read(tx, after_id, &stream->page);
}

static void tail_page_read(struct db_task *task, enum err err)
{
    struct log_stream *stream = (struct log_stream *)task;
    struct log_page *page = stream->page;

    stream->page = NULL;
    pthread_mutex_lock(&stream->lock);
    stream->is_reading = false;
    pthread_cond_broadcast(&stream->is_idle);
    if (page) {
        stream->tail_id = page->last_id;
        stream->is_woken |= page->is_full;
        if (page->count > 0 && stream->server) hand_out(stream, page);
    }
    if (!err) read_tail(stream);
    pthread_mutex_unlock(&stream->lock);
    if (page) log_page_unref(page);
}

void log_stream_wake(struct log_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->is_woken = true;
    read_tail(stream);
    pthread_mutex_unlock(&stream->lock);
}

/* --- Keep-alives ------------------------------------------------------------------------------ */

struct tick {
    struct log_stream *stream;
    struct http_server *server;
    int loop;
};

/* A stream ends with the API key that opened it (contract, section 10.1), and with the role of the
 * operator (section 18.2): who has another one comes again, and is shown what that may see. */
static bool ends_with_its_key(struct log_reader *reader, int64_t now_ms)
{
    const struct dispatch *ex = http_user(reader->x);
    enum role role;

    if (!ex->has_api_key) return false;
    enum err err = api_key_set_find_role(ex->api->api_keys, ex->key_hash, now_ms, &role);
    if (!err && role == ex->actor.role) return false;
    leave(reader);
    end_stream(reader);
    return true;
}

/* Writes to some readers, and comes back for the others as deliver does. */
static void keep_alive(void *arg)
{
    struct tick *tick = arg;
    struct log_reader *reader = tick->stream->loops[tick->loop].readers, *next;
    int64_t now_ms = clock_monotonic_ms(), time_ms = clock_now_ms();
    int written = 0;

    for (; reader && written < SLICE; reader = next) {
        bool is_open = reader->is_begun && reader->state != READER_ENDED;
        next = reader->next; /* its stream may end */
        if (!is_open || ends_with_its_key(reader, time_ms) ||
            now_ms - reader->sent_at_ms < LOG_KEEP_ALIVE_MS)
            continue;
        reader->sent_at_ms = now_ms;
        /* A full connection refuses it, and needs none. */
        (void)http_stream_write(reader->x, STR(": keep-alive\n\n"));
        written++;
    }
    if (reader)
        http_server_post(tick->server, tick->loop, keep_alive, tick);
    else
        free(tick);
}

void log_stream_tick(struct log_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    for (int i = 0; stream->server && i < stream->loop_count; i++) {
        struct tick *tick = must_malloc(sizeof(*tick));
        *tick = (struct tick){stream, stream->server, i};
        http_server_post(stream->server, i, keep_alive, tick);
    }
    pthread_mutex_unlock(&stream->lock);
}

struct log_stream *log_stream_new(struct db *db, int loops)
{
    struct log_stream *stream =
        must_calloc(1, sizeof(*stream) + (size_t)loops * sizeof(struct loop_state));
    stream->task = (struct db_task){.run = read_tail_page, .done = tail_page_read, .is_read = true};
    stream->db = db;
    stream->loop_count = loops;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->is_idle, NULL);
    return stream;
}

void log_stream_serve(struct log_stream *stream, struct http_server *server)
{
    pthread_mutex_lock(&stream->lock);
    stream->server = server;
    pthread_mutex_unlock(&stream->lock);
}

void log_stream_stop(struct log_stream *stream)
{
    if (!stream) return;
    pthread_mutex_lock(&stream->lock);
    stream->is_stopping = true;
    while (stream->is_reading)
        pthread_cond_wait(&stream->is_idle, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

void log_stream_free(struct log_stream *stream)
{
    if (!stream) return;
    if (stream->page) log_page_unref(stream->page);
    pthread_cond_destroy(&stream->is_idle);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}
