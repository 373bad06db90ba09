/* Drivers as data: the request that an order makes, and what each answer means. */
#pragma once

#include "domain/channel/driver.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASE_TOKEN   "12345:made-up_TOKEN"
#define CASE_SEND_ID "0192f0c1-7a2b-7c3d-8e4f-5a6b7c8d9e0f"
#define CASE_PHONE   "+79161234567"
#define CASE_NOW_MS  1789000000123

/* A driver with its settings; the arena holds all that it makes. */
struct driver_case {
    const struct channel_driver *driver;
    struct secret token;
    struct driver_config config;
    struct channel_content content; /* a send to CASE_PHONE with the code 0042, for 300 s */
    struct arena arena;
};

void case_begin(struct driver_case *it, const struct channel_driver *driver, const char *base_url);
void case_end(struct driver_case *it);

enum case_step { CASE_SEND, CASE_STATUS, CASE_REVOKE, CASE_SUCCESS, CASE_CHECK, CASE_PROBE };

struct request_row {
    const char *method, *url;
    const char *headers; /* "Name: value" lines, as they are sent, but Accept, which all have */
    const char *body;    /* NULL: none */
};

/* Makes the request of that step; all of it must be as the row says. */
void case_request(struct driver_case *it, enum case_step step, const struct request_row *row);

/* An answer, and what it means. Members that are left out are 0 or NULL in both. */
struct answer_row {
    int status;
    const char *body;
    enum channel_outcome outcome;
    enum channel_progress progress;
    const char *provider_id, *learned_code, *error;
    int64_t wait_ms;
    bool is_pending, is_unsent;
    int64_t retry_after_ms; /* 0: no such header */
};

/* Reads the answers to a send or a status. No answer shows the token. */
void case_answers(struct driver_case *it, enum case_step step, const struct answer_row *rows,
                  size_t count);

/* Tests what is alike for all drivers: ends without an answer, answers that no one can read. */
void case_common_answers(struct driver_case *it);
