/*
 * A client that traces its requests sends a traceparent (W3C Trace Context, Level 1): the id of the
 * trace, the id of its own span, and flags. A request of herald is a span of that trace: it gets an
 * id of its own, which the log shows and which fetches for it name as their parent, also those that
 * go out later (contract, section 17.2). herald begins no trace by itself.
 */
#pragma once

#include "kit/base/log.h"
#include "kit/base/str.h"

#include <stdbool.h>

enum {
    TRACE_ID_LEN = 32, /* hexadecimal digits */
    SPAN_ID_LEN = 16,
    TRACEPARENT_LEN = 55, /* of version 00, which herald sends */
    TRACE_FIELDS = 2,
};

/* Writes what fetches for this request carry: the trace of `given`, a new span, and its flags.
 * False: `given` is no traceparent, and the request has no trace. */
bool trace_take(struct str given, char ret_own[static TRACEPARENT_LEN + 1]) MUST_CHECK;

/* Fills the log fields trace_id and span_id, whose texts lie in `ids`. They are left out where
 * `traceparent` is NULL. */
struct trace_ids {
    char trace_id[TRACE_ID_LEN + 1];
    char span_id[SPAN_ID_LEN + 1];
};
void trace_log_fields(const char *traceparent, struct trace_ids *ids,
                      struct log_field ret_fields[static TRACE_FIELDS]);
