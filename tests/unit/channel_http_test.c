/* domain/channel, the callback of Telegram Gateway: who may report, and what is read of it. What it
 * then changes is tested with the sends (channel_test). */
#include "core/request.h"
#include "domain/channel/channel.h"
#include "kit/base/macros.h"
#include "route_of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Signed with another program (Python's hmac). */
#define TOKEN         "12345:made-up_TOKEN"
#define STAMP         "1789000000"
#define REPORT        "{\"request_id\":\"rq-1\",\"delivery_status\":{\"status\":\"delivered\"}}"
#define SIGNATURE     "dc589893a49144c8d84de068d6e8137c147f279d11207871cc821109a95ce064"
#define NO_REPORT     "{}"
#define NO_REPORT_MAC "77c8dc213da0443d0c6468f6bc154ff51d61dcb83057b61ad9ec5499a6a5bdcb"

enum { NOW_S = 1789000000 };

/* A request to the callback of a service whose Telegram Gateway has TOKEN, or none. */
struct callback {
    struct arena arena;
    struct secret token;
    struct channel_setup setup[CHANNEL_COUNT];
    struct service service;
    struct request rq;
};

static void begin(struct callback *it, bool has_token)
{
    *it = (struct callback){0};
    arena_init(&it->arena);
    secret_init(&it->token, STR(TOKEN));
    if (has_token) it->setup[CHANNEL_MESSENGER_GATEWAY].config.token = &it->token;
    it->service.channels = it->setup;
    work_init(&it->rq.work, &it->service, &it->arena, NOW_S * (int64_t)1000, "r-1");
}

static void end(struct callback *it)
{
    secret_done(&it->token);
    arena_done(&it->arena);
}

static struct str text_or_none(const char *text)
{
    return text ? str_of(text) : (struct str){0};
}

static enum err authenticate(struct callback *it, const char *stamp, const char *signature,
                             const char *body)
{
    it->rq.headers[0] = text_or_none(stamp);
    it->rq.headers[1] = text_or_none(signature);
    it->rq.raw_body = text_or_none(body);
    return route_of(&channel_routes, "reportGatewayDelivery").authenticate(&it->rq);
}

static void a_signed_report_is_let_in(void **state)
{
    struct callback it;
    (void)state;
    begin(&it, true);
    assert_int_equal(authenticate(&it, STAMP, SIGNATURE, REPORT), ERR_OK);
    const struct telegram_gateway_report *report = it.rq.body;
    assert_non_null(report);
    assert_string_equal(report->request_id, "rq-1");
    assert_int_equal(report->answer.progress, PROGRESS_DELIVERED);
    end(&it);
}

static void nobody_else_is(void **state)
{
    static const struct {
        const char *stamp, *signature, *body;
    } rows[] = {
        {STAMP, SIGNATURE, REPORT " "},
        {"1789000001", SIGNATURE, REPORT},
        {"1788999000", SIGNATURE, REPORT},
        {SIGNATURE, STAMP, REPORT},
        {NULL, SIGNATURE, REPORT},
        {STAMP, NULL, REPORT},
        {NULL, NULL, REPORT},
        {STAMP, SIGNATURE, NULL},
        {STAMP, SIGNATURE, NO_REPORT},
    };
    struct callback it;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin(&it, true);
        assert_int_equal(authenticate(&it, rows[i].stamp, rows[i].signature, rows[i].body),
                         ERR_UNAUTHORIZED);
        end(&it);
    }
    begin(&it, false); /* without a token nothing can be signed by it */
    assert_int_equal(authenticate(&it, STAMP, SIGNATURE, REPORT), ERR_UNAUTHORIZED);
    end(&it);
}

/* Told with a fault, as every body that is not what was asked for. */
static void what_is_signed_and_no_report_is_a_fault(void **state)
{
    struct callback it;
    (void)state;
    begin(&it, true);
    assert_int_equal(authenticate(&it, STAMP, NO_REPORT_MAC, NO_REPORT), ERR_VALIDATION);
    assert_non_null(it.rq.faults);
    assert_int_equal(it.rq.faults->count, 1);
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signed_report_is_let_in),
        cmocka_unit_test(nobody_else_is),
        cmocka_unit_test(what_is_signed_and_no_report_is_a_fault),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("channel_http", tests, NULL, NULL);
}
