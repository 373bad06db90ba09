/* Keys for the internal operations are managed by these operations (contract, section 10.1). */
#include "core/request.h"
#include "domain/api_key/api_key.h"

static enum err handle_create(struct request *rq)
{
    struct record_fault fault;
    struct api_key key;
    enum err err = api_key_create(&rq->work, rq->body, &key, &fault);
    if (err == ERR_VALIDATION) return error_fault(rq, fault.path, fault.message);
    return reply_with(rq, err, &key);
}

static enum err handle_list(struct request *rq)
{
    struct api_key_list list;
    enum err err = api_key_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_read_self(struct request *rq)
{
    struct api_key_self self;
    enum err err = api_key_read_self(&rq->work, &self);
    return reply_with(rq, err, &self);
}

static enum err handle_rotate(struct request *rq)
{
    const struct api_key_rotation *input = rq->body;
    struct api_key key;
    enum err err = api_key_rotate(&rq->work, &rq->path_ids[0], input->overlap_seconds, &key);
    return reply_with(rq, err, &key);
}

static enum err handle_revoke(struct request *rq)
{
    enum err err = api_key_revoke(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define KEYS_PATH "/internal/v1/api-keys"

static const struct route rows[] = {
    {
        .method = "POST",
        .path = KEYS_PATH,
        .operation_id = "createApiKey",
        .role = ROLE_ADMIN,
        .action = "api_key.create",
        .tag = "Keys",
        .summary = "Make an API key",
        .description = "Makes a key with a role, which is shown in this answer only. It goes into "
                       "the header X-Internal-API-Key, or Authorization: Bearer. There are at most "
                       "1,000 keys that are not revoked.",
        .body = &api_key_input_record,
        .status = 201,
        .reply_doc = "The key, shown this once.",
        .reply = &api_key_shown_record,
        .link_path = KEYS_PATH "/{id}",
        .link_id = "/id",
        .handle = handle_create,
    },
    {
        .method = "GET",
        .path = KEYS_PATH,
        .operation_id = "listApiKeys",
        .role = ROLE_VIEWER,
        .tag = "Keys",
        .summary = "List the API keys",
        .description = "A page of keys in order of creation, also those that were revoked or have "
                       "expired, without the keys themselves.",
        .reply_doc = "The keys.",
        .reply = &api_key_list_record,
        .query = &page_by_id_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = KEYS_PATH "/self",
        .operation_id = "getOwnApiKey",
        .role = ROLE_VIEWER,
        .is_for_core = true,
        .tag = "Keys",
        .summary = "Read what the key that asks may do",
        .description = "Which key it is, and its role, limit and end.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The key that asks.",
        .reply = &api_key_self_record,
        .handle = handle_read_self,
    },
    {
        .method = "POST",
        .path = KEYS_PATH "/{id}/rotate",
        .operation_id = "rotateApiKey",
        .role = ROLE_ADMIN,
        .action = "api_key.rotate",
        .tag = "Keys",
        .summary = "Make a new key in place of an old one",
        .description = "Id, role and limits stay. The old key stays good for `overlap_seconds`, "
                       "one that was left of an earlier rotation ends now: there are never more "
                       "than two. A key that is revoked or has expired is 404.",
        .body = &api_key_rotation_record,
        .reply_doc = "The new key, shown this once.",
        .reply = &api_key_shown_record,
        .handle = handle_rotate,
    },
    {
        .method = "POST",
        .path = KEYS_PATH "/{id}/revoke",
        .operation_id = "revokeApiKey",
        .role = ROLE_ADMIN,
        .action = "api_key.revoke",
        .tag = "Keys",
        .summary = "Revoke an API key",
        .description = "It is refused from now on, by every process within 10 seconds, and the "
                       "log streams that it opened end. May be repeated; there is no way back.",
        .reply_doc = "Done.",
        .handle = handle_revoke,
    },
};

const struct route_table api_key_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
