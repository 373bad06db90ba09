/* The app is the running process: main starts it, and it hands each part of app/ what it needs. */
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
    struct service service; /* the domain stands on it, and on its parts: */
    struct fleet_setup fleet;
    struct sms_setup sms;
    struct integration_setup integrations;
    struct token_setup tokens;
    struct erp_setup erp;
    struct order_setup deliveries;
    struct api api; /* a worker has no server in it */
    struct jobs jobs;
    struct route issuer_route;    /* serves the metadata at the path of the issuer */
    struct networks erp_networks; /* HERALD_ERP_NETWORKS */
    struct event_log *event_log;
    struct channels *channels;
    struct worker *worker;                 /* NULL for an api and an identity service */
    struct channel_worker *channel_worker; /* the same */
    struct erp_worker *erp_worker;         /* the same */
    struct order_worker *order_worker;     /* the same */
    _Atomic int64_t stop_began_ms;         /* monotonic; 0: it has not begun */
};

/* Opens the databases and starts the parts that the role needs; `why` says what is wrong. The
 * settings get the port that is listened on (config_set_port), and lose their secrets; they and the
 * arena outlive the app. */
enum err app_start(struct app *app, struct config *config, enum role role, struct arena *arena,
                   struct buf *why) MUST_CHECK;
/* Turns readiness red while all else goes on. The process ends within 30 s from now in any case
 * (contract, sections 7 and 9.15). */
void app_begin_stop(struct app *app);
/* Stops gracefully, in the rest of the 30 s. */
void app_stop(struct app *app);
