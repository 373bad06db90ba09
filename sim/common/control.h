/*
 * A control API: by it a test tells a simulator what to do, and reads what it saw. The routes are
 * the simulator's own; here is their HTTP, and what most of them need.
 */
#pragma once

#include "kit/http/server.h"
#include "kit/json/record.h"
#include "params.h"

struct control;
struct sim; /* the simulator's own: a control hands it on */

/* A request to it. */
struct ask {
    struct sim *sim;
    struct control *control;
    struct http_exchange *x;
    struct arena arena;
    struct buf body;
    struct params query;
    struct buf answer;
    struct json_writer json; /* on the answer, empty so far */
    int held_status;         /* of an answer that comes later */
};

enum { ANSWER_LATER = 0 };

struct route {
    const char *verb; /* NULL: the end of a table */
    const char *path;
    const char *doc; /* for --help */
    /* Gives the HTTP status; ANSWER_LATER: the ask is held, ask_finish will be called. */
    int (*run)(struct ask *ask);
};

struct control_options {
    const char *program; /* whose --help lists the routes; borrowed, as all here */
    const char *listen;
    const struct route *const *tables; /* ends with NULL */
    struct sim *sim;
};

/* Starts listening; NULL after a sentence on stderr. */
struct control *control_start(const struct control_options *options);
struct http_server *control_server(struct control *control);
/* Takes NULL. */
void control_stop(struct control *control);

/* A refusal: {"error": sentence}. Gives `status`. */
int ask_refuse(struct ask *ask, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Decodes the body; 0, or the status of the refusal that it has written. */
int ask_decode(struct ask *ask, const struct record *record, void *ret_value);
/* A parameter of the query; NULL: not given. */
const char *ask_param(const struct ask *ask, const char *name);
/* "true" or "false" of the query; -1: not given. 0, or the status of a refusal. */
int ask_flag(struct ask *ask, const char *name, int *ret_flag);
/* A number of the query, from 0 to `max`; untouched where it is not given. The same. */
int ask_count(struct ask *ask, const char *name, int64_t max, int64_t *ret_count);
/* From any thread, once, for an ask that answered ANSWER_LATER. */
void ask_finish(struct ask *ask, int status, struct buf *take_json);
