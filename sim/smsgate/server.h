/* The app's connections to its server: one for requests, one for the stream of events. */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { ANSWER_MAX = 65536 };

struct server;

/* `url` is borrowed. `stop_fd`: waits end as soon as this descriptor is readable. NULL: libcurl
 * does not start. */
struct server *server_new(const char *url, int stop_fd);
void server_free(struct server *server);

/* Sends this header with all that follows: "Bearer hd_...". */
void server_authorize(struct server *server, const char *authorization);
/* Asks once. `body` may be empty. Returns the status; 0: no whole answer came. */
long server_ask(struct server *server, const char *method, const char *path, struct str body,
                struct buf *ret_answer);

/* Opens the stream, again where there is one. */
void server_listen(struct server *server);
/* Drops the stream. */
void server_deafen(struct server *server);
bool server_is_listening(const struct server *server);
/* Waits for so long, or until the stream has said something or has ended. Returns true if it said
 * something. `ret_event` has its last event's name, NUL-terminated. */
bool server_wait(struct server *server, int64_t ms, char *ret_event, size_t event_size);
