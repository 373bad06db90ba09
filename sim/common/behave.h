/* POST /_control/behave: what all simulators take of it. */
#pragma once

#include "answer.h"
#include "control.h"
#include "ledger.h"

enum { WAIT_MS_MAX = 3600 * 1000 };

struct behave_input {
    const char *what, *method, *shape; /* NULL: not given */
    int64_t count, wait_ms;            /* below 0: not given */
    int64_t http_status;               /* 0: not given */
    int taken;                         /* 1, 0, or -1: not given */
};

/* Its rows in the record of a struct that begins with it. */
#define BEHAVE_FIELDS                                                                              \
    {.name = "what",                                                                               \
     .type = FIELD_STRING,                                                                         \
     .flags = FIELD_REQUIRED,                                                                      \
     .offset = offsetof(struct behave_input, what)},                                               \
        {.name = "method", .type = FIELD_STRING, .offset = offsetof(struct behave_input, method)}, \
        {.name = "shape", .type = FIELD_STRING, .offset = offsetof(struct behave_input, shape)},   \
        {.name = "count",                                                                          \
         .type = FIELD_INTEGER,                                                                    \
         .flags = FIELD_DEFAULT,                                                                   \
         .default_value = -1,                                                                      \
         .min = -1,                                                                                \
         .max = CALLS_MAX,                                                                         \
         .offset = offsetof(struct behave_input, count)},                                          \
        {.name = "wait_ms",                                                                        \
         .type = FIELD_INTEGER,                                                                    \
         .flags = FIELD_DEFAULT,                                                                   \
         .default_value = -1,                                                                      \
         .min = -1,                                                                                \
         .max = WAIT_MS_MAX,                                                                       \
         .offset = offsetof(struct behave_input, wait_ms)},                                        \
        {.name = "http_status",                                                                    \
         .type = FIELD_INTEGER,                                                                    \
         .flags = FIELD_DEFAULT,                                                                   \
         .min = 0,                                                                                 \
         .max = 599,                                                                               \
         .offset = offsetof(struct behave_input, http_status)},                                    \
    {                                                                                              \
        .name = "taken", .type = FIELD_TRISTATE, .offset = offsetof(struct behave_input, taken)    \
    }

/* Checks what no field alone can tell. Returns 0, with the shape, or the status of a refusal. */
int behave_check(struct control_request *request, const struct behave_input *input,
                 enum shape *ret_shape);
