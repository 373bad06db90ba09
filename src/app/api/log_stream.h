/*
 * The log is streamed as server-sent events (doc A, section 4 "Log stream"; contract, section 2,
 * rule 12).
 *
 * A reader first catches up page by page from the database, then it is live: one tail a process
 * reads new entries once, and every loop hands them to its readers. A reader that is too slow for
 * the live stream goes back to catching up from its place, so it misses nothing and gets nothing
 * twice.
 */
#pragma once

#include "core/request.h"
#include "kit/http/server.h"

enum { LOG_KEEP_ALIVE_MS = 15 * 1000, LOG_POLL_MS = 500 };

struct log_reader;

struct log_stream *log_stream_new(struct db *db, int loops);
/* Lets readers become live, since the server listens; with NULL, nothing is handed to its loops any
 * more, since it is about to stop. */
void log_stream_serve(struct log_stream *stream, struct http_server *server);
/* Waits until no page is being read. */
void log_stream_stop(struct log_stream *stream);
/* Call it after the server has stopped and the database is closed. */
void log_stream_free(struct log_stream *stream);

/* Tells beforehand whether a reader will be refused. */
enum err log_stream_check(struct http_request *x, struct request *rq) MUST_CHECK;
/* Makes a reader for the request, on its loop. Returns ERR_VALIDATION for a Last-Event-ID that is
 * no number. */
enum err log_stream_open(struct log_stream *stream, struct http_request *x, struct request *rq,
                         struct log_reader **ret_reader) MUST_CHECK;
/* Begins to send once the request knows its reader; for HEAD it sends the head of the answer alone.
 */
void log_stream_start(struct log_reader *reader, bool is_head);
/* Frees the reader, since its request is over. Takes NULL. */
void log_stream_close(struct log_reader *reader);
/* Goes on, since the connection takes bytes again. Takes NULL. */
void log_stream_drain(struct log_reader *reader);

/* Says that there may be new entries. Any thread may call; it costs little without readers. */
void log_stream_wake(struct log_stream *stream);
/* Sends keep-alives that are due. Any thread may call. */
void log_stream_tick(struct log_stream *stream);

/* For routes.c. */
extern const struct record log_stream_query;
