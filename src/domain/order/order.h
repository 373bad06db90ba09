/*
 * Orders for the ERP (doc B, sections 2 "Order sent to the ERP", 4 "Service to ERP", 6; contract,
 * section 6): an order is accepted durably, with a body that never changes, and delivered until the
 * ERP has made its document, so that no crash, no late answer and no second worker makes two of
 * them. Orders live in the exchange store.
 *
 * An integration's orders are its lane. One worker process at a time holds a lane (a lease), so
 * that what an ERP can take (4 at once), whether it is down (the circuit) and whose turn it is are
 * known in one place; the other workers serve other lanes.
 */
#pragma once

#include "core/metadata.h"
#include "core/search.h"
#include "core/timeline.h"
#include "domain/integration/integration.h"
#include "kit/json/record.h"

struct networks;

/* Deliveries stand on this: service->orders. */
struct order_setup {
    const struct networks *networks; /* HERALD_ERP_NETWORKS, for fetch_route (kit/fetch) */
    const char *ca_file;             /* HERALD_ERP_CA_FILE, for it too; NULL: the system's */
};

enum {
    ORDER_IN_FLIGHT_MAX = 4, /* of one integration */
    ORDER_ANSWER_MAX = 64 * 1024,
    ORDER_RETRY_FOR_MS = 72 * 3600 * 1000, /* then `failed` */
    ORDER_RETRY_AFTER_MAX_MS = 3600 * 1000,
    ORDER_REQUEST_MAX = 1024 * 1024,
    ORDER_ITEMS_MAX = 8000,    /* so many of the shortest ones go into a request */
    ORDER_MODIFIERS_MAX = 100, /* of an item */
    /* Characters of texts. */
    ORDER_ERP_ID_MAX = 128, /* of products, variants, modifiers, and of the ERP's documents */
    ORDER_NUMBER_MAX = 128,
    ORDER_NAME_MAX = 500,
    ORDER_PHONE_MAX = 64,
    ORDER_ADDRESS_MAX = 1000,
    ORDER_COMMENT_MAX = 4000,
    ORDER_BODY_MAX = 8 * ORDER_REQUEST_MAX, /* an escape is six times what it stands for */
};

/* The body of a rejected or failed order stays for so long, to be tried again. */
#define ORDER_BODY_KEPT_MS (30 * INT64_C(86400000))

struct fetch;

/* --- The order, as it is sent ----------------------------------------------------------------- */

struct order_customer {
    const char *name, *phone;
};

struct order_delivery_place {
    const char *address;
    int64_t scheduled_for; /* 0: null */
};

struct order_modifier {
    const char *id, *group_id, *name;
    const char *quantity, *unit_price, *line_total; /* the prices may be negative */
};

struct order_item {
    const char *product_id, *variant_id, *name;
    const char *quantity, *unit_price, *line_total;
    struct record_list modifiers; /* of struct order_modifier */
};

struct order {
    struct uuid id; /* nil: one is made */
    const char *number;
    int64_t created_at;
    struct uuid point_id;
    int type;           /* index in order_type_words */
    const char *status; /* a word: doc B shows `confirmed` only */
    int payment_method; /* index in order_payment_method_words; -1: null */
    int payment_status; /* index in order_payment_status_words */
    const char *currency;
    const char *subtotal, *delivery_fee, *total; /* decimals, digit for digit */
    struct order_customer *customer;
    struct order_delivery_place *delivery;
    const char *comment;
    struct record_list items; /* of struct order_item */
};
extern const char *const order_type_words[];
extern const char *const order_payment_method_words[];
extern const char *const order_payment_status_words[];

struct order_input {
    struct uuid integration_id;
    struct order *order;
    const char *metadata; /* no ERP gets it */
};

/* --- Its delivery ----------------------------------------------------------------------------- */

enum order_state {
    ORDER_QUEUED,     /* waits for its turn, or for its next attempt */
    ORDER_DELIVERING, /* an attempt is under way */
    ORDER_ACCEPTED,   /* the ERP has its document; final */
    ORDER_REJECTED,   /* the ERP said that it does not want it */
    ORDER_FAILED,     /* 72 h of attempts. Both: an operator can have it tried again */
};
extern const char *const order_state_words[];

/* It says how many different products an order has, and how many of them were in the catalog, and
 * not archived, when it was taken. */
struct order_products {
    int64_t known, of;
};

