/* The header traceparent is read and made here (W3C Trace Context). A value that is
 * not to the letter is ignored, since a trace that is put together wrongly misleads whoever reads
 * it. */
#include "core/trace.h"

#include "kit/base/secret.h"

#include <stdio.h>
#include <string.h>

/* The places of its parts: version-trace-span-flags. */
enum { VERSION_LEN = 2, TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, FLAGS_LEN = 2 };

/* Of the flags these have a meaning: sampled, and that the trace id is random (Level 2). Others are
 * not passed on. Both are in the last digit. */
enum { FLAGS_KNOWN = 0x03 };

static bool is_hex(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool is_letter = text[i] >= 'a' && text[i] <= 'f';
        if (!str_is_digit(text[i]) && !is_letter) return false;
    }
    return true;
}

/* An id of zeros is none. */
static bool is_id(const char *text, size_t len)
{
    return is_hex(text, len) && strspn(text, "0") < len;
}

/* A version that came later may have more behind the flags, after a dash. */
static bool has_good_length(struct str given)
{
    bool is_first = given.len >= VERSION_LEN && memcmp(given.data, "00", VERSION_LEN) == 0;

    if (is_first || given.len <= TRACEPARENT_LEN) return given.len == TRACEPARENT_LEN;
    return given.data[TRACEPARENT_LEN] == '-';
}

static bool is_traceparent(struct str given)
{
    const char *text = given.data;

    if (!text || !has_good_length(given)) return false;
    bool has_dashes =
        text[TRACE_AT - 1] == '-' && text[SPAN_AT - 1] == '-' && text[FLAGS_AT - 1] == '-';
    bool has_version = is_hex(text, VERSION_LEN) && memcmp(text, "ff", VERSION_LEN) != 0;
    return has_dashes && has_version && is_id(text + TRACE_AT, TRACE_ID_LEN) &&
           is_id(text + SPAN_AT, SPAN_ID_LEN) && is_hex(text + FLAGS_AT, FLAGS_LEN);
}

bool trace_take(struct str given, char ret_own[static TRACEPARENT_LEN + 1])
{
    uint64_t span = 0;

    if (!is_traceparent(given)) return false;
    while (span == 0)
        random_bytes(&span, sizeof(span));
    const char *flags = given.data + FLAGS_AT;
    int known = str_hex_value(flags[1]) & FLAGS_KNOWN;
    snprintf(ret_own, TRACEPARENT_LEN + 1, "00-%.*s-%016llx-%02x", TRACE_ID_LEN,
             given.data + TRACE_AT, (unsigned long long)span, (unsigned)known);
    return true;
}

void trace_log_fields(const char *traceparent, struct trace_ids *ids,
                      struct log_field ret_fields[static TRACE_FIELDS])
{
    bool is_whole = traceparent && strlen(traceparent) == TRACEPARENT_LEN;

    if (is_whole) {
        snprintf(ids->trace_id, sizeof(ids->trace_id), "%s", traceparent + TRACE_AT);
        snprintf(ids->span_id, sizeof(ids->span_id), "%s", traceparent + SPAN_AT);
    }
    ret_fields[0] = log_plain("trace_id", is_whole ? ids->trace_id : NULL);
    ret_fields[1] = log_plain("span_id", is_whole ? ids->span_id : NULL);
}
