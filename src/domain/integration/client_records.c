/* How workload clients and their secrets look on the wire (doc B, section 2; contract, section 4).
 */
#include "domain/integration/client.h"

#include <stddef.h>

#define EXAMPLE_CLIENT      "\"0192f0c7-7777-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_INTEGRATION "\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_SECRET_ID   "\"0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME        "\"2026-11-21T04:33:00.123Z\""
#define EXAMPLE_SCOPES      "[\"erp.catalog.write\",\"erp.changes.write\",\"erp.events.read\"]"

/* --- Requests --- */

static bool is_scope(struct str text)
{
    unsigned scopes;
    /* Of several words each is known, but this is one. */
    return scopes_read(text, &scopes) && !memchr(text.data, ' ', text.len);
}

static const struct field_format format_scope = {
    .is_valid = is_scope,
    .message = "Must be one of: erp.catalog.write, erp.changes.write, erp.events.read.",
    .pattern = "^erp\\.(catalog\\.write|changes\\.write|events\\.read)$",
};

static const struct field input_fields[] = {
    {.name = "name",
     .type = FIELD_STRING,
     .offset = offsetof(struct client_input, name),
     .min = 1,
     .max = CLIENT_NAME_MAX,
     .doc = "What people call it.",
     .example = "\"ERP of shop 12\""},
    {.name = "scopes",
     .type = FIELD_STRINGS,
     .flags = FIELD_UNIQUE,
     .offset = offsetof(struct client_input, scopes),
     .items_min = 1,
     .items_max = SCOPE_COUNT,
     .format = &format_scope,
     .doc = "What its tokens may be used for; everything if it is left out.",
     .example = EXAMPLE_SCOPES},
};

const struct record client_input_record = {
    .name = "ClientInput",
    .doc = "A workload client to create.",
    .size = sizeof(struct client_input),
    RECORD_FIELDS(input_fields),
};

static const struct field rotate_fields[] = {
    {.name = "overlap_seconds",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct rotate_input, overlap_seconds),
     .min = 0,
     .max = SECRET_OVERLAP_MAX_S,
     .default_value = 0,
     .doc = "How long the newest old secret stays good beside the new one; an end that it has "
            "already is not put off. 0: no old secret is good any more.",
     .example = "3600"},
};

const struct record rotate_input_record = {
    .name = "RotateSecret",
    .doc = "Asks for a new secret.",
    .size = sizeof(struct rotate_input),
    RECORD_FIELDS(rotate_fields),
};

static const struct field revoke_fields[] = {
    {.name = "secret_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct revoke_input, secret_id),
     .doc = "Which secret: the id that came with it.",
     .example = EXAMPLE_SECRET_ID},
};

const struct record revoke_input_record = {
    .name = "RevokeSecret",
    .doc = "Ends a secret.",
    .size = sizeof(struct revoke_input),
    RECORD_FIELDS(revoke_fields),
};

static const struct field change_fields[] = {
    {.name = "enabled",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_change, enabled),
     .doc = "Whether the client gets tokens.",
     .example = "false"},
};

const struct record client_change_record = {
    .name = "ClientChange",
    .doc = "Enables or disables a workload client.",
    .size = sizeof(struct client_change),
    RECORD_FIELDS(change_fields),
};

/* --- Answers --- */

static const struct field secret_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_secret, id),
     .doc = "The id of the secret, to revoke it by.",
     .example = EXAMPLE_SECRET_ID},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_secret, created_at),
     .doc = "When it was made.",
     .example = EXAMPLE_TIME},
    {.name = "expires_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct client_secret, expires_at),
     .doc = "When it ends, if a newer one has taken its place.",
     .example = "null"},
};

static const struct record client_secret_record = {
    .name = "ClientSecret",
    .doc = "A secret of a workload client, which nothing but its owner knows.",
    .size = sizeof(struct client_secret),
    RECORD_FIELDS(secret_fields),
};

static const struct field client_fields[] = {
    {.name = "client_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, client_id),
     .doc = "The id of the client.",
     .example = EXAMPLE_CLIENT},
    {.name = "integration_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, integration_id),
     .doc = "The integration that its tokens are for.",
     .example = EXAMPLE_INTEGRATION},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct workload_client, name),
     .doc = "What people call it.",
     .example = "\"ERP of shop 12\""},
    {.name = "scopes",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, scopes),
     .doc = "What its tokens may be used for.",
     .example = EXAMPLE_SCOPES},
    {.name = "enabled",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, enabled),
     .doc = "A disabled client gets no tokens.",
     .example = "true"},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, created_at),
     .doc = "When it was created.",
     .example = EXAMPLE_TIME},
    {.name = "secrets",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct workload_client, secrets),
     .record = &client_secret_record,
     .doc = "Its secrets that are good now, oldest first; at most two."},
};

static const struct record workload_client_record = {
    .name = "WorkloadClient",
    .doc = "Who may fetch tokens for an integration.",
    .size = sizeof(struct workload_client),
    RECORD_FIELDS(client_fields),
};

static const struct field list_fields[] = {
    {.name = "clients",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_list, clients),
     .record = &workload_client_record,
     .doc = "The clients of the integration, in order of creation."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct client_list, next_cursor),
     .doc = "Where the next page begins; null on the last one.",
     .example = "null"},
};

const struct record client_list_record = {
    .name = "ClientList",
    .doc = "A page of the clients of an integration.",
    .size = sizeof(struct client_list),
    RECORD_FIELDS(list_fields),
};

static const struct field credentials_fields[] = {
    {.name = "client_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_credentials, client_id),
     .doc = "The id of the client, as `client_id` of a request for a token.",
     .example = EXAMPLE_CLIENT},
    {.name = "client_secret",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct client_credentials, client_secret),
     .doc = "The secret. It is shown this once.",
     .example = "\"hs_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw\""},
    {.name = "secret_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_credentials, secret_id),
     .doc = "The id of the secret, to revoke it by.",
     .example = EXAMPLE_SECRET_ID},
    {.name = "token_url",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct client_credentials, token_url),
     .doc = "Where the client fetches its tokens; null where `herald api` runs without "
            "HERALD_PUBLIC_URL and cannot know it.",
     .example = "\"https://herald.example/v1/oauth/token\""},
    {.name = "integration_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_credentials, integration_id),
     .doc = "The integration that its tokens are for.",
     .example = EXAMPLE_INTEGRATION},
    {.name = "scopes",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct client_credentials, scopes),
     .doc = "What its tokens may be used for.",
     .example = EXAMPLE_SCOPES},
};

const struct record client_credentials_record = {
    .name = "ClientCredentials",
    .doc = "What the team of the ERP needs to fetch tokens.",
    .size = sizeof(struct client_credentials),
    RECORD_FIELDS(credentials_fields),
};
