/* These records say how workload clients and their secrets look on the wire (doc B, section 2;
 * contract, section 4). */
#include "domain/integration/integration.h"

#include <stddef.h>

#define EXAMPLE_SCOPES "[\"erp.catalog.write\",\"erp.changes.write\",\"erp.events.read\"]"

/* --- Requests --- */

static bool is_scope(struct str text)
{
    size_t i = 0;

    while (i < SCOPE_COUNT && !str_is(text, scope_words[i]))
        i++;
    return i < SCOPE_COUNT;
}

static const struct field_format format_scope = {
    .is_valid = is_scope,
    .message = "Must be one of: erp.catalog.write, erp.changes.write, erp.events.read.",
    .pattern = "^erp\\.(catalog\\.write|changes\\.write|events\\.read)$",
};

static const struct field input_fields[] = {
    FIELD(struct client_input, name, FIELD_STRING, 0, "What people call it.", .min = 1,
          .max = CLIENT_NAME_MAX, .example = "ERP of shop 12"),
    FIELD(struct client_input, scopes, FIELD_STRINGS, FIELD_UNIQUE,
          "What its tokens may be used for; everything if it is left out.", .items_min = 1,
          .items_max = SCOPE_COUNT, .format = &format_scope, .example = EXAMPLE_SCOPES),
};

const struct record client_input_record = {
    .name = "ClientInput",
    .doc = "A workload client to create.",
    .size = sizeof(struct client_input),
    RECORD_FIELDS(input_fields),
};

static const struct field rotate_fields[] = {
    FIELD(struct rotate_input, overlap_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long the newest old secret stays good beside the new one; an end that it has "
          "already is not put off. 0: no old secret is good any more.",
          .min = 0, .max = SECRET_OVERLAP_MAX_S, .default_value = 0, .example = "3600"),
};

const struct record rotate_input_record = {
    .name = "RotateSecret",
    .doc = "Asks for a new secret.",
    .size = sizeof(struct rotate_input),
    RECORD_FIELDS(rotate_fields),
};

static const struct field revoke_fields[] = {
    FIELD(struct revoke_input, secret_id, FIELD_UUID, FIELD_REQUIRED,
          "Which secret: the id that came with it."),
};

const struct record revoke_input_record = {
    .name = "RevokeSecret",
    .doc = "Ends a secret.",
    .size = sizeof(struct revoke_input),
    RECORD_FIELDS(revoke_fields),
};

static const struct field change_fields[] = {
    FIELD(struct client_change, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether the client gets tokens.", .example = "false"),
};

const struct record client_change_record = {
    .name = "ClientChange",
    .doc = "Enables or disables a workload client.",
    .size = sizeof(struct client_change),
    RECORD_FIELDS(change_fields),
};

/* --- Answers --- */

static const struct field secret_fields[] = {
    FIELD(struct client_secret, id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the secret, to revoke it by."),
    FIELD(struct client_secret, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was made."),
    FIELD(struct client_secret, expires_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it ends, if a newer one has taken its place."),
};

static const struct record client_secret_record = {
    .name = "ClientSecret",
    .doc = "A secret of a workload client, which nothing but its owner knows.",
    .size = sizeof(struct client_secret),
    RECORD_FIELDS(secret_fields),
};

static const struct field client_fields[] = {
    FIELD(struct workload_client, client_id, FIELD_UUID, FIELD_REQUIRED, "The id of the client."),
    FIELD(struct workload_client, integration_id, FIELD_UUID, FIELD_REQUIRED,
          "The integration that its tokens are for."),
    FIELD(struct workload_client, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "What people call it.", .example = "ERP of shop 12"),
    FIELD(struct workload_client, scopes, FIELD_STRINGS, FIELD_REQUIRED,
          "What its tokens may be used for.", .example = EXAMPLE_SCOPES),
    FIELD(struct workload_client, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,
          "A disabled client gets no tokens."),
    FIELD(struct workload_client, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was created."),
    FIELD(struct workload_client, secrets, FIELD_RECORDS, FIELD_REQUIRED,
          "Its secrets that are good now, oldest first; at most two.",
          .record = &client_secret_record),
};

static const struct record workload_client_record = {
    .name = "WorkloadClient",
    .doc = "Who may fetch tokens for an integration.",
    .size = sizeof(struct workload_client),
    RECORD_FIELDS(client_fields),
};

static const struct field list_fields[] = {
    FIELD(struct client_list, clients, FIELD_RECORDS, FIELD_REQUIRED,
          "The clients of the integration, in order of creation.",
          .record = &workload_client_record),
    PAGE_NEXT_ROW(struct client_list),
};

const struct record client_list_record = {
    .name = "ClientList",
    .doc = "A page of the clients of an integration.",
    .size = sizeof(struct client_list),
    RECORD_FIELDS(list_fields),
};

static const struct field credentials_fields[] = {
    FIELD(struct client_credentials, client_id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the client, as `client_id` of a request for a token."),
    FIELD(struct client_credentials, client_secret, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The secret. It is shown this once.",
          .example = "hs_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"),
    FIELD(struct client_credentials, secret_id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the secret, to revoke it by."),
    FIELD(struct client_credentials, token_url, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Where the client fetches its tokens; null where `herald api` runs without "
          "HERALD_PUBLIC_URL and cannot know it.",
          .example = "https://herald.example/v1/oauth/token"),
    FIELD(struct client_credentials, integration_id, FIELD_UUID, FIELD_REQUIRED,
          "The integration that its tokens are for."),
    FIELD(struct client_credentials, scopes, FIELD_STRINGS, FIELD_REQUIRED,
          "What its tokens may be used for.", .example = EXAMPLE_SCOPES),
};

const struct record client_credentials_record = {
    .name = "ClientCredentials",
    .doc = "What the team of the ERP needs to fetch tokens.",
    .size = sizeof(struct client_credentials),
    RECORD_FIELDS(credentials_fields),
};
