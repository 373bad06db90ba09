/*
 * Webhooks tell endpoints of a core system of events over HTTP, after Standard Webhooks 1.0
 * (contract, section 13.3). An endpoint is a URL with a secret; the publisher makes a delivery of
 * each event that it wants, in the transaction that numbers the event, and the worker
 * (webhook_job.c) delivers it. Lives in the verification store.
 */
#pragma once

#include "core/page.h"
#include "domain/event/event.h"

struct event_log;
struct networks;

enum {
    WEBHOOK_ENDPOINTS_MAX = 50,
    WEBHOOK_URL_MAX = 500,
    WEBHOOK_DESCRIPTION_MAX = 200,
    WEBHOOK_TYPES_MAX = 40,
    WEBHOOK_TYPE_MAX = 64,
    WEBHOOK_OVERLAP_MAX_S = 7 * 86400,
    WEBHOOK_OVERLAP_DEFAULT_S = 86400,
    WEBHOOK_SECRET_LEN = 32,
    WEBHOOK_ANSWER_MAX = 200, /* characters that are kept of an answer */
    WEBHOOK_RECOVER_MAX = 10000,
    WEBHOOK_ATTEMPTS_MAX = 10,
};
/* Is notified when a delivery is due now. */
#define WEBHOOK_TOPIC "webhook"
#define WEBHOOK_TEST  "test.ping"

/* service->webhooks. */
struct webhook_setup {
    const struct networks *networks; /* HERALD_WEBHOOK_NETWORKS */
    const char *ca_file;             /* HERALD_WEBHOOK_CA_FILE; NULL: the system's */
    bool may_use_http;               /* HERALD_WEBHOOK_ALLOW_HTTP */
};

struct webhook_endpoint {
    struct uuid id;
    const char *url;
    struct record_list types; /* of const char * */
    const char *description;  /* NULL: none */
    bool full_numbers;
    bool enabled;
    const char *disabled_why; /* NULL: it is enabled, or somebody disabled it */
    int64_t failing_since;    /* 0: the last attempt went well */
    int64_t old_secret_until; /* 0: it has one secret */
    int64_t created_at, updated_at, active_from;
    const char *secret; /* NULL but where it is shown */
    /* Not shown: */
    struct str sealed_secret, sealed_old_secret;
    int64_t changes; /* how many of its changes were events */
    bool is_due;     /* a delivery is; as webhook_endpoint_select_due reads it */
};
struct webhook_endpoint_list {
    struct record_list endpoints; /* of struct webhook_endpoint, oldest first */
};

struct webhook_endpoint_input {
    const char *url;
    struct record_list types; /* of const char * */
    const char *description;
    bool full_numbers;
};
struct webhook_endpoint_change {
    const char *url;          /* NULL: stays */
    struct record_list types; /* items NULL: stay */
    const char *description;  /* NULL: stays */
    int full_numbers;         /* -1: stays */
    int enabled;              /* -1: stays */
};
struct webhook_rotation {
    int64_t overlap_seconds;
};
struct webhook_recovery {
    int64_t since;
};
struct webhook_recovered {
    int64_t queued;
    bool more;
};

enum webhook_state { WEBHOOK_PENDING, WEBHOOK_DELIVERED, WEBHOOK_FAILED };
extern const char *const webhook_state_words[];

struct webhook_delivery {
    struct uuid id, endpoint_id, event_id;
    int64_t seq; /* -1: a test */
    const char *type;
    enum webhook_state state;
    int64_t attempts;
    int64_t next_attempt_at; /* not before it was read; 0: none is due */
    int64_t status;          /* HTTP; -1: no answer */
    const char *answer;      /* its beginning, or why there was none; NULL: no attempt yet */
    int64_t created_at, updated_at;
    bool is_unsent; /* not shown: what began did not leave, and is no attempt */
};
struct webhook_delivery_filter {
    int state; /* -1: any */
    int64_t limit;
    const char *cursor;
};
struct webhook_delivery_list {
    struct record_list deliveries; /* newest first */
    const char *next_cursor;
};

