/* Requests, answers and the fleet, shared by the scenarios. */
#include "bench.h"

#include "kit/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { BODY_MAX = 512, RECIPIENTS = 1000000000, UNEXPECTED_SHOWN = 400 };

void bench_get(struct buf *request, const char *path)
{
    buf_printf(request, "GET %s HTTP/1.1\r\nHost: herald\r\n\r\n", path);
}

void bench_post(const struct bench *bench, struct buf *request, const char *path,
                const char *idempotency_key, const char *request_id, const char *body)
{
    buf_printf(request, "POST %s HTTP/1.1\r\nHost: herald\r\nX-Internal-API-Key: %s\r\n", path,
               bench->internal_key);
    if (idempotency_key) buf_printf(request, "Idempotency-Key: %s\r\n", idempotency_key);
    if (request_id) buf_printf(request, "X-Request-Id: %s\r\n", request_id);
    buf_printf(request, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
               strlen(body), body);
}

void bench_post_as_phone(struct buf *request, const struct sim *sim, const char *path,
                         const char *body)
{
    buf_printf(request,
               "POST %s HTTP/1.1\r\nHost: herald\r\nX-Device-Key: %s\r\n"
               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
               path, sim->key, strlen(body), body);
}

static void create_otp(const struct bench *bench, struct buf *request, int64_t n,
                       const char *channel, const char *gateway)
{
    char name[64];
    char body[BODY_MAX];
    int64_t recipient = (bench->first_recipient + n) % RECIPIENTS;

    snprintf(name, sizeof name, "bench-%s-%" PRId64, bench->run, n);
    snprintf(body, sizeof body,
             "{\"channel\":\"%s\",\"recipient\":\"+79%09" PRId64 "\",\"ttl_seconds\":300%s%s%s}",
             channel, recipient, gateway ? ",\"gateway_number\":\"" : "", gateway ? gateway : "",
             gateway ? "\"" : "");
    bench_post(bench, request, "/internal/v1/otp", name, name, body);
}

void bench_create_otp(const struct bench *bench, struct buf *request, int64_t n,
                      const char *gateway)
{
    create_otp(bench, request, n, "sms", gateway);
}

void bench_create_otp_through(const struct bench *bench, struct buf *request, int64_t n,
                              const char *channel)
{
    create_otp(bench, request, n, channel, NULL);
}

void bench_keep_pace(const struct bench *bench, int64_t start_us, int64_t n)
{
    int64_t due_us = start_us + n * 1000000 / bench->pace;
    int64_t now_us = clock_monotonic_us();

    if (due_us > now_us) usleep((useconds_t)(due_us - now_us));
}

int64_t bench_recipient_index(const struct bench *bench, struct str number)
{
    long long value;

    if (number.len != 12 || memcmp(number.data, "+79", 3) != 0) return -1;
    if (!str_to_int64((struct str){number.data + 3, 9}, &value)) return -1;
    int64_t n = (value - bench->first_recipient + RECIPIENTS) % RECIPIENTS;
    return n < bench->recipients ? n : -1;
}

bool bench_expect(struct bench *bench, const struct answer *answer, int status)
{
    if (answer->status == status) return true;
    if (bench->unexpected++ == 0) {
        int shown = answer->body.len < UNEXPECTED_SHOWN ? (int)answer->body.len : UNEXPECTED_SHOWN;
        fprintf(stderr, "load: expected %d, the answer is %d: %.*s\n", status, answer->status,
                shown, answer->body.data);
    }
    return false;
}

struct str bench_property(struct str json, const char *key)
{
    char mark[48];
    int mark_len = snprintf(mark, sizeof mark, "\"%s\":\"", key);
    const char *at = memmem(json.data, json.len, mark, (size_t)mark_len);

    if (!at) return (struct str){0};
    at += mark_len;
    const char *end = memchr(at, '"', json.len - (size_t)(at - json.data));
    return end ? (struct str){at, (size_t)(end - at)} : (struct str){0};
}

bool bench_find_code(struct str text, char ret_code[static 7])
{
    size_t run = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        run = is_digit ? run + 1 : 0;
        if (run < 6) continue;
        memcpy(ret_code, text.data + i - 5, 6);
        ret_code[6] = '\0';
        return true;
    }
    return false;
}

/* -------------------------------------------------------------------------- all SIMs ready */

struct roll_call {
    struct bench *bench;
    size_t next;
};

static bool next_claim(void *context, struct connection *connection, struct buf *request)
{
    struct roll_call *roll_call = context;
    char body[BODY_MAX];

    (void)connection;
    if (roll_call->next == roll_call->bench->fleet_count) return false;
    const struct sim *sim = &roll_call->bench->fleet[roll_call->next++];
    snprintf(body, sizeof body, "{\"gateway_number\":\"%s\"}", sim->number);
    bench_post_as_phone(request, sim, "/device/v1/sms/claim", body);
    return true;
}

static void on_claim(void *context, struct connection *connection, const struct answer *answer)
{
    struct roll_call *roll_call = context;

    (void)connection;
    bench_expect(roll_call->bench, answer, 200);
}

bool bench_make_ready(struct bench *bench)
{
    struct roll_call roll_call = {.bench = bench};
    struct work work = {next_claim, on_claim, &roll_call};

    return wire_run(&bench->wire, &work) && bench->unexpected == 0;
}
