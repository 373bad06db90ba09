/* Decode, call, reply. */
#include "core/request.h"
#include "domain/otp/otp.h"

enum err otp_http_create(struct request *rq)
{
    struct otp otp;
    struct otp_refusal refusal;
    enum err err = otp_create(&rq->work, &rq->resource_id, rq->body, &otp, &refusal);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &refusal.active);
    if (err == ERR_RATE_LIMITED || err == ERR_CIRCUIT_OPEN)
        error_retry_after(rq, refusal.retry_after_ms);
    if (!err || err == ERR_RATE_LIMITED) reply_limit(rq, &refusal.limit);
    if (err) return err;
    reply_record(rq, &otp);
    return ERR_OK;
}

enum err otp_http_read(struct request *rq)
{
    struct otp otp;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = otp_read(&rq->work, id, &otp);
    if (err) return err;
    reply_record(rq, &otp);
    return ERR_OK;
}

enum err otp_http_reveal(struct request *rq)
{
    struct otp otp;
    enum err err = otp_reveal(&rq->work, &rq->path_ids[0], &otp);
    if (err) return err;
    reply_record(rq, &otp);
    return ERR_OK;
}

enum err otp_http_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = otp_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    if (err) return err;
    reply_record(rq, &timeline);
    return ERR_OK;
}

enum err otp_http_list(struct request *rq)
{
    struct otp_list list;
    enum err err = otp_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err otp_http_verify(struct request *rq)
{
    const struct verify_code *input = rq->body;
    struct otp otp;
    struct otp_refusal refusal;
    enum err err = otp_verify(&rq->work, &rq->path_ids[0], input->code, &otp, &refusal);
    if (err == ERR_RATE_LIMITED) {
        error_retry_after(rq, refusal.retry_after_ms);
        reply_limit(rq, &refusal.limit);
    }
    if (err == ERR_CODE_MISMATCH) {
        error_put_number(rq, "attempts_left", otp.attempts_left);
        reply_refusal(rq, err); /* the attempt stays spent */
        return ERR_OK;
    }
    if (err) return err;
    reply_record(rq, &otp);
    return ERR_OK;
}

enum err otp_http_fall_back(struct request *rq)
{
    const struct sms_fallback *input = rq->body;
    struct otp_refusal refusal;
    enum err err = otp_fall_back(&rq->work, &rq->path_ids[0], input->gateway_number, &refusal);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &refusal.active);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err otp_http_cancel(struct request *rq)
{
    enum err err = otp_cancel(&rq->work, &rq->path_ids[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}
