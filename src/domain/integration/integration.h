/*
 * Integrations and their workload clients (doc B, section 2 "Connection parameters" and section 5;
 * contract, section 4): an integration is a sales point of a tenant with its ERP; a client may
 * fetch tokens for it; a secret is shown once and stored as its hash. All of them live in the
 * exchange store.
 */
#pragma once

#include "core/page.h"
#include "core/service.h"
#include "kit/json/record.h"

enum {
    INTEGRATION_NAME_MAX = 200,
    ERP_URL_MAX = 500,
    ERP_TOKEN_MAX = 1000,
    ERP_PATH_MAX = 200,
    ERP_TIMEOUT_MAX_S = 60,
    ERP_TIMEOUT_DEFAULT_S = 10,
    CLIENTS_MAX = 50, /* of an integration */
    CLIENT_NAME_MAX = 200,
    CLIENT_SECRETS_MAX = 2, /* live at once */
    SECRET_OVERLAP_MAX_S = 86400,
};
#define ERP_PATH_DEFAULT "/svc/v1/orders"

/* A scope says what a token may be used for (doc B, section 5). */
enum scope { SCOPE_CATALOG_WRITE, SCOPE_CHANGES_WRITE, SCOPE_EVENTS_READ, SCOPE_COUNT };
extern const char *const scope_words[SCOPE_COUNT + 1]; /* "erp.catalog.write" ... */
/* A set of scopes: bit 1 << enum scope. */
enum { SCOPES_ALL = (1 << SCOPE_COUNT) - 1 };
/* Returns the words of a set, separated by spaces, in the sequence of the table, in the arena. */
const char *scopes_text(struct arena *arena, unsigned scopes);
/* Reads a list of scopes (RFC 6749, section 3.3): words separated by single spaces, in any order; a
 * repeated one counts once. `ret_has_unknown`: one of them is no scope of ours. False: it is no
 * such list, or an empty one. */
bool scopes_read(struct str text, unsigned *ret_scopes, bool *ret_has_unknown);
/* Returns the same words as a list of const char *, in the arena. */
struct record_list scopes_list(struct arena *arena, unsigned scopes);

/* Integrations and their clients stand on this: service->integrations. */
struct integration_setup {
    const char *token_url;     /* where clients fetch tokens; NULL: nowhere that is known here */
    bool has_own_tokens;       /* false: those of the identity service of HERALD_JWKS_URL count */
    bool may_use_http;         /* HERALD_ERP_ALLOW_HTTP */
    int64_t archive_share_ppm; /* HERALD_ERP_MAX_ARCHIVE_SHARE, in parts per million */
};

/* An integration is for one of these, for ever (contract, section 4). */
enum integration_environment { ENVIRONMENT_PRODUCTION, ENVIRONMENT_TEST };
extern const char *const integration_environment_words[];

/* The meaning of a product's field that a snapshot does not have (contract, section 5). */
enum integration_absent { ABSENT_REMOVE, ABSENT_KEEP };
extern const char *const integration_absent_words[];

/* The ERP is reached like this. */
struct erp_input {
    const char *base_url;    /* NULL in a change: stays */
    const char *token;       /* NULL in a change: stays */
    const char *order_path;  /* NULL: the default, or stays */
    int64_t timeout_seconds; /* 0 in a change: stays */
};

struct integration_input {
    struct uuid tenant_id;
    struct uuid point_id;
    const char *name;
    struct erp_input *erp;
    const char *max_archive_share; /* a decimal; NULL: as the setting says */
    int environment;               /* enum integration_environment */
    int absent;                    /* enum integration_absent */
};

struct integration_change {
    const char *name;              /* NULL: stays */
    struct erp_input *erp;         /* NULL: stays */
    const char *max_archive_share; /* NULL: stays; "": as the setting says from now on */
    int enabled;                   /* -1: stays */
    int absent;                    /* enum integration_absent; -1: stays */
};

struct circuit; /* kit/job/circuit.h */

/* The circuit of an integration's lane of orders has one of these states (contract, section
 * 6). */
