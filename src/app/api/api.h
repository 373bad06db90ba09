/* What answers requests in a process, made once at the start and shared by its loops. */
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
    struct route_list routes; /* that it answers */
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
    atomic_bool is_ending; /* ready is red, and all else goes on */
};

/* Answers requests: the handler that http_server_start gets. The way of one is: head (route, who
 * asks, media type, size) -> body -> decode by the record tables -> hand-over to the database ->
 * handler inside its transaction -> after the commit back to the loop -> answer. Only there does an
 * error become an answer (dispatch.c and what stands beside it). */
struct http_handler api_handler(struct api *api);
