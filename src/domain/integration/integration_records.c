/* How integrations look on the wire (doc B, section 2; contract, section 4). */
#include "domain/integration/client.h"
#include "domain/integration/erp_address.h"

#include <stddef.h>

#define EXAMPLE_ID     "\"0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TENANT "\"5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4\""
#define EXAMPLE_POINT  "\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\""
#define EXAMPLE_TIME   "\"2026-11-21T04:33:00.123Z\""
#define EXAMPLE_NAME   "\"Shop 12\""
#define EXAMPLE_URL    "\"https://erp.example.com/hs\""
#define EXAMPLE_PATH   "\"" ERP_PATH_DEFAULT "\""
#define EXAMPLE_TOKEN  "\"q7Vd0cWm3f\""

const char *const integration_environment_words[] = {"production", "test", NULL};
const char *const integration_absent_words[] = {"remove", "keep", NULL};

/* --- Where an ERP is --- */

/* RFC 3986: a path's characters. The schema's patterns are a little wider than the checks. */
#define PATH_PATTERN "/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*"

static const struct field_format format_url = {
    .is_valid = erp_url_is_valid,
    .message = "Must be an address such as https://erp.example.com/base: a host, maybe a port and "
               "a path, but no user info, query, fragment, or . or .. between slashes.",
    .pattern = "^https?://([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?(" PATH_PATTERN ")?$",
    .format = "uri",
};

static const struct field_format format_path = {
    .is_valid = erp_path_is_valid,
    .message = "Must be a path such as /svc/v1/orders: it begins with a slash, other characters "
               "are percent-encoded, and it has no query, fragment, or . or .. between slashes.",
    .pattern = "^" PATH_PATTERN "$",
};

/* What is asked for to create an integration, and to change one. */
#define URL_DOC                                                                                  \
    "The address of the ERP, in front of `order_path`; slashes at its end are dropped. "         \
    "https only, unless the setting HERALD_ERP_ALLOW_HTTP is on. Calls reach it if the setting " \
    "HERALD_ERP_NETWORKS allows the address that it then has."
#define TOKEN_DOC                                                                            \
    "The secret of requests to the ERP, as they say in `Authorization: Bearer`. It is kept " \
    "encrypted and never shown."
#define PATH_DOC "Where it takes orders, behind `base_url`"
#define ENVIRONMENT_DOC                                                                            \
    "What it is for: production, or test for trying out. It cannot be changed. Of one tenant and " \
    "point, one integration of each may be enabled."
#define ABSENT_DOC                                                                               \
    "What it means that a snapshot does not have a field of a product that may be left out and " \
    "has no default: description, composition, category_id, tax, marking, attributes, "          \
    "option_axes, allergens, tags. remove: the product has none. keep: what is stored stays, "   \
    "with option_axes also the choices of the variants, and null or an empty list removes it; "  \
    "what refers to a category, a definition or a value that the snapshot does not have goes."
#define SHARE_DOC                                                                                 \
    "The safety brake of its snapshots: the share of the live products, from 0 to 1, that one "   \
    "may archive. One that would archive more, and 20 products or more, fails until an operator " \
    "releases it. 1 is no limit; null is the setting HERALD_ERP_MAX_ARCHIVE_SHARE."
#define TIMEOUT_DOC "How long one request to the ERP may take."

static const struct field erp_input_fields[] = {
    {.name = "base_url",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp_input, base_url),
     .min = 1,
     .max = ERP_URL_MAX,
     .format = &format_url,
     .doc = URL_DOC,
     .example = EXAMPLE_URL},
    {.name = "token",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct erp_input, token),
     .min = 1,
     .max = ERP_TOKEN_MAX,
     .format = &format_visible,
     .doc = TOKEN_DOC,
     .example = EXAMPLE_TOKEN},
    {.name = "order_path",
     .type = FIELD_STRING,
     .offset = offsetof(struct erp_input, order_path),
     .min = 1,
     .max = ERP_PATH_MAX,
     .format = &format_path,
     .doc = PATH_DOC "; " ERP_PATH_DEFAULT " unless given.",
     .example = EXAMPLE_PATH},
    {.name = "timeout_seconds",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct erp_input, timeout_seconds),
     .min = 1,
     .max = ERP_TIMEOUT_MAX_S,
     .default_value = ERP_TIMEOUT_DEFAULT_S,
     .doc = TIMEOUT_DOC,
     .example = "10"},
};

