/* The operations on inbound calls (doc A, section 4; contract, sections 1 and 2): handlers read the
 * request, call the rules and reply. */
#include "core/request.h"
#include "domain/inbound_call/inbound_call.h"

static enum err handle_create(struct request *rq)
{
    struct call_challenge challenge;
    struct uuid active;
    enum err err = inbound_call_create(&rq->work, &rq->resource_id, rq->body, &challenge, &active);
    if (err == ERR_ACTIVE_CHALLENGE_EXISTS) error_put_uuid(rq, "challenge_id", &active);
    return reply_with(rq, err, &challenge);
}

static enum err handle_read(struct request *rq)
{
    struct call_challenge challenge;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = inbound_call_read(&rq->work, id, &challenge);
    return reply_with(rq, err, &challenge);
}

static enum err handle_reveal(struct request *rq)
{
    struct call_challenge challenge;
    enum err err = inbound_call_reveal(&rq->work, &rq->path_ids[0], &challenge);
    return reply_with(rq, err, &challenge);
}

static enum err handle_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = inbound_call_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    return reply_with(rq, err, &timeline);
}

static enum err handle_list(struct request *rq)
{
    struct call_challenge_list list;
    enum err err = inbound_call_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_cancel(struct request *rq)
{
    enum err err = inbound_call_cancel(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

static enum err handle_event(struct request *rq)
{
    struct event_result result;
    enum err err = inbound_call_apply_event(&rq->work, rq->principal, rq->body, &result);
    return reply_with(rq, err, &result);
}

/* --- Routes ----------------------------------------------------------------------------------- */

/* The report of a call has two paths. */
#define REPORTS_CALL                                                                        \
    .method = "POST", .tag = "Phones", .auth = AUTH_DEVICE_KEY, .body = &call_event_record, \
    .reply_doc = "What the call did.", .reply = &event_result_record,                       \
    .errors = {ERR_NUMBER_NOT_OWNED, ERR_DEVICE_DISABLED}, .handle = handle_event

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/challenges",
        .operation_id = "createChallenge",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Ask for a confirmation by an inbound call",
        .description = "The caller has to call the gateway number of the answer before the "
                       "challenge expires. A number has one active challenge at a time, calls and "
                       "codes together; error.challenge_id then names it.",
        .body = &create_challenge_record,
        .status = 201,
        .reply_doc = "The challenge waits for the call.",
        .reply = &challenge_record,
        .link_path = "/internal/v1/challenges/{id}",
        .link_id = "/id",
        .idem_family = "challenges",
        .errors = {ERR_ACTIVE_CHALLENGE_EXISTS, ERR_NUMBER_NOT_FOUND, ERR_NO_ENABLED_NUMBER},
        .handle = handle_create,
        .replay = handle_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges",
        .operation_id = "listChallenges",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Look for challenges",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of challenges.",
        .reply = &challenge_list_record,
        .query = &challenge_filter_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges/{id}",
        .operation_id = "getChallenge",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Read a challenge",
        .description = "The challenge as it stands now.",
        .reply_doc = "The challenge.",
        .reply = &challenge_record,
        .handle = handle_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/challenges/{id}/reveal",
        .operation_id = "revealChallenge",
        .role = ROLE_SUPPORT,
        .action = "challenge.reveal",
        .reveals = true,
        .tag = "Inbound calls",
        .summary = "Read a challenge with the caller in full",
        .description = "The same as reading it, for somebody who has to know the number. "
                       "Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The challenge.",
        .reply = &challenge_record,
        .handle = handle_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/challenges/{id}/timeline",
        .operation_id = "getChallengeTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Inbound calls",
        .summary = "Read what became of a challenge",
        .description = "Step by step: created, and confirmed by the call that a phone reported, "
                       "expired or canceled.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = handle_read_timeline,
    },
    {
        .method = "POST",
        .path = "/internal/v1/challenges/{id}/cancel",
        .operation_id = "cancelChallenge",
        .role = ROLE_SUPPORT,
        .is_for_core = true,
        .action = "challenge.cancel",
        .tag = "Inbound calls",
        .summary = "Cancel a challenge",
        .description = "Can be repeated; a confirmed challenge stays confirmed.",
        .reply_doc = "It is no longer active.",
        .errors = {ERR_ALREADY_CONFIRMED},
        .handle = handle_cancel,
    },
    {
        .path = "/api/events",
        .operation_id = "reportCall",
        .summary = "Report an incoming call",
        .description = "The phone saw a call on one of its numbers. A repeat of an event_id gets "
                       "the first result. Reports of one caller at one number within 60 seconds "
                       "are one call, which confirms at most one challenge, whoever reports it.",
        REPORTS_CALL,
    },
    {
        .path = "/device/v1/events",
        .operation_id = "reportCallV1",
        .summary = "Report an incoming call (alias)",
        .description = "The same as POST /api/events.",
        REPORTS_CALL,
    },
};

const struct route_table inbound_call_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
