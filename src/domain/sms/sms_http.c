/* Decode, call, reply. */
#include "domain/sms/sms_http.h"

#include "domain/sms/sms.h"

enum err sms_http_claim(struct request *rq)
{
    struct phone_task_claim_result result;
    enum err err = sms_claim(&rq->work, rq->principal, rq->body, &result);
    if (err) return err;
    reply_record(rq, &result);
    return ERR_OK;
}

enum err sms_http_report(struct request *rq)
{
    enum err err = sms_report(&rq->work, rq->principal, &rq->path_ids[0], rq->body);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
