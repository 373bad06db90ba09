/* Readers stand in a list for each loop; the hints of a look are handed to every loop. */
#include "app/api/phone_stream.h"

#include "domain/smsgate/smsgate.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct phone_reader {
    struct phone_stream *stream;
    struct http_request *x;
    struct phone_reader *next, **link; /* on its loop */
    struct uuid device_id;
    struct uuid canceled_id; /* the last one that it was told of */
    int64_t number;          /* those that opened later have greater ones */
    int64_t opened_at_ms, sent_at_ms, hinted_at_ms;
    bool is_ended;
};

struct phone_stream {
    struct db_task task; /* first, since the database gives this pointer back */
    struct db *db;
    int loop_count;
    pthread_mutex_t lock;
    pthread_cond_t is_idle;
    struct http_server *server; /* NULL until it listens */
    int reader_count;
    int64_t opened_count;
    bool is_reading, is_stopping;
    struct smsgate_news news[SMSGATE_NEWS_MAX];
    size_t news_count;
    struct phone_reader *loops[]; /* which only their threads touch */
};

/* The hints of a look on their way to the readers of a loop. */
struct hints {
    struct phone_stream *stream;
    int loop;
    size_t count;
    struct smsgate_news rows[];
};

/* A phone that has opened another stream; the word of it is on its way to the readers of a loop. */
struct successor {
    struct phone_stream *stream;
    int loop;
    struct uuid device_id;
    int64_t number;
};

/* --- Sending ---------------------------------------------------------------------------------- */

static void send_text(struct phone_reader *reader, const char *text, int64_t now_ms)
{
    /* A full connection refuses it; its phone asks by itself. */
    if (http_stream_write(reader->x, str_of(text))) reader->sent_at_ms = now_ms;
}

static void tell(struct phone_reader *reader, const struct smsgate_news *news, int64_t now_ms)
{
    char id[UUID_TEXT_LEN + 1], text[128];

    if (!uuid_equal(&reader->device_id, &news->device_id)) return;
    if (news->is_canceled) {
        if (uuid_equal(&reader->canceled_id, &news->task_id)) return;
        reader->canceled_id = news->task_id;
        uuid_format(&news->task_id, id);
        snprintf(text, sizeof(text), "event: MessageCancelled\ndata: {\"messageId\":\"%s\"}\n\n",
                 id);
        send_text(reader, text, now_ms);
    } else if (now_ms - reader->hinted_at_ms >= PHONE_PACE_MS) {
        reader->hinted_at_ms = now_ms;
        send_text(reader, "event: MessageEnqueued\ndata: null\n\n", now_ms);
    }
}

static void end_stream(struct phone_reader *reader)
{
    reader->is_ended = true;
    http_stream_end(reader->x);
}

static void look_at(struct phone_reader *reader, const struct hints *hints, int64_t now_ms)
{
    if (reader->is_ended) return;
    for (size_t i = 0; i < hints->count; i++)
        tell(reader, &hints->rows[i], now_ms);
    if (now_ms - reader->sent_at_ms >= PHONE_KEEP_ALIVE_MS)
        send_text(reader, ":keepalive\n\n", now_ms);
    if (now_ms - reader->opened_at_ms >= PHONE_STREAM_MS) end_stream(reader);
}

static void deliver(void *arg)
{
    struct hints *hints = arg;
    int64_t now_ms = clock_monotonic_ms();
    struct phone_reader *next;

    for (struct phone_reader *reader = hints->stream->loops[hints->loop]; reader; reader = next) {
        next = reader->next;
        look_at(reader, hints, now_ms);
    }
    free(hints);
}

/* Call it with the lock. */
static void hand_out(struct phone_stream *stream)
{
    size_t size = stream->news_count * sizeof(struct smsgate_news);

    for (int i = 0; stream->server && i < stream->loop_count; i++) {
        struct hints *hints = must_malloc(sizeof(*hints) + size);
        *hints = (struct hints){stream, i, stream->news_count};
        memcpy(hints->rows, stream->news, size);
        http_server_post(stream->server, i, deliver, hints);
    }
}

/* --- Looking ---------------------------------------------------------------------------------- */

static enum err read_news(struct db_task *task, struct db_tx *tx)
{
    struct phone_stream *stream = (struct phone_stream *)task;
    return smsgate_select_news(tx, clock_now_ms(), stream->news, &stream->news_count);
}