/* This is who ordered, for somebody who has to call them. */
struct order_contact {
    const char *name, *phone;
};

struct order_delivery {
    struct uuid id; /* the order's, unless an order of another integration had it before */
    struct uuid integration_id;
    struct uuid order_id; /* the order's, and the Idempotency-Key of its attempts */
    int environment;      /* enum integration_environment, of its integration */
    const char *integration_name;
    int state;
    int64_t attempts;
    int64_t next_attempt_at; /* 0: none is due */
    const char *erp_order_id, *erp_number;
    const char *last_error;
    struct order_products *known_products; /* NULL: taken before they were counted */
    struct lane_circuit *circuit; /* NULL: its lane serves, or the order does not wait for it */
    int64_t created_at, updated_at;
    const char *metadata;           /* NULL: none */
    bool erased;                    /* its personal data is gone */
    int64_t changes;                /* how many of its changes were events; not shown */
    struct order_contact *customer; /* NULL but in an answer that reveals them */
};

/* An attempt: what was asked and answered is not kept. */
struct order_attempt {
    int64_t attempt; /* 1 for the first */
    int64_t started_at;
    int64_t status; /* HTTP; -1: no answer */
    int64_t duration_ms;
    int outcome;       /* enum order_outcome */
    const char *error; /* NULL: none */
    const char *words; /* of the ERP, of one that is stored */
};
struct order_attempt_list {
    struct record_list attempts; /* of struct order_attempt, oldest first */
    const char *next_cursor;
};

struct order_filter {
    struct uuid integration_id; /* nil: any */
    int state;                  /* -1: any */
    struct search_query search; /* by the phone of the customer */
};
struct order_list {
    struct record_list orders; /* of struct order_delivery, newest first */
    const char *next_cursor;
};

/* Accepts an order: from the commit on it will be delivered. `resource_id` is the id for an order
 * without one. An order that is there already with the same content is the answer again, also if
 * the integration has been disabled since. ERR_INTEGRATION_NOT_FOUND; ERR_VALIDATION with
 * `ret_fault`: it is disabled, or its point is another; ERR_ORDER_CONFLICT: the id was used in this
 * integration with other content (contract, section 6), or in another one while a process of
 * herald 0.5.0 may run beside. */
enum err order_create(struct work *work, const struct uuid *resource_id,
                      const struct order_input *input, struct order_delivery *ret_delivery,
                      struct record_fault *ret_fault) MUST_CHECK;
/* Tells those who listen how the order has ended in this transaction, if it has. */
void order_tell(struct work *work, const struct uuid *id, enum order_state state);
/* Tells how many changes of the circuit of an integration's lane were events. ERR_NOT_FOUND. */
enum err order_lane_select_changes(struct work *work, const struct uuid *integration_id,
                                   int64_t *ret_changes) MUST_CHECK;
/* ERR_NOT_FOUND: no such order. */
enum err order_read(struct work *work, const struct uuid *id,
                    struct order_delivery *ret_delivery) MUST_CHECK;
/* Does the same for somebody who has to know the customer, and leaves a record of the audit.
 * ERR_CUSTOMER_GONE: its body is gone, which named them. */
enum err order_reveal(struct work *work, const struct uuid *id,
                      struct order_delivery *ret_delivery) MUST_CHECK;
/* Reads it by the order's own id, within its integration. ERR_NOT_FOUND. */
enum err order_read_own(struct work *work, const struct uuid *integration_id,
                        const struct uuid *order_id,
                        struct order_delivery *ret_delivery) MUST_CHECK;
/* Lists those of a customer along an index by the hash of the phone, so that an order with a phone
 * that is no number, of an earlier version, or erased is not found. ERR_VALIDATION: a cursor that
 * is none of ours. */
enum err order_list(struct work *work, const struct order_filter *filter,
                    struct order_list *ret_list) MUST_CHECK;
/* ERR_NOT_FOUND: no such order; ERR_VALIDATION: a cursor that is none of ours. */
enum err order_list_attempts(struct work *work, const struct uuid *id,
                             const struct page_query *query,
                             struct order_attempt_list *ret_list) MUST_CHECK;
/* Tells what became of an order, step by step, by its last ORDER_TIMELINE_ATTEMPTS attempts.
 * ERR_NOT_FOUND. */
enum { ORDER_TIMELINE_ATTEMPTS = 500 };
enum err order_read_timeline(struct work *work, const struct uuid *id,
                             struct timeline *ret_timeline) MUST_CHECK;
