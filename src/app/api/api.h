/* The api answers the requests of a process. It is made once at the start and shared by the loops.
 */
#pragma once

#include "app/api/root_keys.h"
#include "app/setup/config.h"
#include "core/route.h"
#include "core/service.h"
#include "kit/base/buf.h"
#include "kit/http/address.h"
#include "kit/http/server.h"

#include <stdatomic.h>

struct api_key_set;
struct counts;
struct event_log;
struct http_request;
struct http_server;
struct key_set;
struct log_stream;
struct metrics;
struct phone_stream;
struct pulse;
struct refusals;
struct password_pool;
struct throttle;
struct waiter;
struct parking;

struct api {
    struct route_list routes; /* the routes that it answers */
    /* The same rows, as the door of the console has them (console.h); none without a console. */
    struct route_list console_routes;
    struct password_pool *passwords;
    /* Takes the head of a request that came to the console's addresses, which are those of the
     * server from this one on; NULL: there is no console. */
    void (*console)(struct api *api, struct http_request *x);
    int console_listener;
    struct service *service;
    struct event_log *event_log;
    struct http_server *server;
    struct throttle *throttle;
    struct waiter *waiter;
    struct parking *parking;
    struct refusals *refusals;
    struct counts *counts;
    struct metrics *metrics; /* NULL: it tells none */
    struct key_set *key_set;
    struct api_key_set *api_keys;
    struct log_stream *log_stream;
    struct phone_stream *phone_stream;
    struct pulse *pulse;
    struct http_addresses trusted_proxies; /* HERALD_TRUSTED_PROXIES */
    struct root_keys root_keys;            /* INTERNAL_API_KEY */
    bool is_log_sensitive;                 /* LOG_SENSITIVE */
    struct buf openapi;                    /* the document, made once */
    struct buf docs_page;                  /* the same for people */
    struct record_list settings;           /* struct shown_setting */
    atomic_bool is_ending;                 /* readiness is red while all else goes on */
};

/* Returns the handler for http_server_start. The way of a request is: head (route, authentication,
 * media type, size) -> body -> decoding by the record tables -> hand-over to the database ->
 * handler inside its transaction -> after the commit back to the loop -> answer. Only the last step
 * turns an error into an answer (dispatch*.c). */
struct http_handler api_handler(struct api *api);
