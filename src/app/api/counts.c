/* The words of the labels are collected at the start; from then on a request costs a few additions.
 */
#include "app/api/counts.h"

#include "kit/base/must.h"

#include <stdlib.h>
#include <string.h>

static const char *const status_words[] = {"200", "201", "202", "204", "304", "400", "401", "403",
                                           "404", "405", "408", "409", "410", "413", "414", "415",
                                           "417", "422", "429", "431", "500", "501", "503", "505"};
enum { STATUSES = COUNT_OF(status_words) };

static const char *const auth_words[] = {[AUTH_INTERNAL_KEY] = "internal_key",
                                         [AUTH_NONE] = "none",
                                         [AUTH_DEVICE_KEY] = "device_key",
                                         [AUTH_HTTPSMS_KEY] = "httpsms_key",
                                         [AUTH_DEVICE_SIGNATURE] = "device_signature",
                                         [AUTH_PAIRING] = "pairing_code",
                                         [AUTH_SIGNATURE] = "signature",
                                         [AUTH_BEARER] = "token",
                                         [AUTH_CLIENT] = "client",
                                         [AUTH_CONSOLE] = "password",
                                         [AUTH_SESSION] = "session"};
static_assert(COUNT_OF(auth_words) == AUTH_COUNT, "each way has its word");

METRIC(counts_auth_failures, AUTH_COUNT, 1, .name = "herald_auth_failures_total",
       .help = "Requests that showed no right key, by the kind of key.", .labels = {"kind"},
       .words = {auth_words}, .word_counts = {AUTH_COUNT, 1});

static int number_of(const char *status)
{
    return (status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0');
}

/* A status that no operation has counts as the first one of its class that one has. */
static size_t find_status(int status)
{
    size_t of_class = 0;

    for (size_t i = STATUSES; i-- > 0;) {
        if (number_of(status_words[i]) == status) return i;
        if (number_of(status_words[i]) / 100 == status / 100) of_class = i;
    }
    return of_class;
}

static size_t series_of_status(const struct counts *counts, int status)
{
    return counts->status_of[status >= 0 && status < COUNTS_STATUS_MAX ? status : 500];
}

static void collect_codes(struct counts *counts)
{
    size_t count = 0;

    for (size_t err = ERR_OK + 1; err < ERR_COUNT; err++) {
        const char *code = err_info((enum err)err)->code;
        size_t i = 0;
        while (i < count && strcmp(counts->codes[i], code) != 0)
            i++;
        if (i == count) counts->codes[count++] = code;
        counts->code_of[err] = i;
    }
    counts->refusals.word_counts[0] = count;
}

struct counts *counts_new(const struct route_list *routes)
{
    struct counts *counts = must_calloc(1, sizeof(*counts));

    for (size_t i = 0; i < routes->count; i++)
        counts->operations[i] = routes->rows[i].operation_id;
    counts->operations[routes->count] = "none";
    counts->requests = (struct metric){
        .name = "herald_http_requests_total",
        .help = "Requests by operation and the status of the answer.",
        .labels = {"operation", "status"},
        .words = {counts->operations, status_words},
        .word_counts = {routes->count + 1, STATUSES},
    };
    counts->seconds = (struct metric){
        .name = "herald_http_request_duration_seconds",
        .help = "How long requests took, from their head to their answer; of a stream to its "
                "beginning.",
        .type = METRIC_HISTOGRAM,
        .labels = {"operation"},
        .words = {counts->operations},
        .word_counts = {routes->count + 1, 1},
        .bounds = &metric_bounds_request,
    };
    counts->refusals = (struct metric){
        .name = "herald_refusals_total",
        .help = "Answers that say no, by the code of their error.",
        .labels = {"code"},
        .words = {counts->codes},
        .word_counts = {0, 1},
    };
    collect_codes(counts);
    for (int status = 0; status < COUNTS_STATUS_MAX; status++)
        counts->status_of[status] = (uint8_t)find_status(status);
    metric_alloc(&counts->requests);
    metric_alloc(&counts->seconds);
    metric_alloc(&counts->refusals);
    return counts;
}

void counts_free(struct counts *counts)
{
    if (!counts) return;
    metric_free(&counts->requests);
    metric_free(&counts->seconds);
    metric_free(&counts->refusals);
    free(counts);
}

void counts_add(const struct counts *counts, const struct route_list *routes,
                const struct route *route, int status, enum err err, int64_t began_us)
{
    size_t operation = route ? (size_t)(route - routes->rows) : counts->seconds.word_counts[0] - 1;

    metric_add(&counts->requests,
               metric_series(&counts->requests, operation, series_of_status(counts, status)), 1);
    metric_observe_since(&counts->seconds, operation, began_us);
    if (err) metric_add(&counts->refusals, counts->code_of[err], 1);
}

void counts_add_refused(const struct counts *counts, enum err err)
{
    size_t operation = counts->requests.word_counts[0] - 1;
    size_t status = series_of_status(counts, err_info(err)->http_status);

    metric_add(&counts->requests, metric_series(&counts->requests, operation, status), 1);
    metric_add(&counts->refusals, counts->code_of[err], 1);
}
