/*
 * A simulated provider is a table of methods and of faults, and three functions. One file each;
 * providers.c lists them. Everything here runs under the lock of the simulator.
 *
 * The wire formats are those of the providers' documentation and public client libraries; a
 * provider's file says where it had to guess.
 */
#pragma once

#include "kit/json/writer.h"
#include "outcomes.h"
#include "sim/common/params.h"

enum { CALLBACK_URL_MAX = 256, ANSWER_BODY_MAX = 64 * 1024 * 1024 };

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
struct call;
struct method;

/* One call: from the request to the answer. */
struct call {
    struct arena *arena;
    struct sends *sends;
    const struct options *options;
    const struct outcomes *outcomes;
    int64_t *balance_cents;
    int64_t now_ms;
    struct request request;
    const struct provider *provider;
    const struct method *method;
    struct behaviour behaviour; /* what the control API told about this call */

    struct answer answer;
    struct json_writer json; /* on the answer's body */
    char recipient[SEND_TEXT_MAX + 1];
    const struct send *send; /* what it sent or asked about; NULL: nothing */
    bool had_effect;         /* somebody was messaged or called */
    bool wants_report;       /* the status of `send` is to be told to its callback URL */
};

struct method {
    const char *name;
    const char *path;      /* the whole path without its first slash; for a bot behind its token */
    const char *verbs;     /* "GET POST" */
    const char *recipient; /* the parameter that names it; NULL: none */
    /* Checks the parameters, does it, and writes the answer; or gives the fault. */
    const struct fault *(*run)(struct call *call);
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
    bool tells_unreachable;     /* its methods answer BEHAVIOUR_UNREACHABLE, in place of a fault */
    /* NULL: the credentials are good. */
    const struct fault *(*check_credentials)(const struct call *call);
    void (*write_fault)(struct call *call, const struct fault *fault);
};

#define PROVIDER_METHODS(array) .methods = (array), .method_count = sizeof(array) / sizeof(*(array))
#define PROVIDER_FAULTS(array)  .faults = (array), .fault_count = sizeof(array) / sizeof(*(array))

/* providers.c */

enum { PROVIDERS_MAX = 16 };
/* Ends with NULL. */
extern const struct provider *const providers[];
const struct provider *provider_by_name(const char *name);
/* Returns whose path it is; never NULL. `ret_method` is NULL where the provider knows no such
 * method. */
const struct provider *provider_by_path(const char *path, const struct method **ret_method);
const struct method *provider_method(const struct provider *provider, const char *name);
/* NULL: it has no such fault. */
const struct fault *provider_fault(const struct provider *provider, const char *name);
const struct fault *provider_fault_of_kind(const struct provider *provider, enum fault_kind kind);

/* call.c: what the providers' files share */

/* The fault by its name, which the provider must have. */
const struct fault *call_fault(const struct call *call, const char *name);
/* "Bearer x" against the scheme "Bearer" and the secret "x". */
bool call_has_secret(const char *header, const char *scheme, const char *secret);
/* Opens the answer: status and an empty JSON object on call->json. */
void call_begin_answer(struct call *call, int http_status);
void call_end_answer(struct call *call);
/* The wait that a rate limit names, as the behaviour wants it. */
int64_t call_retry_after_s(const struct call *call);
/* Adds Retry-After to the answer. */
void call_put_retry_after(struct call *call);
/* A phone of 7 to 15 digits, with or without the plus. */
bool call_is_phone(const char *text, bool has_plus);
bool call_is_code(const char *text, size_t digits_min, size_t digits_max);
/* Digits that the provider chooses; in the arena. */
const char *call_new_code(struct call *call, int digits);
/* Remembers that something goes out to `recipient`, with the status that was told for it.
 * `id` and `unique` as in sends_add; `code` may be NULL. */
struct send *call_send(struct call *call, const char *id, const char *unique, const char *code);
/* Takes the price off the balance; false if there is not so much. */
bool call_charge(struct call *call, int64_t cents);
/* Writes `cents` as a JSON number: 412256 is 4122.56. */
void call_put_money(struct call *call, const char *key, int64_t cents);
