/*
 * What all scenarios share: where herald is, the keys, the fleet, the connections, and the count
 * of answers that should not have come.
 */
#pragma once

#include "samples.h"
#include "wire.h"

enum {
    FLEET_MAX = 4096,
    CLIENTS_MAX = 1024,
    SENDERS_MAX = 64,
    OFFERS_MAX = 65536,
    INTEGRATIONS_MAX = 1024,
    KEY_MAX = 128,
    NUMBER_MAX = 16,
    RUN_MAX = 20,
    TOKEN_MAX = 2048,
};

/* A number and the key of the phone that owns it. */
struct sim {
    char key[KEY_MAX];
    char number[NUMBER_MAX];
};

/* A workload client and what it may ask about. */
struct fetch_client {
    char id[40];
    char secret[KEY_MAX];
    char integration_id[40];
};

/* An ERP with its token, and what it may change. */
struct sender {
    char integration_id[40];
    char token[TOKEN_MAX];
};
struct offer {
    char product_id[40];
    char variant_id[40];
};

/* Of whose point orders are posted. */
struct integration {
    char id[40];
    char point_id[40];
};

struct bench {
    struct sockaddr_in address;
    struct sockaddr_in provider; /* the control API of sim/provider */
    char internal_key[KEY_MAX];
    struct sim *fleet;
    size_t fleet_count;
    struct fetch_client *clients;
    size_t client_count;
    struct sender *senders;
    size_t sender_count;
    struct offer *offers;
    size_t offer_count;
    struct integration *integrations;
    size_t integration_count;
    struct sockaddr_in sink; /* where the generator is the ERP of them all */
    const char *token_path;
    const char *bodies_path; /* what webhooks deliver; NULL: nobody asks */
    size_t connections;
    int64_t duration_us;
    int64_t pace;     /* requests a second where a scenario is paced */
    int64_t beside;   /* codes for the messenger gateway, created before a scenario begins */
    int64_t orders;   /* of a backlog */
    int64_t readers;  /* of the log stream */
    size_t in_flight; /* orders that the generator itself has under way with the sink */

    struct wire wire;
    char run[RUN_MAX]; /* makes the idempotency keys of this run its own */
    int64_t first_recipient;
    int64_t recipients; /* given out so far */
    int64_t end_us;     /* when a scenario of fixed length stops asking */

    int64_t unexpected; /* answers with a status that the scenario did not want */
    struct samples latency;
    struct samples latency_extra;
};

/* What one run has found. Figures with an empty name are not there. */
enum { FIGURES_MAX = 8 };
struct figure {
    const char *name;
    double value;
};
struct result {
    int64_t count; /* of the units that the rate counts */
    double seconds;
    struct figure figures[FIGURES_MAX];
};

struct scenario {
    const char *name;
    const char *help;
    bool needs_fleet, needs_clients;
    /* False after a sentence on stderr. The percentiles come from bench->latency. */
    bool (*run)(struct bench *bench, struct result *ret_result);
};

extern const struct scenario scenario_floor;
extern const struct scenario scenario_claims;
extern const struct scenario scenario_submit;
extern const struct scenario scenario_sms;
extern const struct scenario scenario_pairs;
extern const struct scenario scenario_log;
extern const struct scenario scenario_readers;
extern const struct scenario scenario_flash;
extern const struct scenario scenario_tokens;
extern const struct scenario scenario_bearer;
extern const struct scenario scenario_bearer_new;
extern const struct scenario scenario_packages;
extern const struct scenario scenario_codes;
extern const struct scenario scenario_orders;
extern const struct scenario scenario_arrivals;
extern const struct scenario scenario_direct;
extern const struct scenario scenario_hooks;
extern const struct scenario scenario_hooks_by_peer;
extern const struct scenario scenario_hook_arrivals;

/* Requests. The first sends the internal key, the second that of a phone. */
void bench_get(struct buf *request, const char *path);
void bench_post(const struct bench *bench, struct buf *request, const char *path,
                const char *idempotency_key, const char *request_id, const char *body);
void bench_post_as_phone(struct buf *request, const struct sim *sim, const char *path,
                         const char *body);

/* A create of an OTP for recipient `n` of this run. `gateway` may be NULL: herald chooses. */
void bench_create_otp(const struct bench *bench, struct buf *request, int64_t n,
                      const char *gateway);
/* The same through a channel that is not SMS. */
void bench_create_otp_through(const struct bench *bench, struct buf *request, int64_t n,
                              const char *channel);
/* The n of a number in an answer, or -1. */
int64_t bench_recipient_index(const struct bench *bench, struct str number);

/* Sleeps until request `n` of a paced scenario is due. All connections wait with the one that asks:
 * while a request is late none does, and what has arrived is looked at within a turn. */
void bench_keep_pace(const struct bench *bench, int64_t start_us, int64_t n);

/* Counts an answer that is not `status` and shows the first one. */
bool bench_expect(struct bench *bench, const struct answer *answer, int status);

/* Each number of the fleet asks once, so that all SIMs are ready. */
bool bench_make_ready(struct bench *bench);

/* The text value of the first property "key" in a JSON text as herald writes it; not unescaped.
 * Empty where there is none. */
struct str bench_property(struct str json, const char *key);
/* The first six digits in a row; false if there are none. */
bool bench_find_code(struct str text, char ret_code[static 7]);
