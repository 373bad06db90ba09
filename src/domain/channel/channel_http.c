/* Authenticate, call, reply. */
#include "domain/channel/channel_http.h"

#include "domain/channel/channel.h"

enum err channel_http_authenticate_gateway(struct request *rq)
{
    const struct channel_setup *setup = &rq->work.service->channels[CHANNEL_MESSENGER_GATEWAY];
    struct gateway_report *report = ARENA_NEW(rq->work.arena, struct gateway_report);

    enum err err = gateway_report_read(&setup->config, rq->headers[0], rq->headers[1], rq->raw_body,
                                       rq->work.now_ms, rq->work.arena, report);
    if (err == ERR_VALIDATION)
        return error_fault(rq, "", "Must be a JSON object with request_id and delivery_status.");
    rq->body = report;
    return err;
}

enum err channel_http_report_gateway(struct request *rq)
{
    const struct gateway_report *report = rq->body;
    enum err err = channel_apply_report(&rq->work, CHANNEL_MESSENGER_GATEWAY, report->request_id,
                                        &report->send_id, &report->answer);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
