/* The operations on messages (doc A, section 4; contract, sections 1 and 2): handlers read the
 * request, call the rules and reply. */
#include "core/request.h"
#include "domain/message/message.h"

static enum err handle_create(struct request *rq)
{
    struct message message;
    int64_t retry_after_ms = 0;
    enum err err = message_create(&rq->work, &rq->resource_id, rq->body, &message, &retry_after_ms);
    if (err == ERR_RATE_LIMITED || err == ERR_CIRCUIT_OPEN) error_retry_after(rq, retry_after_ms);
    return reply_with(rq, err, &message);
}

static enum err handle_read(struct request *rq)
{
    struct message message;
    const struct uuid *id = rq->is_replayed ? &rq->resource_id : &rq->path_ids[0];
    enum err err = message_read(&rq->work, id, &message);
    return reply_with(rq, err, &message);
}

static enum err handle_reveal(struct request *rq)
{
    struct message message;
    enum err err = message_reveal(&rq->work, &rq->path_ids[0], &message);
    return reply_with(rq, err, &message);
}

static enum err handle_read_timeline(struct request *rq)
{
    struct timeline timeline;
    enum err err = message_read_timeline(&rq->work, &rq->path_ids[0], &timeline);
    return reply_with(rq, err, &timeline);
}

static enum err handle_list(struct request *rq)
{
    struct message_list list;
    enum err err = message_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/internal/v1/messages",
        .operation_id = "createMessage",
        .role = ROLE_ADMIN,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Send a message",
        .description = "Through a personal messenger account on a phone, or from the bot to a "
                       "known chat. Accepted does not mean delivered. What could not be sent "
                       "within 24 hours has failed. A chat takes one message a second, a group "
                       "one in three; what waits longer than 10 minutes is refused with 429.",
        .body = &message_input_record,
        .body_example = "{\"channel\":\"messenger_bot\",\"chat_id\":4242,"
                        "\"text\":\"Your order is ready.\"}",
        .status = 202,
        .reply_doc = "The message is queued.",
        .reply = &message_record,
        .link_path = "/internal/v1/messages/{id}",
        .link_id = "/id",
        .idem_family = "messages",
        .errors = {ERR_ACCOUNT_NOT_FOUND, ERR_RATE_LIMITED, ERR_CHANNEL_NOT_CONFIGURED,
                   ERR_CIRCUIT_OPEN, ERR_ACCOUNT_NOT_CONNECTED},
        .handle = handle_create,
        .replay = handle_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages",
        .operation_id = "listMessages",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Look for messages",
        .description = "Newest first; of those that the filters let through, which go together. "
                       "A page may be short or empty while next_cursor leads on.",
        .reply_doc = "A page of messages.",
        .reply = &message_list_record,
        .query = &message_filter_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages/{id}",
        .operation_id = "getMessage",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Read a message's state",
        .description = "The message as it stands now, without its text.",
        .reply_doc = "The message.",
        .reply = &message_record,
        .handle = handle_read,
    },
    {
        .method = "POST",
        .path = "/internal/v1/messages/{id}/reveal",
        .operation_id = "revealMessage",
        .role = ROLE_SUPPORT,
        .action = "message.reveal",
        .reveals = true,
        .tag = "Messages",
        .summary = "Read a message's state with the recipient in full",
        .description = "The same as reading it, for somebody who has to know the number or the "
                       "chat. Leaves a record of the audit.",
        .status = 200,
        .reply_doc = "The message.",
        .reply = &message_record,
        .handle = handle_reveal,
    },
    {
        .method = "GET",
        .path = "/internal/v1/messages/{id}/timeline",
        .operation_id = "getMessageTimeline",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Messages",
        .summary = "Read what became of a message",
        .description = "Step by step: each send with its claims, fetches and results. The text and "
                       "the recipient are in none of them.",
        .reply_doc = "The steps, oldest first.",
        .reply = &timeline_record,
        .handle = handle_read_timeline,
    },
};

const struct route_table message_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
