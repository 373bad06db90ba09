/*
 * A control API: by it a test tells a simulator what to do, and reads what it saw. The routes are
 * the simulator's own; here is their HTTP, and what most of them need.
 */
#pragma once

#include "kit/http/server.h"
#include "kit/json/record.h"
#include "params.h"

struct control;
struct server;
struct sim; /* the simulator's own */

/* A request to it. */
struct control_request {
    struct server *server; /* whose control API it is */
    struct sim *sim;
    struct control *control;
    struct http_request *x;
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
    /* Gives the HTTP status; ANSWER_LATER: it is held, control_finish will be called. */
    int (*run)(struct control_request *request);
};

/* Starts listening, as the options of the server say; NULL after a sentence on stderr. */
struct control *control_start(struct server *server);
const char *control_address(struct control *control);
struct http_server *control_http(struct control *control);
/* Takes NULL. */
void control_stop(struct control *control);

/* A refusal: {"error": sentence}. Gives `status`. */
int control_refuse(struct control_request *request, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The place of a word in a list that ends with NULL; that of the NULL if it is none of them. */
int control_word(const char *const *words, const char *word);
/* Decodes the body; 0, or the status of the refusal that it has written. */
int control_decode(struct control_request *request, const struct record *record, void *ret_value);
/* A parameter of the query; NULL: not given. */
const char *control_param(const struct control_request *request, const char *name);
/* "true" or "false" of the query; -1: not given. 0, or the status of a refusal. */
int control_flag(struct control_request *request, const char *name, int *ret_flag);
/* A number of the query, from 0 to `max`; untouched where it is not given. The same. */
int control_count(struct control_request *request, const char *name, int64_t max,
                  int64_t *ret_count);
/* From any thread, once, for one that was answered ANSWER_LATER. */
void control_finish(struct control_request *request, int status, struct buf *take_json);