static const struct record erp_input_record = {
    .name = "ErpInput",
    .doc = "How an ERP is reached.",
    .size = sizeof(struct erp_input),
    RECORD_FIELDS(erp_input_fields),
};

static const struct field erp_change_fields[] = {
    {.name = "base_url",
     .type = FIELD_STRING,
     .offset = offsetof(struct erp_input, base_url),
     .min = 1,
     .max = ERP_URL_MAX,
     .format = &format_url,
     .doc =
         URL_DOC " Another scheme, host or port needs a new `token` in the same request: the one "
                 "that is stored belongs to the address before.",
     .example = EXAMPLE_URL},
    {.name = "token",
     .type = FIELD_STRING,
     .flags = FIELD_SECRET,
     .offset = offsetof(struct erp_input, token),
     .min = 1,
     .max = ERP_TOKEN_MAX,
     .format = &format_visible,
     .doc = TOKEN_DOC,
     .example = EXAMPLE_TOKEN},
    {.name = "order_path",
     .type = FIELD_STRING,
     .offset = offsetof(struct erp_input, order_path),
     .min = 1,
     .max = ERP_PATH_MAX,
     .format = &format_path,
     .doc = PATH_DOC ".",
     .example = EXAMPLE_PATH},
    {.name = "timeout_seconds",
     .type = FIELD_INTEGER,
     .offset = offsetof(struct erp_input, timeout_seconds),
     .min = 1,
     .max = ERP_TIMEOUT_MAX_S,
     .doc = TIMEOUT_DOC,
     .example = "10"},
};

static const struct record erp_change_record = {
    .name = "ErpChange",
    .doc = "What changes about how an ERP is reached; what is left out stays.",
    .size = sizeof(struct erp_input),
    RECORD_FIELDS(erp_change_fields),
};

static const struct field erp_fields[] = {
    {.name = "base_url",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp, base_url),
     .doc = "The address of the ERP.",
     .example = EXAMPLE_URL},
    {.name = "order_path",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp, order_path),
     .doc = PATH_DOC ".",
     .example = EXAMPLE_PATH},
    {.name = "timeout_seconds",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct erp, timeout_seconds),
     .doc = TIMEOUT_DOC,
     .example = "10"},
};

static const struct record erp_record = {
    .name = "Erp",
    .doc = "How an ERP is reached, without its token.",
    .size = sizeof(struct erp),
    RECORD_FIELDS(erp_fields),
};

/* --- Requests --- */

static const struct field input_fields[] = {
    {.name = "tenant_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration_input, tenant_id),
     .doc = "Whose sales point it is; a claim of its tokens.",
     .example = EXAMPLE_TENANT},
    {.name = "point_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration_input, point_id),
     .doc = "The sales point; a claim of its tokens.",
     .example = EXAMPLE_POINT},
    {.name = "environment",
     .type = FIELD_ENUM,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct integration_input, environment),
     .words = integration_environment_words,
     .default_value = ENVIRONMENT_PRODUCTION,
     .doc = ENVIRONMENT_DOC,
     .example = "\"production\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration_input, name),
     .min = 1,
     .max = INTEGRATION_NAME_MAX,
     .doc = "What people call it.",
     .example = EXAMPLE_NAME},
    {.name = "erp",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration_input, erp),
     .record = &erp_input_record,
     .doc = "How its ERP is reached."},
    {.name = "max_archive_share",
     .type = FIELD_DECIMAL,
     .flags = FIELD_NULLABLE | FIELD_NOT_NEGATIVE,
     .offset = offsetof(struct integration_input, max_archive_share),
     .doc = SHARE_DOC,
     .example = "0.5"},
    {.name = "absent",
     .type = FIELD_ENUM,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct integration_input, absent),
     .words = integration_absent_words,
     .default_value = ABSENT_REMOVE,
     .doc = ABSENT_DOC,
     .example = "\"keep\""},
};

static void check_share(struct record_faults *faults, const char *share)
{
    bool is_above = share && share[0] != '\0' && share[0] != '0' && strcmp(share, "1") != 0;

    if (is_above) record_fault(faults, "max_archive_share", "Must be at most 1.");
}