enum lane_circuit_state { LANE_CLOSED, LANE_OPEN, LANE_HALF_OPEN };
extern const char *const lane_circuit_words[];
struct lane_circuit {
    int state;             /* enum lane_circuit_state */
    int64_t since;         /* it opened; 0: it is closed, or an older version of herald opened it */
    int64_t next_probe_at; /* 0: it is not open */
    const char *last_error; /* NULL: none since an order was served */
};
/* Makes the record of what is stored with a lane, in the arena; a probe that is due is shown as due
 * now. */
struct lane_circuit *lane_circuit_new(struct work *work, const struct circuit *circuit,
                                      int64_t opened_at, const char *last_error);

/* Counts of an integration end here: this many are as many or more. */
enum { EXCHANGE_COUNT_MAX = 1000 };

/* It says how the exchange with an ERP stands. */
struct exchange {
    int64_t last_snapshot_at, last_change_at; /* applied; 0: never */
    int64_t waiting, failed;                  /* packages, at most EXCHANGE_COUNT_MAX */
    struct lane_circuit *circuit;
    int64_t orders_waiting;  /* at most EXCHANGE_COUNT_MAX */
    int64_t oldest_order_at; /* of those that wait; 0: none does */
};

/* The ERP as it is shown: never with its token. */
struct erp {
    const char *base_url;
    const char *order_path;
    int64_t timeout_seconds;
};

struct integration {
    struct uuid id;
    struct uuid tenant_id;
    struct uuid point_id;
    enum integration_environment environment;
    const char *name;
    bool enabled;
    struct erp *erp;
    const char *max_archive_share; /* a decimal from 0 to 1; NULL: as the setting says */
    enum integration_absent absent;
    struct exchange *exchange; /* NULL: integration_read does not ask for it */
    int64_t created_at;
    int64_t updated_at;
    struct str sealed_erp_token; /* not shown */
};

struct integration_filter {
    const char *query; /* part of its name, or its id or its point's; NULL: any */
    int is_enabled;    /* -1: any */
    int64_t limit;
    const char *cursor; /* NULL: the first page */
};

struct integration_list {
    struct record_list integrations; /* of struct integration */
    const char *next_cursor;
};

/* A refusal says why an integration is not made or changed. */
struct integration_refusal {
    struct record_fault fault; /* ERR_VALIDATION */
    struct uuid taken_by;      /* ERR_POINT_TAKEN: the one that is enabled */
};

/* ERR_VALIDATION: a faulty value of the ERP that only the settings can judge (http where only https
 * is allowed). ERR_POINT_TAKEN: another one is enabled for its tenant, point and environment
 * (contract, section 4 "One integration for a point"). */
enum err integration_create(struct work *work, const struct uuid *id,
                            const struct integration_input *input,
                            struct integration *ret_integration,
                            struct integration_refusal *ret_refusal) MUST_CHECK;
enum err integration_read(struct work *work, const struct uuid *id,
                          struct integration *ret_integration) MUST_CHECK;
/* Has entries of the log name it (log_integration); whether it is there does not matter. */
enum err integration_learn_name(struct work *work, const struct uuid *id) MUST_CHECK;
/* Reads it together with how its exchange stands. */
enum err integration_show(struct work *work, const struct uuid *id,
                          struct integration *ret_integration) MUST_CHECK;
/* Reads a page in order of creation, with how the exchange of each stands. ERR_VALIDATION: the
 * cursor is none of ours. */
enum err integration_list(struct work *work, const struct integration_filter *filter,
                          struct integration_list *ret_list) MUST_CHECK;
/* Finds the one with that id, or at most `max` by the id of their point or a part of their name,
 * which is looked for among the newest: the newest first, without their exchange. */
enum { INTEGRATION_FOUND_AMONG = 10000 };
enum err integration_find(struct work *work, const char *query, int64_t max,
                          struct record_list *ret_integrations) MUST_CHECK;
/* Changes what is given. Where nothing becomes different, nothing is noted and updated_at stays. It
 * refuses what integration_create refuses (ERR_POINT_TAKEN: it is to be enabled). The token belongs
 * to its address, so another scheme, host or port of base_url needs a new token with it (contract,
 * section 4 "The ERP's address"). */
enum err integration_change(struct work *work, const struct uuid *id,
                            const struct integration_change *change,
                            struct integration *ret_integration,
                            struct integration_refusal *ret_refusal) MUST_CHECK;