/* Tells whether who asks may have customers' numbers sent to an endpoint (contract, section 10.2).
 */
bool webhook_may_send_numbers(const struct work *work);
/* A refusal says which member is wrong. */
enum err webhook_create(struct work *work, const struct webhook_endpoint_input *input,
                        struct webhook_endpoint *ret_endpoint,
                        struct record_fault *ret_fault) MUST_CHECK;
/* Makes sure that events are written before an endpoint is told of them. `ret_is_ready` false: it
 * has been asked of all processes, and not all have confirmed it yet. ERR_EVENTS_OFF. */
enum err webhook_prepare(struct work *work, bool *ret_is_ready) MUST_CHECK;
enum err webhook_read(struct work *work, const struct uuid *id,
                      struct webhook_endpoint *ret_endpoint) MUST_CHECK;
enum err webhook_list(struct work *work, struct webhook_endpoint_list *ret_list) MUST_CHECK;
/* ERR_INSUFFICIENT_ROLE: it would have numbers sent to where they were not sent. */
enum err webhook_change(struct work *work, const struct uuid *id,
                        const struct webhook_endpoint_change *change,
                        struct webhook_endpoint *ret_endpoint,
                        struct record_fault *ret_fault) MUST_CHECK;
enum err webhook_delete(struct work *work, const struct uuid *id) MUST_CHECK;
enum err webhook_rotate(struct work *work, const struct uuid *id, int64_t overlap_seconds,
                        struct webhook_endpoint *ret_endpoint) MUST_CHECK;
/* Queues a test with the id given. */
enum err webhook_test(struct work *work, const struct uuid *id,
                      const struct uuid *delivery_id) MUST_CHECK;
enum err webhook_read_delivery(struct work *work, const struct uuid *id,
                               struct webhook_delivery *ret_delivery) MUST_CHECK;
enum err webhook_list_deliveries(struct work *work, const struct uuid *id,
                                 const struct webhook_delivery_filter *filter,
                                 struct webhook_delivery_list *ret_list) MUST_CHECK;
/* Has an event delivered once more, now; its attempts begin anew. ERR_NOT_FOUND. */
enum err webhook_replay(struct work *work, const struct uuid *id, const struct uuid *delivery_id,
                        struct webhook_delivery *ret_delivery) MUST_CHECK;
/* Does so with all that failed since then, at most WEBHOOK_RECOVER_MAX. */
enum err webhook_recover(struct work *work, const struct uuid *id, int64_t since,
                         struct webhook_recovered *ret_recovered) MUST_CHECK;

/* Makes deliveries of events that have got their numbers; for event_setup.on_published. */
enum err webhook_fan_out(struct work *work, const struct record_list *events) MUST_CHECK;
/* Drops deliveries of events that the feed keeps no more. */
enum err webhook_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Stops writing events where no endpoint is enabled (HERALD_EVENTS=auto). */
enum err webhook_sweep_listening(struct work *work) MUST_CHECK;

extern const struct metric webhook_deliveries; /* herald_webhook_deliveries_total */

/* --- The worker ------------------------------------------------------------------------------- */

struct webhook_worker *webhook_worker_start(struct service *service, struct event_log *event_log);
void webhook_worker_wake(void *worker); /* for db_subscribe */
void webhook_worker_stop(struct webhook_worker *worker, int64_t grace_ms);
void webhook_worker_free(struct webhook_worker *worker);

/* --- For the tables of app/ --- */

extern const struct record webhook_endpoint_input_record, webhook_endpoint_change_record,
    webhook_endpoint_record, webhook_endpoint_shown_record, webhook_endpoint_list_record,
    webhook_rotation_record, webhook_delivery_record, webhook_delivery_list_record,
    webhook_delivery_filter_query, webhook_recovery_record, webhook_recovered_record;

extern const struct route_table webhook_routes;