/* A claim has to name something. */
static void check_input(struct record_faults *faults, const void *value)
{
    const struct integration_input *input = value;

    if (uuid_is_nil(&input->tenant_id)) record_fault(faults, "tenant_id", "Must not be all zeros.");
    if (uuid_is_nil(&input->point_id)) record_fault(faults, "point_id", "Must not be all zeros.");
    check_share(faults, input->max_archive_share);
}

const struct record integration_input_record = {
    .name = "IntegrationInput",
    .doc = "A sales point to connect with its ERP.",
    .size = sizeof(struct integration_input),
    RECORD_FIELDS(input_fields),
    .check = check_input,
};

static const struct field change_fields[] = {
    {.name = "name",
     .type = FIELD_STRING,
     .offset = offsetof(struct integration_change, name),
     .min = 1,
     .max = INTEGRATION_NAME_MAX,
     .doc = "What people call it.",
     .example = EXAMPLE_NAME},
    {.name = "erp",
     .type = FIELD_RECORD,
     .offset = offsetof(struct integration_change, erp),
     .record = &erp_change_record,
     .doc = "What changes about its ERP."},
    {.name = "max_archive_share",
     .type = FIELD_DECIMAL,
     .flags = FIELD_NULLABLE | FIELD_NOT_NEGATIVE | FIELD_NULL_EMPTY,
     .offset = offsetof(struct integration_change, max_archive_share),
     .doc = SHARE_DOC,
     .example = "0.5"},
    {.name = "absent",
     .type = FIELD_ENUM,
     .offset = offsetof(struct integration_change, absent),
     .words = integration_absent_words,
     .doc = ABSENT_DOC,
     .example = "\"keep\""},
    {.name = "enabled",
     .type = FIELD_TRISTATE,
     .offset = offsetof(struct integration_change, enabled),
     .doc = "A disabled integration gets no tokens, and those that it has are refused.",
     .example = "false"},
};

static void check_change(struct record_faults *faults, const void *value)
{
    const struct integration_change *change = value;
    check_share(faults, change->max_archive_share);
}

const struct record integration_change_record = {
    .name = "IntegrationChange",
    .doc = "What changes; what is left out stays.",
    .size = sizeof(struct integration_change),
    RECORD_FIELDS(change_fields),
    .check = check_change,
};

/* --- Answers --- */

static const struct field integration_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, id),
     .doc = "The id of the integration, as it stands in the paths that its ERP calls.",
     .example = EXAMPLE_ID},
    {.name = "tenant_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, tenant_id),
     .doc = "Whose sales point it is.",
     .example = EXAMPLE_TENANT},
    {.name = "point_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, point_id),
     .doc = "The sales point.",
     .example = EXAMPLE_POINT},
    {.name = "environment",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, environment),
     .words = integration_environment_words,
     .doc = ENVIRONMENT_DOC,
     .example = "\"production\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, name),
     .doc = "What people call it.",
     .example = EXAMPLE_NAME},
    {.name = "enabled",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, enabled),
     .doc = "A disabled integration gets no tokens, and those that it has are refused.",
     .example = "true"},
    {.name = "erp",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, erp),
     .record = &erp_record,
     .doc = "How its ERP is reached."},
    {.name = "max_archive_share",
     .type = FIELD_DECIMAL,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE | FIELD_NOT_NEGATIVE,
     .offset = offsetof(struct integration, max_archive_share),
     .doc = SHARE_DOC,
     .example = "0.5"},
    {.name = "absent",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, absent),
     .words = integration_absent_words,
     .doc = ABSENT_DOC,
     .example = "\"keep\""},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, created_at),
     .doc = "When it was created.",
     .example = EXAMPLE_TIME},
    {.name = "updated_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration, updated_at),
     .doc = "When it was last changed.",
     .example = EXAMPLE_TIME},
};

const struct record integration_record = {
    .name = "Integration",
    .doc = "A sales point of a tenant, connected with its ERP.",
    .size = sizeof(struct integration),
    RECORD_FIELDS(integration_fields),
};

static const struct field list_fields[] = {
    {.name = "integrations",
     .type = FIELD_RECORDS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct integration_list, integrations),
     .record = &integration_record,
     .doc = "The integrations in order of creation."},
    {.name = "next_cursor",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct integration_list, next_cursor),
     .doc = "Where the next page begins; null on the last one.",
     .example = "null"},
};

const struct record integration_list_record = {
    .name = "IntegrationList",
    .doc = "A page of integrations.",
    .size = sizeof(struct integration_list),
    RECORD_FIELDS(list_fields),
};