/* Warns of some integrations that are enabled for one point beside each other, from before that was
 * refused. Only reads. */
enum err integration_warn_of_rivals(struct work *work) MUST_CHECK;
/* The share of live products that a snapshot of it may archive, in parts per million: its own, or
 * that of the setting (contract, section 5 "Safety brake"). */
int64_t integration_archive_share_ppm(const struct integration *integration,
                                      const struct service *service);

/* --- Clients --- */

struct client_input {
    const char *name;          /* NULL: none */
    struct record_list scopes; /* of const char *; none: all */
};

struct client_secret {
    struct uuid id;
    int64_t created_at;
    int64_t expires_at; /* 0: until it is rotated or revoked */
};

struct workload_client {
    struct uuid client_id;
    struct uuid integration_id;
    const char *name;
    struct record_list scopes; /* of const char * */
    bool enabled;
    int64_t created_at;
    struct record_list secrets; /* the live ones, of struct client_secret */
    unsigned scope_set;         /* not shown */
};

struct client_list {
    struct record_list clients; /* of struct workload_client, in order of creation */
    const char *next_cursor;    /* NULL: that was the last page */
};

/* Shown once. */
struct client_credentials {
    struct uuid client_id;
    const char *client_secret; /* "hs_" and 43 characters */
    struct uuid secret_id;     /* to revoke it by */
    const char *token_url;     /* NULL: it is not known here */
    struct uuid integration_id;
    struct record_list scopes;
};

struct rotate_input {
    int64_t overlap_seconds;
};
struct revoke_input {
    struct uuid secret_id;
};
struct client_change {
    bool enabled;
};

/* ERR_NOT_FOUND (the integration); ERR_VALIDATION: CLIENTS_MAX are there already;
 * ERR_TOKENS_ELSEWHERE: nobody would take its secret (service->integrations->has_own_tokens). */
enum err client_create(struct work *work, const struct uuid *integration_id,
                       const struct client_input *input,
                       struct client_credentials *ret_credentials) MUST_CHECK;
/* Reads a page of them, in order of creation (contract, section 1). ERR_NOT_FOUND (the
 * integration); ERR_VALIDATION: the cursor is none of ours. */
enum err client_list(struct work *work, const struct uuid *integration_id,
                     const struct page_query *query, struct client_list *ret_list) MUST_CHECK;
/* Makes a new secret. The newest old one stays good for `overlap_seconds` (0: it ends now), all
 * others end now. There are never more than CLIENT_SECRETS_MAX live ones, however many rotate at
 * one moment. ERR_NOT_FOUND, ERR_TOKENS_ELSEWHERE. */
enum err client_rotate_secret(struct work *work, const struct uuid *client_id,
                              int64_t overlap_seconds,
                              struct client_credentials *ret_credentials) MUST_CHECK;
/* Ends a secret; may be repeated. ERR_NOT_FOUND: there is no such client, or it has no such secret.
 */
enum err client_revoke_secret(struct work *work, const struct uuid *client_id,
                              const struct uuid *secret_id) MUST_CHECK;
enum err client_set_enabled(struct work *work, const struct uuid *client_id,
                            bool is_enabled) MUST_CHECK;

/* The client that authenticated at the token endpoint. */
struct client_identity {
    struct uuid client_id;
    struct uuid integration_id, tenant_id, point_id;
    unsigned scope_set;
};
/* ERR_UNAUTHORIZED alike for no such client, for a secret that is wrong, ended or revoked, and for
 * a disabled client or integration. Only reads. */
enum err client_authenticate(struct work *work, struct str client_id, struct str secret,
                             struct client_identity *ret_identity) MUST_CHECK;

extern const struct record lane_circuit_record;
extern const struct record integration_input_record;
extern const struct record integration_change_record;
extern const struct record integration_record;
extern const struct record integration_list_record;
extern const struct record client_input_record;
extern const struct record client_list_record;
extern const struct record client_credentials_record;
extern const struct record rotate_input_record;
extern const struct record revoke_input_record;
extern const struct record client_change_record;

/* --- For the tables of app/ ------------------------------------------------------------------- */

struct route_table;
extern const struct route_table integration_routes;
