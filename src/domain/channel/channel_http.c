/* Providers report by these operations (doc A, section 4; contract, section 2): handlers
 * authenticate, call the rules and reply; telegram_gateway_report.c reads the body of a report and
 * describes it. */
#include "core/request.h"
#include "domain/channel/channel.h"
#include "kit/base/clock.h"

/* authenticate reads them in this order. */
static const struct field headers[] = {
    {.name = "X-Request-Timestamp",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .doc = "When the report was signed, in seconds since 1970; at most 5 minutes ago.",
     .example = "1795235580"},
    {.name = "X-Request-Signature",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .min = 64,
     .max = 64,
     .doc = "The HMAC-SHA256, in hexadecimal digits, of the timestamp, a line feed and the body; "
            "its key is the SHA256 of the token.",
     .example = "2f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f0c1d9e8f3b2a1c0d9e8f00"},
    {0},
};

/* Checks that a report is signed by Telegram Gateway's token, and fresh. ERR_UNAUTHORIZED,
 * also where the channel has no token; ERR_VALIDATION: it is signed, but is no report. */
static enum err authenticate(struct request *rq)
{
    const struct channel_setup *setup = &rq->work.service->channels[CHANNEL_MESSENGER_GATEWAY];
    struct telegram_gateway_report *report =
        ARENA_NEW(rq->work.arena, struct telegram_gateway_report);

    enum err err =
        telegram_gateway_report_read(&setup->config, rq->headers[0], rq->headers[1], rq->raw_body,
                                     clock_to_own_wall(rq->work.now_ms), rq->work.arena, report);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "", "Must be a JSON object with request_id and delivery_status.");
    rq->body = report;
    return err;
}

static enum err handle_report(struct request *rq)
{
    const struct telegram_gateway_report *report = rq->body;
    enum err err = channel_apply_report(&rq->work, CHANNEL_MESSENGER_GATEWAY, report->request_id,
                                        &report->send_id, &report->answer);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/callbacks/telegram-gateway",
        .operation_id = "reportGatewayDelivery",
        .tag = "Providers",
        .summary = "Report the delivery of a code",
        .description = "Telegram Gateway reports here, by itself, if HERALD_PUBLIC_URL is https. "
                       "There is no key: X-Request-Signature signs the body with the token of "
                       "HERALD_TELEGRAM_GATEWAY_TOKEN. A repeat changes nothing, and a report that "
                       "comes late never takes a state back.",
        .auth = AUTH_SIGNATURE,
        .body = &telegram_gateway_delivery_record,
        .status = 200,
        .reply_doc = "The report is recorded, or was before. The body is empty.",
        .headers = headers,
        .errors = {ERR_NOT_FOUND},
        .authenticate = authenticate,
        .handle = handle_report,
    },
};

const struct route_table channel_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
