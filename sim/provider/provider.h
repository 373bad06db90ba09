/*
 * What a simulated provider is: a table of methods and of faults, and three functions. One file
 * each; providers.c lists them. Everything here runs under the lock of the simulator.
 *
 * The wire formats are those of the providers' documentation and public client libraries; a
 * provider's file says where it had to guess.
 */
#pragma once

#include "kit/json/writer.h"
#include "orders.h"
#include "sends.h"
#include "sim/common/params.h"

enum { CALLBACK_URL_MAX = 256, ANSWER_HEADERS_MAX = 2, ANSWER_BODY_MAX = 64 * 1024 * 1024 };

/* What herald makes of a fault is its business; this is what an order can ask for. */
enum fault_kind {
    FAULT_REQUEST, /* the request is wrong */
    FAULT_CREDENTIALS,
    FAULT_BALANCE,
    FAULT_RECIPIENT, /* will never be reached */
    FAULT_RATE,
    FAULT_SERVER,
    FAULT_REPEAT, /* was sent before */
};

struct fault {
    const char *name; /* as the provider's documentation and an order call it */
    enum fault_kind kind;
    int http_status;
    const char *text; /* what the wire says besides the name; NULL: nothing */
};

struct answer {
    int status;
    const char *content_type;
    struct {
        const char *name;
        const char *value;
    } headers[ANSWER_HEADERS_MAX];
    size_t header_count;
    struct buf body;
};

/* A request as it came. */
struct request {
    const char *verb;
    const char *path; /* without the first slash */
    const char *query;
    const char *authorization;   /* the headers that matter; NULL: not sent */
    const char *x_authorization; /* of Unibell */
    const char *client;          /* of Plusofon */
    struct str body;
    struct params params;
};

struct options;
struct deal;
struct method;

/* One call: from the request to the answer. */
struct deal {
    struct arena *arena;
    struct sends *sends;
    const struct options *options;
    const struct outcomes *outcomes;
    int64_t *balance_cents;
    int64_t now_ms;
    struct request request;
    const struct provider *provider;
    const struct method *method;
    struct order order; /* what the control API told about this call */

    struct answer answer;
    struct json_writer json; /* on the answer's body */
    char recipient[SEND_TEXT_MAX + 1];
    const struct send *send; /* what it sent or asked about; NULL: nothing */
    bool had_effect;         /* somebody was messaged or called */
    bool wants_report;       /* the fate of `send` is to be told to its callback URL */
};

struct method {
    const char *name;
    const char *path;      /* the whole path without its first slash; for a bot behind its token */
    const char *verbs;     /* "GET POST" */
    const char *recipient; /* the parameter that names it; NULL: none */
    /* Checks the parameters, does it, and writes the answer; or gives the fault. */
    const struct fault *(*run)(struct deal *deal);
};

struct provider {
    const char *name;
    const char *home;   /* the base URL that it stands for */
    const char *prefix; /* of the paths that are its own */
    bool is_path_nocase;
    const struct method *methods;
    size_t method_count;
    const struct fault *faults;
    size_t fault_count;
    const char *unknown_method; /* the name of the fault */
    const char *unreadable;     /* the same, for a body that cannot be read */
    bool tells_unreachable;     /* its methods answer DEED_UNREACHABLE, in place of a fault */
    /* NULL: the credentials are good. */
    const struct fault *(*check_credentials)(const struct deal *deal);
    void (*write_fault)(struct deal *deal, const struct fault *fault);
};

#define PROVIDER_METHODS(array) .methods = (array), .method_count = sizeof(array) / sizeof(*(array))
#define PROVIDER_FAULTS(array)  .faults = (array), .fault_count = sizeof(array) / sizeof(*(array))

/* providers.c */

enum { PROVIDERS_MAX = 16 };
/* Ends with NULL. */
extern const struct provider *const providers[];
const struct provider *provider_by_name(const char *name);
/* Whose path it is; never NULL. `ret_method` is NULL where the provider knows no such method. */
const struct provider *provider_by_path(const char *path, const struct method **ret_method);
const struct method *provider_method(const struct provider *provider, const char *name);
/* NULL: it has no such fault. */
const struct fault *provider_fault(const struct provider *provider, const char *name);
const struct fault *provider_fault_of_kind(const struct provider *provider, enum fault_kind kind);

/* deal.c: what the providers' files share */

/* The fault by its name, which the provider must have. */
const struct fault *deal_fault(const struct deal *deal, const char *name);
/* "Bearer x" against the scheme "Bearer" and the secret "x". */
bool deal_has_secret(const char *header, const char *scheme, const char *secret);
/* Opens the answer: status and an empty JSON object on deal->json. */
void deal_begin_answer(struct deal *deal, int http_status);
void deal_end_answer(struct deal *deal);
/* The wait that a rate limit names, as the order wants it. */
int64_t deal_retry_after_s(const struct deal *deal);
/* Adds Retry-After to the answer. */
void deal_put_retry_after(struct deal *deal);
/* A phone of 7 to 15 digits, with or without the plus. */
bool deal_is_phone(const char *text, bool has_plus);
bool deal_is_code(const char *text, size_t digits_min, size_t digits_max);
/* Digits that the provider chooses; in the arena. */
const char *deal_new_code(struct deal *deal, int digits);
/* Remembers that something goes out to `recipient`, with the fate that was ordered for it.
 * `id` and `unique` as in sends_add; `code` may be NULL. */
struct send *deal_send(struct deal *deal, const char *id, const char *unique, const char *code);
/* Takes the price off the balance; false if there is not so much. */
bool deal_charge(struct deal *deal, int64_t cents);
/* Writes `cents` as a JSON number: 412256 is 4122.56. */
void deal_put_money(struct deal *deal, const char *key, int64_t cents);
