/*
 * Packages that ERPs send (doc B, sections 2 "Event status record", 3 and 4; contract, section 5):
 * a snapshot of the catalog or a package of changes, known by its event id within an integration.
 * It is stored durably first, then applied to the catalog (domain/catalog), one at a time for each
 * integration, in order of receipt. Packages live in the exchange store.
 */
#pragma once

#include "core/rate_limit.h"
#include "domain/catalog/catalog.h"
#include "domain/token/token.h"

struct erp_applying;
struct erp_gate;
struct erp_refusals;
struct event_log;
struct pack_pool;

/* Packages stand on this: service->erp. */
struct erp_setup {
    struct pack_pool *packs;       /* what bodies are packed with */
    struct erp_gate *gate;         /* how many large bodies are taken at once */
    struct erp_applying *applying; /* packages that are applied by this process */
    struct erp_refusals *refusals; /* what remembers those; NULL: nothing does */
    const char *const *vat_rates;  /* HERALD_ERP_VAT_RATES; ends with NULL */
    int64_t body_days;             /* HERALD_ERP_BODY_DAYS; 0: bodies are kept for ever */
    /* HERALD_ERP_SNAPSHOTS_PER_DAY and so on, of one integration; 0: no limit. */
    int64_t snapshots_per_day, packages_per_minute;
    int64_t bodies_max; /* bytes, packed */
};

enum {
    ERP_EVENT_ID_MAX = 128,
    ERP_BODY_MAX = 25 * 1024 * 1024, /* bytes of a package as it is sent */
    /* One attempt to apply a snapshot has so long, anew with each note of its progress; then
     * another process may begin. */
    ERP_LEASE_MS = 15 * 1000,
    ERP_RETRY_FOR_MS = 24 * 3600 * 1000, /* then a package that waits is given up */
};

enum erp_package_type { ERP_PACKAGE_SNAPSHOT, ERP_PACKAGE_DELTA };
extern const char *const erp_package_type_words[];

enum erp_package_status {
    ERP_PACKAGE_ACCEPTED, /* stored; waits for its turn */
    ERP_PACKAGE_PROCESSING,
    ERP_PACKAGE_APPLIED, /* final */
    ERP_PACKAGE_RETRY,   /* will be tried again by itself */
    ERP_PACKAGE_FAILED,  /* final, unless an operator has it tried again */
};
extern const char *const erp_package_status_words[];
enum { ERP_PACKAGE_TYPES = ERP_PACKAGE_DELTA + 1, ERP_PACKAGE_STATUSES = ERP_PACKAGE_FAILED + 1 };
extern const struct metric erp_package_outcomes; /* herald_packages_total, by type and status */
extern const struct metric erp_apply_seconds;    /* by type */

/* It tells how much of a package was applied so far. */
struct erp_progress {
    int64_t rows_done, rows_all;
};

/* The rows at fault of an attempt, as they are stored. */
struct erp_error_list {
    struct record_list errors; /* of struct catalog_row_fault; at most CATALOG_FAULTS_MAX */
};

/* A package may say these things that were probably not meant (contract, section 5 "Warnings"). */
enum erp_warning_type {
    ERP_WARNING_UNKNOWN_FIELD,
    ERP_WARNING_EMPTY_NAME,
    ERP_WARNING_NO_DEFAULT_VARIANT,
    ERP_WARNING_SEVERAL_DEFAULTS,
    ERP_WARNING_STOCK_NOT_TAKEN,
};
extern const char *const erp_warning_type_words[];
enum { ERP_WARNINGS_MAX = 20 };

struct erp_warning {
    int type;               /* enum erp_warning_type */
    struct record_list loc; /* of const char *: the place in the form */
    const char *msg;
    int64_t count; /* how often it is there */
};

/* The warnings of a package, as they are stored. */
struct erp_warning_list {
    struct record_list warnings; /* of struct erp_warning */
};

/* A package and what became of it. */
struct erp_package {
    const char *event_id;
    enum erp_package_type event_type;
    enum erp_package_status status;
    int64_t attempts;
    int64_t received_at;
    int64_t processed_at;          /* when it was last processed; 0: not yet */
    const char *last_error;        /* NULL: none */
    struct catalog_result *result; /* NULL: not applied */
    struct record_list errors;     /* of struct catalog_row_fault; in retry and failed */
    struct record_list warnings;   /* of struct erp_warning; absent in lists */
    struct erp_progress *progress; /* NULL: not being processed */
    /* Only operators are shown these. */
    struct uuid integration_id;
    const char *integration_name;
    int environment;         /* enum integration_environment, of its integration */
    int64_t receipt;         /* its place in the order of its integration */
    int64_t generated_at;    /* as the ERP says */
    int64_t body_length;     /* bytes */
    int64_t next_attempt_at; /* 0: none is due */
    int64_t changes;         /* how many of its changes were events; not shown */
};

