/* The control API: by it a test tells the providers what to do, and reads what they saw. */
#pragma once

#include "kit/json/record.h"
#include "sim.h"

struct control;

/* Starts listening; NULL after a sentence on stderr. */
struct control *control_start(struct sim *sim, const char *address);
struct http_server *control_server(struct control *control);
/* Also ends what POST /_control/down began. */
void control_stop(struct control *control);

/* A request to it. */
struct ask {
    struct sim *sim;
    struct control *control;
    struct http_exchange *x;
    struct arena arena;
    struct buf body;
    struct params query;
    const struct route *route;
    struct buf answer;
    struct json_writer json; /* on the answer, empty so far */
    int held_status;         /* of an answer that comes later */
};

enum { ANSWER_LATER = 0 };

struct route {
    const char *verb;
    const char *path;
    const char *doc; /* for --help */
    /* Gives the HTTP status; ANSWER_LATER: the ask is held, ask_finish will be called. */
    int (*run)(struct ask *ask);
};

/* control_calls.c, control_orders.c, control_life.c; each ends with a row without a verb. */
extern const struct route call_routes[], order_routes[], life_routes[];
/* The three, then NULL. */
extern const struct route *const control_routes[];

/* A refusal: {"error": sentence}. Gives `status`. */
int ask_refuse(struct ask *ask, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Decodes the body; 0, or the status of the refusal that it has written. */
int ask_decode(struct ask *ask, const struct record *record, void *ret_value);
/* A parameter of the query; NULL: not given. */
const char *ask_param(const struct ask *ask, const char *name);
/* Finds provider and method by their names, either of which may be NULL, and normalizes the
 * recipient; 0, or the status of the refusal that it has written. */
int ask_scope(struct ask *ask, const char *provider, const char *method, const char *recipient,
              struct order_scope *ret_scope);
/* From any thread, once, for an ask that answered ANSWER_LATER. */
void ask_finish(struct ask *ask, int status, struct buf *take_json);
