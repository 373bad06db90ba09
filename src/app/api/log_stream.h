/*
 * The log as server-sent events (doc A, section 4 "Log stream"; contract, section 2, rule 12).
 *
 * A reader first catches up page by page from the database, then is live: one tail a process reads
 * what is new, once, and every loop hands it to its readers. A reader that is too slow for the live
 * stream goes back to catching up, from where it stands: nothing is missed, nothing comes twice.
 */
#pragma once

#include "core/request.h"
#include "kit/http/server.h"

enum { LOG_KEEP_ALIVE_MS = 15 * 1000, LOG_POLL_MS = 500 };

struct log_reader;

struct log_stream *log_stream_new(struct db *db, int loops);
/* The server listens: from now on readers become live. NULL: it is about to stop, and nothing is
 * handed to its loops any more. */
void log_stream_serve(struct log_stream *stream, struct http_server *server);
/* Waits until nothing is being read. */
void log_stream_stop(struct log_stream *stream);
/* After the server has stopped and the database is closed. */
void log_stream_free(struct log_stream *stream);

/* Answers the exchange with the stream, on its loop. ERR_VALIDATION for a Last-Event-ID that is no
 * number; then nothing was answered. */
enum err log_stream_open(struct log_stream *stream, struct http_request *x, struct request *rq,
                         struct log_reader **ret_reader) MUST_CHECK;
/* Sends what there is; once the exchange knows its reader. */
void log_stream_start(struct log_reader *reader);
/* For HEAD: the head of the answer and nothing else. */
void log_stream_show_head(struct log_reader *reader);
/* The exchange is over; frees the reader. NULL is fine. */
void log_stream_close(struct log_reader *reader);
/* The exchange takes bytes again. */
void log_stream_drain(struct log_reader *reader);

/* There may be new entries. Any thread; cheap when nobody reads. */
void log_stream_wake(struct log_stream *stream);
/* Keep-alives where they are due. Any thread. */
void log_stream_tick(struct log_stream *stream);

/* For the routes table. */
extern const struct record log_stream_query;
