/* The handlers of reports authenticate, call the rules and reply; telegram_gateway_report.c reads
 * the body of a report and describes it. */
#include "core/request.h"
#include "domain/channel/channel.h"
#include "kit/base/clock.h"

/* channel_http_authenticate_gateway reads them in this order. */
const struct field channel_telegram_gateway_headers[] = {
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

enum err channel_http_authenticate_telegram_gateway(struct request *rq)
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

enum err channel_http_report_telegram_gateway(struct request *rq)
{
    const struct telegram_gateway_report *report = rq->body;
    enum err err = channel_apply_report(&rq->work, CHANNEL_MESSENGER_GATEWAY, report->request_id,
                                        &report->send_id, &report->answer);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