/* Makes an order that failed, was rejected or is queued due now, with the same body, and its 72
 * hours begin anew; one that is being delivered stays as it is. ERR_NOT_FOUND: no such order;
 * ERR_ALREADY_ACCEPTED: its ERP has it; ERR_BODY_GONE: it failed or was rejected more than
 * ORDER_BODY_KEPT_MS ago, or by a version that kept no body. */
enum err order_retry(struct work *work, const struct uuid *id) MUST_CHECK;

/* Says of the orders of a customer, by the hash of the phone (core/personal.h), at most `max`, that
 * they are to be erased: those that have ended are so at once, the others once they have.
 * `ret_waiting`: how many these are. Contract, section 10.5. */
enum err order_erase_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                        int64_t *ret_erased, int64_t *ret_waiting) MUST_CHECK;
/* Does so with orders that are older than HERALD_PERSONAL_DAYS. */
enum err order_sweep_personal(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Erases those that were to be, and have ended. */
enum err order_sweep_erased(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
/* Lists the deliveries of a customer's orders, at most `max`. */
enum err order_select_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                         struct record_list *ret_orders) MUST_CHECK;

/* These are the examples of their documentation. */
#define ORDER_EXAMPLE_ID          "\"0192f0cc-3333-7d3e-8f00-3b2a1c0d9e8f\""
#define ORDER_EXAMPLE_INTEGRATION "\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\""
#define ORDER_EXAMPLE_POINT       "\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\""
#define ORDER_EXAMPLE_TIME        "\"2026-11-21T04:33:00.123Z\""

extern const struct record order_input_record;
extern const struct record order_record; /* the frozen body (order_body.h) */
extern const struct record order_delivery_record;
extern const struct record order_revealed_record; /* has the customer, too */
extern const struct record order_list_record;
extern const struct record order_attempt_list_record;

/* --- Rules of an attempt (order_outcome.c), pure ---------------------------------------------- */

/* Doc B, section 4 "Service reaction to the ERP order response". */
enum order_outcome {
    ATTEMPT_ACCEPTED,
    ATTEMPT_REJECTED,
    ATTEMPT_CONTRACT_ERROR, /* a 2xx that is no acceptance response, or lacks order_id: retried */
    ATTEMPT_REFUSED,        /* 3xx, 4xx, 5xx: retried */
    ATTEMPT_UNKNOWN,        /* time-out, cut: the document may be there; retried */
    ATTEMPT_NOT_SENT,       /* no connection, or an address that is not allowed; retried */
};
extern const char *const order_outcome_words[];

struct order_answer {
    enum order_outcome outcome;
    int status;                            /* HTTP; 0: no answer */
    const char *erp_order_id, *erp_number; /* no control characters; NULL: none */
    const char *error;      /* herald's own word for what failed; NULL: it is accepted */
    const char *words;      /* of the ERP (core/said.h), behind that; NULL: it said none */
    int64_t retry_after_ms; /* -1: none */
    bool is_unauthorized;   /* 401, 403 */
    bool is_of_order; /* 400, 409, 413, 422: it judges the order, and tells nothing of the ERP */
};

/* Says what became of a fetch that sent the frozen body of an order, whatever its end. Texts lie in
 * the arena. An ERP may say anything, and repeat what it was sent, but for the token of the fetch.
 */
void order_read_answer(const struct fetch *fetch, struct arena *arena,
                       struct order_answer *ret_answer);

enum { ORDER_RANDOM_MAX = 1000000 };

/* Returns how long to wait after so many attempts that failed since the order was taken or retried
 * by hand; those that herald itself or a crash ended do not count. It is 1, 5, 15, 30, 60, 120 s,
 * then 5 min, +-20 % by `random`, which is below ORDER_RANDOM_MAX, but never less than Retry-After
 * (1 h at most). */
int64_t order_retry_delay_ms(int64_t failures, int64_t retry_after_ms, uint32_t random);

/* --- The worker's side ------------------------------------------------------------------------ */

/* Notified when an order may be due. */
#define ORDER_TOPIC "order"

/* Behind the base_url of an ERP; any 2xx says that it serves. */
#define ORDER_HEALTH_PATH "/svc/v1/health"

/* --- For the tables of app/ ------------------------------------------------------------------- */

struct route_table;
extern const struct route_table order_routes;