/* --- What ERPs ask ---------------------------------------------------------------------------- */

enum erp_acceptance_status { ERP_ACCEPTED, ERP_DUPLICATE };
extern const char *const erp_acceptance_status_words[];

struct erp_acceptance {
    const char *event_id;
    int status; /* enum erp_acceptance_status */
};

/* The gate counts the large bodies that this process takes at once. Any thread. */
struct erp_gate;
struct erp_gate *erp_gate_new(void);
void erp_gate_free(struct erp_gate *gate); /* all bodies have left it */

struct erp_intake;

/* A package that has come, with what came along. */
struct erp_arrival {
    const struct token_claims *claims;
    const struct uuid *integration_id; /* of the path */
    struct erp_intake *intake;
    struct str key; /* Idempotency-Key; NULL data: none, or more than one */
};

/* A refusal says more than its error. */
struct erp_refusal {
    const char *detail; /* of ERR_VALIDATION: the document of the faults */
    int64_t wait_ms;    /* of ERR_RATE_LIMITED */
    /* Of ERR_RATE_LIMITED, and of a package that was stored: what is left of the quotas for it. */
    struct rate_limit limits[RATE_LIMITS_MAX];
};

/* Takes the package, in the order of checks of the contract: whether the token may (the errors of
 * token_authorize), size, JSON, key = event_id, repeat, content, and how many there were of late
 * (contract, section 5). ERR_KEY_NOT_EVENT_ID: the key is at fault. ERR_VALIDATION and
 * ERR_RATE_LIMITED: `ret_refusal` says more. ERR_WRITE_NEEDED where it may not write: it is good
 * and new. */
enum err erp_receive(struct work *work, const struct erp_arrival *arrival,
                     struct erp_acceptance *ret_acceptance,
                     struct erp_refusal *ret_refusal) MUST_CHECK;

/* Reads it for the ERP that sent it. Whether the token may ask is checked first, with the errors of
 * token_authorize. ERR_NOT_FOUND: the integration has no such package. */
enum err erp_read_package(struct work *work, const struct token_claims *claims,
                          const struct uuid *integration_id, const char *event_id,
                          struct erp_package *ret_package) MUST_CHECK;

/* --- What operators ask ----------------------------------------------------------------------- */

struct erp_package_filter {
    struct uuid integration_id; /* of the list over all of them; nil: any */
    int status;                 /* enum erp_package_status; -1: any */
    int event_type;             /* enum erp_package_type; -1: any */
    int64_t limit;
    const char *cursor; /* NULL: the newest first, from the newest on */
};

struct erp_package_list {
    struct record_list events; /* of struct erp_package, without their errors and warnings */
    const char *next_cursor;
};

/* ERR_NOT_FOUND: no such integration, or package. ERR_VALIDATION: a cursor that is none of ours. */
enum err erp_list_packages(struct work *work, const struct uuid *integration_id,
                           const struct erp_package_filter *filter,
                           struct erp_package_list *ret_list) MUST_CHECK;
/* Lists those of all integrations, or of filter->integration_id, newest first. ERR_VALIDATION: the
 * cursor is none of ours. */
enum err erp_list_all_packages(struct work *work, const struct erp_package_filter *filter,
                               struct erp_package_list *ret_list) MUST_CHECK;
enum err erp_show_package(struct work *work, const struct uuid *integration_id,
                          const char *event_id, struct erp_package *ret_package) MUST_CHECK;
/* Returns how events name a package: "integration_id/event_id"; and reads one by that name, without
 * its errors and warnings. ERR_NOT_FOUND. */
const char *erp_package_name(struct arena *arena, const struct uuid *integration_id,
                             const char *event_id);
enum err erp_show_named_package(struct work *work, const char *name,
                                struct erp_package *ret_package) MUST_CHECK;
/* Reads the bytes as they were sent into an empty buf with room for ERP_BODY_MAX. ERR_NOT_FOUND: no
 * such package; ERR_PACKAGE_BODY_GONE: its body was dropped (erp_sweep_bodies, erp_trim_bodies). */
enum err erp_read_body(struct work *work, const struct uuid *integration_id, const char *event_id,
                       struct buf *ret_body) MUST_CHECK;
/* Has a package tried again: a failed one is accepted again, and one in retry is tried now. One
 * that waits or was applied stays as it is. ERR_NOT_FOUND. */
enum err erp_retry_package(struct work *work, const struct uuid *integration_id,
                           const char *event_id) MUST_CHECK;
/* Does the same, and the safety brake does not hold for it any more. */
enum err erp_release_package(struct work *work, const struct uuid *integration_id,
                             const char *event_id) MUST_CHECK;

