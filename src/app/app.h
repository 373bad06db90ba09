/* The running process: what main starts, what every part of app/ reaches the others through. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"
#include "domain/event_log/event_log.h"
#include "kit/fetch/networks.h"
#include "kit/http/address.h"
#include "kit/http/server.h"

#include <stdatomic.h>

struct channel_worker;
struct channels;
struct erp_worker;
struct key_set;
struct log_stream;
struct order_worker;
struct pulse;
struct throttle;
struct worker;

struct app {
    const struct config *config;
    enum role role;
    struct route_list routes;     /* that it answers */
    struct route issuer_route;    /* one of them: the metadata at the path of the issuer */
    struct service service;       /* what the domain stands on */
    struct networks erp_networks; /* HERALD_ERP_NETWORKS */
    struct vault *vault;
    struct event_log *event_log;
    struct channels *channels;
    struct key_set *key_set;
    struct throttle *throttle;
    struct http_addresses trusted_proxies; /* HERALD_TRUSTED_PROXIES */
    struct secret internal_keys[INTERNAL_KEYS_MAX];
    struct buf openapi; /* the document, made once */

    struct http_server *server; /* NULL for a worker */
    struct log_stream *log_stream;
    struct pulse *pulse;
    struct worker *worker;                 /* NULL for an api and an identity service */
    struct channel_worker *channel_worker; /* the same */
    struct erp_worker *erp_worker;         /* the same */
    struct order_worker *order_worker;     /* the same */

    _Atomic int64_t stop_began_ms; /* monotonic; 0: it has not. From then on ready is red */
    atomic_bool is_stopping;       /* nothing new begins */
};

/* Opens the databases and starts what the role asks for. `why` says what is wrong. The settings
 * are completed where only the listening tells (config_set_port), and lose their secrets; they and
 * the arena outlive the app. */
enum err app_start(struct app *app, struct config *config, enum role role, struct arena *arena,
                   struct buf *why) MUST_CHECK;
/* Ready turns red, and all else goes on; within 30 s from now on the process ends, come what may
 * (contract, sections 7 and 9.15). */
void app_begin_stop(struct app *app);
/* Stops gracefully, in what is left of the 30 s. */
void app_stop(struct app *app);
