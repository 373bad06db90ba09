/* The api answers the requests of a process. It is made once at the start and shared by the loops.
 */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"
#include "core/service.h"
#include "kit/base/buf.h"
#include "kit/http/address.h"
#include "kit/http/server.h"

#include <stdatomic.h>

struct event_log;
struct http_server;
struct key_set;
struct log_stream;
struct pulse;
struct throttle;

struct api {
    struct route_list routes; /* the routes that it answers */
    struct service *service;
    struct event_log *event_log;
    struct http_server *server;
    struct throttle *throttle;
    struct key_set *key_set;
    struct log_stream *log_stream;
    struct pulse *pulse;
    struct http_addresses trusted_proxies; /* HERALD_TRUSTED_PROXIES */
    struct secret internal_keys[INTERNAL_KEYS_MAX];
    struct buf openapi;    /* the document, made once */
    atomic_bool is_ending; /* readiness is red while all else goes on */
};

/* Returns the handler for http_server_start. The way of a request is: head (route, authentication,
 * media type, size) -> body -> decoding by the record tables -> hand-over to the database ->
 * handler inside its transaction -> after the commit back to the loop -> answer. Only the last step
 * turns an error into an answer (dispatch*.c). */
struct http_handler api_handler(struct api *api);