static void news_read(struct db_task *task, enum err err)
{
    struct phone_stream *stream = (struct phone_stream *)task;

    pthread_mutex_lock(&stream->lock);
    stream->is_reading = false;
    pthread_cond_broadcast(&stream->is_idle);
    if (err) stream->news_count = 0; /* keep-alives go on */
    if (!stream->is_stopping) hand_out(stream);
    pthread_mutex_unlock(&stream->lock);
}

void phone_stream_tick(struct phone_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool is_due = stream->server && stream->reader_count > 0 && !stream->is_reading;
    if (is_due && !stream->is_stopping)
        stream->is_reading = db_submit(stream->db, &stream->task) == ERR_OK;
    pthread_mutex_unlock(&stream->lock);
}

/* --- Readers come and go ---------------------------------------------------------------------- */

static void end_older(void *arg)
{
    struct successor *successor = arg;
    struct phone_reader *next;

    for (struct phone_reader *reader = successor->stream->loops[successor->loop]; reader;
         reader = next) {
        next = reader->next;
        bool is_older = reader->number < successor->number &&
                        uuid_equal(&reader->device_id, &successor->device_id);
        if (is_older && !reader->is_ended) end_stream(reader);
    }
    free(successor);
}

/* A phone whose network was lost comes again, and nobody tells that its stream before is dead: that
 * would keep its place, which nobody else is given. */
static void count_in(struct phone_stream *stream, struct phone_reader *reader, bool is_head)
{
    pthread_mutex_lock(&stream->lock);
    stream->reader_count++;
    reader->number = ++stream->opened_count;
    for (int i = 0; stream->server && !is_head && i < stream->loop_count; i++) {
        struct successor *successor = must_malloc(sizeof(*successor));
        *successor = (struct successor){stream, i, reader->device_id, reader->number};
        http_server_post(stream->server, i, end_older, successor);
    }
    pthread_mutex_unlock(&stream->lock);
}

static void count_out(struct phone_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->reader_count--;
    pthread_mutex_unlock(&stream->lock);
}

static void begin_stream(struct phone_reader *reader, const char *request_id)
{
    const struct http_header headers[] = {
        {STR("Content-Type"), STR("text/event-stream")},
        {STR("Cache-Control"), STR("no-store")},
        {STR("X-Accel-Buffering"), STR("no")}, /* tells nginx to pass it on at once */
        {STR("X-Request-Id"), str_of(request_id)},
    };
    http_stream_begin(reader->x, 200, headers, COUNT_OF(headers));
    (void)http_stream_write(reader->x, STR(":keepalive\n\n"));
}

struct phone_reader *phone_stream_open(struct phone_stream *stream, struct http_request *x,
                                       const struct uuid *device_id, const char *request_id)
{
    struct phone_reader *reader = must_calloc(1, sizeof(*reader));
    struct phone_reader **first = &stream->loops[http_loop_index(x)];
    int64_t now_ms = clock_monotonic_ms();

    reader->stream = stream;
    reader->x = x;
    reader->device_id = *device_id;
    reader->opened_at_ms = reader->sent_at_ms = now_ms;
    reader->hinted_at_ms = now_ms - PHONE_PACE_MS;
    reader->next = *first;
    reader->link = first;
    if (reader->next) reader->next->link = &reader->next;
    *first = reader;
    bool is_head = str_is(http_method(x), "HEAD");
    count_in(stream, reader, is_head);
    begin_stream(reader, request_id);
    if (is_head) end_stream(reader);
    return reader;
}

void phone_stream_close(struct phone_reader *reader)
{
    if (!reader) return;
    *reader->link = reader->next;
    if (reader->next) reader->next->link = reader->link;
    count_out(reader->stream);
    free(reader);
}

/* --- The process ------------------------------------------------------------------------------ */

struct phone_stream *phone_stream_new(struct db *db, int loops)
{
    struct phone_stream *stream =
        must_calloc(1, sizeof(*stream) + (size_t)loops * sizeof(struct phone_reader *));
    stream->task = (struct db_task){.run = read_news, .done = news_read, .is_read = true};
    stream->db = db;
    stream->loop_count = loops;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->is_idle, NULL);
    return stream;
}

void phone_stream_serve(struct phone_stream *stream, struct http_server *server)
{
    pthread_mutex_lock(&stream->lock);
    stream->server = server;
    pthread_mutex_unlock(&stream->lock);
}

void phone_stream_stop(struct phone_stream *stream)
{
    if (!stream) return;
    pthread_mutex_lock(&stream->lock);
    stream->is_stopping = true;
    while (stream->is_reading)
        pthread_cond_wait(&stream->is_idle, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

void phone_stream_free(struct phone_stream *stream)
{
    if (!stream) return;
    pthread_cond_destroy(&stream->is_idle);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}
