/* The listener answers `GET /metrics`, and nothing else, to whoever can reach it. */
#pragma once

#include "app/metrics/exposition.h"
#include "kit/base/err.h"

struct listener;
struct tls;

/* Writes an answer; it is called on the listener's own thread. */
typedef void (*listener_write_fn)(void *arg, enum exposition_format format, struct buf *out);

/* Listens at the addresses of `listen` with the certificate `tls`, as http_options have them. */
enum err listener_start(const char *listen, struct tls *tls, listener_write_fn write, void *arg,
                        struct listener **ret_listener, struct buf *why) MUST_CHECK;
/* Writes where it listens, as http_server_addresses does. */
void listener_addresses(const struct listener *listener, struct buf *out);
/* Ends and frees it; takes NULL. */
void listener_stop(struct listener *listener);