/* --- Refusals ----------------------------------------------------------------------------------
 */

enum {
    ERP_REFUSALS_KEPT = 100,     /* of an integration */
    ERP_REFUSALS_PER_SECOND = 3, /* of an integration, in a process; the rest is only counted */
    ERP_REFUSAL_FAULTS_MAX = 20,
};

struct erp_refusal_fault {
    const char *type; /* NULL: it is no fault of the body */
    const char *loc;  /* the place in the body, "products.0.id", or a header */
    const char *message;
};

/* A package that was answered by 4xx, although its token was good for the integration. Texts of the
 * ERP are masked as in the log, whatever LOG_SENSITIVE says. */
struct erp_refused {
    struct uuid id;
    int64_t refused_at;
    int event_type;       /* enum erp_package_type */
    const char *event_id; /* NULL: it could not be read */
    int64_t status;       /* HTTP */
    const char *code;
    int64_t body_length; /* bytes, as announced or as far as they came; -1: none did */
    const char *request_id;
    struct record_list faults; /* of struct erp_refusal_fault */
    int64_t more;              /* refusals behind it that were only counted */
};
struct erp_refused_list {
    struct record_list refusals; /* of struct erp_refused, newest first */
    const char *next_cursor;
};

/* Remembers refusals by a thread of its own, a few a second for each integration, so that no
 * request waits for it; while the storage is away they wait in a bounded queue, then they are
 * counted. */
struct erp_refusals *erp_refusals_new(struct service *service);
/* Writes what waits, if it can, and ends. Nothing may be noted any more. Takes NULL. */
void erp_refusals_free(struct erp_refusals *refusals);
/* Notes one; all texts are copied. Any thread; it does not block. `claims` are those of a token
 * that is good by itself; the thread looks whether it is good for its integration. */
void erp_refusals_note(struct erp_refusals *refusals, const struct token_claims *claims,
                       const struct erp_refused *refused);
/* ERR_NOT_FOUND: no such integration. ERR_VALIDATION: a cursor that is none of ours. */
enum err erp_list_refusals(struct work *work, const struct uuid *integration_id,
                           const struct page_query *query,
                           struct erp_refused_list *ret_list) MUST_CHECK;
extern const struct record erp_refused_faults_record; /* as they are stored */
extern const struct record erp_refused_list_record;

/* --- The worker's side ------------------------------------------------------------------------ */

/* Notified when a package may be due. */
#define ERP_TOPIC "erp_package"

/* Packages that this process applies at the moment, for their progress. Any thread. */
struct erp_applying *erp_applying_new(void);
void erp_applying_free(struct erp_applying *applying);
bool erp_applying_is_empty(struct erp_applying *applying);

/* Applies what is due of one integration, some packages of changes or one snapshot, and tells the
 * log what came of them. It blocks and runs its own transactions, so it is not for a database
 * thread. A package for which there is no memory waits like one that cannot be applied yet, and
 * says so. `ret_was_due` false: nothing was. */
enum err erp_apply_due(struct service *service, struct event_log *event_log, struct arena *arena,
                       bool *ret_was_due) MUST_CHECK;
/* Writes the progress of what this process applies, for other processes to see. */
enum err erp_note_progress(struct work *work) MUST_CHECK;
/* Makes what the process before was applying due at once, at the start of an embedded database. */
enum err erp_release_leases(struct work *work) MUST_CHECK;
/* Drops bodies of applied packages that are older than service->erp->body_days; their status stays.
 */
enum err erp_sweep_bodies(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Drops the oldest bodies of applied packages of an integration that keeps more than
 * service->erp->bodies_max, as many as are too many; never others. */
enum err erp_trim_bodies(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Counts anew what each integration keeps, where a herald that does not count ran beside; the
 * worker then looks at each. It blocks, and runs a transaction of its own for each integration. */
enum err erp_recount_bodies(struct service *service) MUST_CHECK;

extern const struct record erp_package_record;       /* for ERPs */
extern const struct record erp_package_admin_record; /* for operators */
extern const struct record erp_package_list_record;
extern const struct record erp_all_packages_record;
extern const struct record erp_acceptance_record;
extern const struct record erp_error_list_record;
extern const struct record erp_warning_list_record;
extern const struct record erp_snapshot_record; /* the bodies, as streams */
extern const struct record erp_changes_record;

/* The struct of both bodies; the items of its streamed lists are handed over one by one. */
struct erp_envelope {
    const char *event_id;
    int64_t generated_at;
    struct record_list definitions, categories, products; /* of a snapshot */
    struct record_list stocks, prices;                    /* of changes */
};

/* --- For the tables of app/ ------------------------------------------------------------------- */

struct route_table;
extern const struct route_table erp_routes;
