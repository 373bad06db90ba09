/* The app is the running process: main starts it, and it hands each part of app/ what it needs. */
#pragma once

#include "app/api/api.h"
#include "app/jobs/jobs.h"
#include "app/setup/config.h"
#include "app/setup/key_watch.h"
#include "app/supervisor.h"
#include "core/event.h"
#include "domain/alert/alert.h"
#include "domain/erp/erp.h"
#include "domain/fleet/fleet.h"
#include "domain/operator/operator.h"
#include "domain/order/order.h"
#include "domain/process/process.h"
#include "domain/sms/sms_text.h"
#include "domain/test_number/test_number.h"
#include "domain/webhook/webhook.h"
#include "kit/fetch/networks.h"

struct channel_worker;
struct channels;
struct erp_worker;
struct order_worker;
struct tls;
struct worker;

struct app {
    const struct config *config;
    enum process_role role;
    struct service service; /* the domain stands on it, and on its parts: */
    struct event_setup events;
    struct webhook_setup webhooks;
    struct networks webhook_networks; /* HERALD_WEBHOOK_NETWORKS */
    struct fleet_setup fleet;
    struct sms_setup sms;
    struct alert_setup alerts;
    struct test_number_setup test_numbers;
    struct integration_setup integrations;
    struct token_setup tokens;
    struct erp_setup erp;
    struct own_process process;
    struct record_list started_with; /* the settings, as settings_look has them */
    struct operator_setup operators;
    struct order_setup deliveries;
    struct key_watch key_watch;
    struct tls *tls; /* NULL: no HTTPS */
    struct api api;  /* a worker has no server in it */
    struct jobs jobs;
    struct route issuer_route;    /* serves the metadata at the path of the issuer */
    struct networks erp_networks; /* HERALD_ERP_NETWORKS */
    struct event_log *event_log;
    struct channels *channels;
    struct worker *worker;                 /* NULL for an api and an identity service */
    struct channel_worker *channel_worker; /* the same */
    struct erp_worker *erp_worker;         /* the same */
    struct order_worker *order_worker;     /* the same */
    struct webhook_worker *webhook_worker; /* the same */
    struct event_publisher *publisher;     /* the same */
    struct event_listener *event_listener; /* NULL with HERALD_EVENTS=off */
    _Atomic int64_t stop_began_ms;         /* monotonic; 0: it has not begun */
    struct supervisor_setup supervised;
    struct supervisor *supervisor; /* NULL: none listens */
};

/* Opens the databases and starts the parts that the role needs; `why` says what is wrong. The
 * settings get the ports that are listened on (config_set_ports), and lose their secrets; they and
 * the arena outlive the app. */
enum err app_start(struct app *app, struct config *config, enum process_role role,
                   struct arena *arena, struct buf *why) MUST_CHECK;
/* Turns readiness red while all else goes on. The process ends within 30 s from now in any case
 * (contract, section 7 "Stopping"). */
void app_begin_stop(struct app *app);
/* Reads keys and certificates that lie in files anew (`arg` is the app), and says so. */
void app_reload(void *arg);
/* Stops gracefully, in the rest of the 30 s. */
void app_stop(struct app *app);

/* --- For app*.c --- */

/* Makes what the rooms of the domain stand on (app->service); the databases are not open yet. */
void app_set_rooms(struct app *app, struct arena *arena);
