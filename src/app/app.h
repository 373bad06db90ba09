/* The running process: what main starts, what every part of app/ reaches the others through. */
#pragma once

#include "app/api/api.h"
#include "app/jobs/jobs.h"
#include "app/setup/config.h"
#include "domain/erp/erp.h"
#include "domain/fleet/fleet.h"
#include "domain/order/order.h"
#include "domain/sms/sms_text.h"
#include "kit/fetch/networks.h"

struct channel_worker;
struct channels;
struct erp_worker;
struct order_worker;
struct worker;

struct app {
    const struct config *config;
    enum role role;
    struct service service; /* what the domain stands on, and the parts of it: */
    struct fleet_setup fleet;
    struct sms_setup sms;
    struct integration_setup integrations;
    struct token_setup tokens;
    struct erp_setup erp;
    struct order_setup deliveries;
    struct api api; /* its server is NULL for a worker */
    struct jobs jobs;
    struct route issuer_route;    /* of the api: the metadata at the path of the issuer */
    struct networks erp_networks; /* HERALD_ERP_NETWORKS */
    struct event_log *event_log;
    struct channels *channels;
    struct worker *worker;                 /* NULL for an api and an identity service */
    struct channel_worker *channel_worker; /* the same */
    struct erp_worker *erp_worker;         /* the same */
    struct order_worker *order_worker;     /* the same */
    _Atomic int64_t stop_began_ms;         /* monotonic; 0: it has not */
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
