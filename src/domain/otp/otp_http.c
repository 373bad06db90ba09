/* The operations on codes (doc A, section 4; contract, sections 1 and 2): decode, call, reply. */
#include "core/request.h"
#include "domain/otp/otp.h"

static enum err handle_create(struct request *rq)
{
    struct otp otp;
    struct otp_refusal refusal;
    enum err err = otp_create(&rq->work, &rq->resource_id, rq->body, &otp, &refusal);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &refusal.active);
    if (err == ERR_RATE_LIMITED || err == ERR_CIRCUIT_OPEN)
        error_retry_after(rq, refusal.retry_after_ms);
    if (!err || err == ERR_RATE_LIMITED) reply_limit(rq, &refusal.limit);
    return reply_with(rq, err, &otp);
}

static enum err handle_read(struct request *rq)
{
    struct otp otp;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = otp_read(&rq->work, id, &otp);
    return reply_with(rq, err, &otp);
}

static enum err handle_reveal(struct request *rq)
{
    struct otp otp;
    enum err err = otp_reveal(&rq->work, &rq->path_ids[0], &otp);
    return reply_with(rq, err, &otp);
}

static enum err handle_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = otp_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    return reply_with(rq, err, &timeline);
}

static enum err handle_list(struct request *rq)
{
    struct otp_list list;
    enum err err = otp_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_verify(struct request *rq)
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
    return reply_with(rq, err, &otp);
}

static enum err handle_fall_back(struct request *rq)
{
    const struct sms_fallback *input = rq->body;
    struct otp_refusal refusal;
    enum err err = otp_fall_back(&rq->work, &rq->path_ids[0], input->gateway_number, &refusal);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &refusal.active);
    return reply_done(rq, err);
}

static enum err handle_cancel(struct request *rq)
{
    enum err err = otp_cancel(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/otp",
        .operation_id = "createOtp",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Send a one-time code",
        .description = "Creates a code and queues its sending; the code is not returned. At most "
                       "3 codes per recipient in 10 minutes, one active challenge at a time.",
        .body = &otp_input_record,
        .status = 201,
        .reply_doc = "The code is queued.",
        .reply = &otp_record,
        .link_path = "/internal/v1/otp/{id}",
        .link_id = "/id",
        .idem_family = "otp",
        .tells_limits = true,
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NUMBER_NOT_FOUND, ERR_ACCOUNT_NOT_FOUND,
                   ERR_RATE_LIMITED, ERR_CHANNEL_NOT_CONFIGURED, ERR_CIRCUIT_OPEN,
                   ERR_ACCOUNT_NOT_CONNECTED, ERR_NO_READY_SIM, ERR_SIM_NOT_READY},
        .handle = handle_create,
        .replay = handle_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp",
        .operation_id = "listOtps",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Look for codes",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of codes.",
        .reply = &otp_list_record,
        .query = &otp_filter_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp/{id}",
        .operation_id = "getOtp",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Read a code's state",
        .description = "The state of the code and of its sending, without the code.",
        .reply_doc = "The code's challenge.",
        .reply = &otp_record,
        .handle = handle_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/reveal",
        .operation_id = "revealOtp",
        .role = ROLE_SUPPORT,
        .action = "otp.reveal",
        .reveals = true,
        .tag = "One-time codes",
        .summary = "Read a code's state with the recipient in full",
        .description = "The same as reading it, without the code, for somebody who has to know "
                       "the number. Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The code's challenge.",
        .reply = &otp_record,
        .handle = handle_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/otp/{id}/timeline",
        .operation_id = "getOtpTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Read what became of a code",
        .description = "Step by step: each send with its claims, fetches and results, each wrong "
                       "code, and its end. The code and its recipient are in none of them.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = handle_read_timeline,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/verify",
        .operation_id = "verifyOtp",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "One-time codes",
        .summary = "Verify a code",
        .description = "A wrong code costs one of 5 attempts; error.attempts_left tells how many "
                       "are left. From 50 wrong codes of a recipient in 24 hours on, 429.",
        .body = &verify_code_record,
        .reply_doc = "The code is right and the challenge confirmed.",
        .reply = &otp_record,
        .errors = {ERR_CODE_MISMATCH, ERR_ALREADY_CONFIRMED, ERR_CHALLENGE_EXPIRED,
                   ERR_ATTEMPTS_EXHAUSTED, ERR_CHALLENGE_CANCELED, ERR_RATE_LIMITED},
        .handle = handle_verify,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/sms-fallback",
        .operation_id = "fallBackToSms",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "otp.fall_back",
        .tag = "One-time codes",
        .summary = "Send the code by SMS as well",
        .description = "For a code of another channel: queues one SMS with the same code; a repeat "
                       "changes nothing. Expiry and attempts stay as they are. A code that was "
                       "undelivered becomes the recipient's active challenge again; while there "
                       "is another, error.challenge_id names that one.",
        .body = &sms_fallback_record,
        .reply_doc = "The SMS is queued, or was before.",
        .errors = {ERR_FALLBACK_NOT_APPLICABLE, ERR_ALREADY_CONFIRMED, ERR_CHALLENGE_EXPIRED,
                   ERR_ATTEMPTS_EXHAUSTED, ERR_CHALLENGE_CANCELED, ERR_ACTIVE_CHALLENGE_EXISTS,
                   ERR_CALL_UNDER_WAY, ERR_NUMBER_NOT_FOUND, ERR_NO_READY_SIM, ERR_SIM_NOT_READY},
        .handle = handle_fall_back,
    },
    {
        .method = "POST",
        .path = "/internal/v1/otp/{id}/cancel",
        .operation_id = "cancelOtp",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "otp.cancel",
        .tag = "One-time codes",
        .summary = "Cancel a code",
        .description =
            "Can be repeated; a confirmed code stays confirmed. What was not sent yet is "
            "not sent any more.",
        .reply_doc = "It is no longer active.",
        .errors = {ERR_ALREADY_CONFIRMED},
        .handle = handle_cancel,
    },
};

const struct route_table otp_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
