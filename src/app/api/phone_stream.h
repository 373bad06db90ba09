/*
 * Phones with the SMSGate app listen for hints as server-sent events: there is a message, or one is
 * not to be sent any more (contract, section 15.2). A hint may come twice or be lost, since a phone
 * asks every 20 seconds all the same. Twice a second one read looks for all phones of a process
 * that listen, and while none does, there is none; so tasks pay nothing for it.
 */
#pragma once

#include "core/request.h"
#include "kit/http/server.h"

struct phone_reader;
struct phone_stream;

enum {
    PHONE_KEEP_ALIVE_MS = 15 * 1000,
    PHONE_PACE_MS = 2 * 1000, /* between two hints to fetch */
    /* Then a phone comes again, and shows its key. */
    PHONE_STREAM_MS = 15 * 60 * 1000,
};

struct phone_stream *phone_stream_new(struct db *db, int loops);
/* Lets hints go out, since the server listens; with NULL, nothing is handed to its loops any more,
 * since it is about to stop. */
void phone_stream_serve(struct phone_stream *stream, struct http_server *server);
/* Waits until nothing is being read. */
void phone_stream_stop(struct phone_stream *stream);
/* Call it after the server has stopped and the database is closed. Takes NULL. */
void phone_stream_free(struct phone_stream *stream);

/* Begins the stream of a request by this phone, on its loop, and ends those that it opened before;
 * for HEAD it sends the head of the answer alone. */
struct phone_reader *phone_stream_open(struct phone_stream *stream, struct http_request *x,
                                       const struct uuid *device_id, const char *request_id);
/* Frees the reader, since its request is over. Takes NULL. */
void phone_stream_close(struct phone_reader *reader);

/* Looks for hints, and sends keep-alives that are due. Any thread may call. */
void phone_stream_tick(struct phone_stream *stream);
