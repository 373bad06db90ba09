/* These records say how integrations look on the wire (doc B, section 2; contract, section 4). */
#include "domain/integration/erp_address.h"
#include "domain/integration/integration.h"

#include <stddef.h>

const char *const integration_environment_words[] = {"production", "test", NULL};
const char *const lane_circuit_words[] = {"closed", "open", "half_open", NULL};
const char *const integration_absent_words[] = {"remove", "keep", NULL};

/* --- Where an ERP is --- */

/* RFC 3986: a path's characters. The schema's patterns are a little wider than the checks. */
#define PATH_PATTERN "/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"

static const struct field_format format_url = {
    .is_valid = erp_url_is_valid,
    .explain = erp_url_explain,
    .message = "Must be an address such as https://erp.example.com/base: a host, maybe a port and "
               "a path, but no user info, query, fragment, or . or .. between slashes.",
    .pattern = "^[Hh][Tt][Tt][Pp][Ss]?://"
               "([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?(" PATH_PATTERN ")?$",
    .format = "uri",
};

static const struct field_format format_path = {
    .is_valid = erp_path_is_valid,
    .message = "Must be a path such as /svc/v1/orders: it begins with a slash, other characters "
               "are percent-encoded, and it has no query, fragment, or . or .. between slashes.",
    .pattern = "^" PATH_PATTERN "$",
};

/* The records of creating an integration and of changing one share these sentences. */
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
    "point, one integration of each may be enabled. A test one may send any number of packages, "  \
    "and its orders never go to the address, with its path, of those of a production one."
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
    FIELD(struct erp_input, base_url, FIELD_STRING, FIELD_REQUIRED, URL_DOC, .min = 1,
          .max = ERP_URL_MAX, .format = &format_url, .example = "https://erp.example.com/hs"),
    FIELD(struct erp_input, token, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET, TOKEN_DOC, .min = 1,
          .max = ERP_TOKEN_MAX, .format = &format_visible, .example = "q7Vd0cWm3f"),
    FIELD(struct erp_input, order_path, FIELD_STRING, 0,
          PATH_DOC "; " ERP_PATH_DEFAULT " unless given.", .min = 1, .max = ERP_PATH_MAX,
          .format = &format_path, .example = ERP_PATH_DEFAULT),
    FIELD(struct erp_input, timeout_seconds, FIELD_INTEGER, FIELD_DEFAULT, TIMEOUT_DOC, .min = 1,
          .max = ERP_TIMEOUT_MAX_S, .default_value = ERP_TIMEOUT_DEFAULT_S, .example = "10"),
};

static const struct record erp_input_record = {
    .name = "ErpInput",
    .doc = "How an ERP is reached.",
    .size = sizeof(struct erp_input),
    RECORD_FIELDS(erp_input_fields),
};

static const struct field erp_change_fields[] = {
    FIELD(struct erp_input, base_url, FIELD_STRING, 0,
          URL_DOC " Another scheme, host or port needs a new `token` in the same request: the one "
                  "that is stored belongs to the address before.",
          .min = 1, .max = ERP_URL_MAX, .format = &format_url,
          .example = "https://erp.example.com/hs"),
    FIELD(struct erp_input, token, FIELD_STRING, FIELD_SECRET, TOKEN_DOC, .min = 1,
          .max = ERP_TOKEN_MAX, .format = &format_visible, .example = "q7Vd0cWm3f"),
    FIELD(struct erp_input, order_path, FIELD_STRING, 0, PATH_DOC ".", .min = 1,
          .max = ERP_PATH_MAX, .format = &format_path, .example = ERP_PATH_DEFAULT),
    FIELD(struct erp_input, timeout_seconds, FIELD_INTEGER, 0, TIMEOUT_DOC, .min = 1,
          .max = ERP_TIMEOUT_MAX_S, .example = "10"),
};

static const struct record erp_change_record = {
    .name = "ErpChange",
    .doc = "What changes about how an ERP is reached; what is left out stays.",
    .size = sizeof(struct erp_input),
    RECORD_FIELDS(erp_change_fields),
};

static const struct field erp_fields[] = {
    FIELD(struct erp, base_url, FIELD_STRING, FIELD_REQUIRED, "The address of the ERP.",
          .example = "https://erp.example.com/hs"),
    FIELD(struct erp, order_path, FIELD_STRING, FIELD_REQUIRED, PATH_DOC ".",
          .example = ERP_PATH_DEFAULT),
    FIELD(struct erp, timeout_seconds, FIELD_INTEGER, FIELD_REQUIRED, TIMEOUT_DOC, .example = "10"),
};

static const struct record erp_record = {
    .name = "Erp",
    .doc = "How an ERP is reached, without its token.",
    .size = sizeof(struct erp),
    RECORD_FIELDS(erp_fields),
};

/* --- Requests --- */

static const struct field input_fields[] = {
    FIELD(struct integration_input, tenant_id, FIELD_UUID, FIELD_REQUIRED,
          "Whose sales point it is; a claim of its tokens."),
    FIELD(struct integration_input, point_id, FIELD_UUID, FIELD_REQUIRED,
          "The sales point; a claim of its tokens."),
    FIELD(struct integration_input, environment, FIELD_ENUM, FIELD_DEFAULT, ENVIRONMENT_DOC,
          .words = integration_environment_words, .default_value = ENVIRONMENT_PRODUCTION),
    FIELD(struct integration_input, name, FIELD_STRING, FIELD_REQUIRED, "What people call it.",
          .min = 1, .max = INTEGRATION_NAME_MAX, .example = "Shop 12"),
    FIELD(struct integration_input, erp, FIELD_RECORD, FIELD_REQUIRED, "How its ERP is reached.",
          .record = &erp_input_record),
    FIELD(struct integration_input, max_archive_share, FIELD_DECIMAL, FIELD_NULLABLE | FIELD_SHARE,
          SHARE_DOC, .example = "0.5"),
    FIELD(struct integration_input, absent, FIELD_ENUM, FIELD_DEFAULT, ABSENT_DOC,
          .words = integration_absent_words, .default_value = ABSENT_REMOVE, .example = "keep"),
};

/* A claim has to name something. */
static void check_input(struct record_faults *faults, const void *value)
{
    const struct integration_input *input = value;

    if (uuid_is_nil(&input->tenant_id)) record_fault(faults, "tenant_id", "Must not be all zeros.");
    if (uuid_is_nil(&input->point_id)) record_fault(faults, "point_id", "Must not be all zeros.");
}

const struct record integration_input_record = {
    .name = "IntegrationInput",
    .doc = "A sales point to connect with its ERP.",
    .size = sizeof(struct integration_input),
    RECORD_FIELDS(input_fields),
    .check = check_input,
};

static const struct field change_fields[] = {
    FIELD(struct integration_change, name, FIELD_STRING, 0, "What people call it.", .min = 1,
          .max = INTEGRATION_NAME_MAX, .example = "Shop 12"),
    FIELD(struct integration_change, erp, FIELD_RECORD, 0, "What changes about its ERP.",
          .record = &erp_change_record),
    FIELD(struct integration_change, max_archive_share, FIELD_DECIMAL,
          FIELD_NULLABLE | FIELD_SHARE | FIELD_NULL_EMPTY, SHARE_DOC, .example = "0.5"),
    FIELD(struct integration_change, absent, FIELD_ENUM, 0, ABSENT_DOC,
          .words = integration_absent_words, .example = "keep"),
    FIELD(struct integration_change, enabled, FIELD_TRISTATE, 0,
          "A disabled integration gets no tokens, and those that it has are refused.",
          .example = "false"),
};

const struct record integration_change_record = {
    .name = "IntegrationChange",
    .doc = "What changes; what is left out stays.",
    .size = sizeof(struct integration_change),
    RECORD_FIELDS(change_fields),
};

/* --- Answers --- */

static const struct field circuit_fields[] = {
    FIELD(struct lane_circuit, state, FIELD_ENUM, FIELD_REQUIRED,
          "closed: orders go. open: the ERP failed 5 times in a row; orders wait, and every 30 "
          "seconds GET /svc/v1/health asks whether it serves again. half_open: it does; orders go "
          "one at a time until one was served.",
          .words = lane_circuit_words, .example = "open"),
    FIELD(struct lane_circuit, since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Since when it is not closed; null while it is.", .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct lane_circuit, next_probe_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the ERP is asked next, while it is open; never in the past.",
          .example = "2026-11-21T04:33:30.123Z"),
    FIELD(struct lane_circuit, last_error, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "How an order or a probe failed last, since one was served; never in the ERP's own "
          "words.",
          .example = "GET /svc/v1/health: HTTP 401"),
};

const struct record lane_circuit_record = {
    .name = "OrderCircuit",
    .doc = "Whether orders go to the ERP of an integration, and why not.",
    .size = sizeof(struct lane_circuit),
    RECORD_FIELDS(circuit_fields),
};

#define COUNT_DOC " It is counted up to 1,000, which stands for as many or more."

static const struct field exchange_fields[] = {
    FIELD(struct exchange, last_snapshot_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the newest snapshot was applied; null: none was yet.",
          .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct exchange, last_change_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When a package of changes was last applied; null: none was yet.",
          .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct exchange, waiting, FIELD_INTEGER, FIELD_REQUIRED,
          "Packages that are accepted, processing or in retry." COUNT_DOC, .example = "0"),
    FIELD(struct exchange, failed, FIELD_INTEGER, FIELD_REQUIRED,
          "Packages that failed, and that an operator may have tried again." COUNT_DOC,
          .example = "0"),
    FIELD(struct exchange, circuit, FIELD_RECORD, FIELD_REQUIRED, "Whether its orders go.",
          .record = &lane_circuit_record),
    FIELD(struct exchange, orders_waiting, FIELD_INTEGER, FIELD_REQUIRED,
          "Orders that are queued or delivering." COUNT_DOC, .example = "0"),
    FIELD(struct exchange, oldest_order_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the oldest of these orders was taken; null: none waits.", .example = "null"),
};

static const struct record exchange_record = {
    .name = "Exchange",
    .doc = "How the exchange with the ERP of an integration stands.",
    .size = sizeof(struct exchange),
    RECORD_FIELDS(exchange_fields),
};

static const struct field integration_fields[] = {
    FIELD(struct integration, id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the integration, as it stands in the paths that its ERP calls."),
    FIELD(struct integration, tenant_id, FIELD_UUID, FIELD_REQUIRED, "Whose sales point it is."),
    FIELD(struct integration, point_id, FIELD_UUID, FIELD_REQUIRED, "The sales point."),
    FIELD(struct integration, environment, FIELD_ENUM, FIELD_REQUIRED, ENVIRONMENT_DOC,
          .words = integration_environment_words),
    FIELD(struct integration, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call it.", .example = "Shop 12"),
    FIELD(struct integration, enabled, FIELD_BOOLEAN, FIELD_REQUIRED,
          "A disabled integration gets no tokens, and those that it has are refused."),
    FIELD(struct integration, erp, FIELD_RECORD, FIELD_REQUIRED, "How its ERP is reached.",
          .record = &erp_record),
    FIELD(struct integration, max_archive_share, FIELD_DECIMAL,
          FIELD_REQUIRED | FIELD_NULLABLE | FIELD_SHARE, SHARE_DOC, .example = "0.5"),
    FIELD(struct integration, absent, FIELD_ENUM, FIELD_REQUIRED, ABSENT_DOC,
          .words = integration_absent_words, .example = "keep"),
    FIELD(struct integration, exchange, FIELD_RECORD, FIELD_REQUIRED,
          "How the exchange with its ERP stands.", .record = &exchange_record),
    FIELD(struct integration, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was created."),
    FIELD(struct integration, updated_at, FIELD_TIME, FIELD_REQUIRED, "When it was last changed."),
};

const struct record integration_record = {
    .name = "Integration",
    .doc = "A sales point of a tenant, connected with its ERP.",
    .size = sizeof(struct integration),
    RECORD_FIELDS(integration_fields),
};

static const struct field list_fields[] = {
    FIELD(struct integration_list, integrations, FIELD_RECORDS, FIELD_REQUIRED,
          "The integrations in order of creation.", .record = &integration_record),
    PAGE_NEXT_ROW(struct integration_list),
};

const struct record integration_list_record = {
    .name = "IntegrationList",
    .doc = "A page of integrations.",
    .size = sizeof(struct integration_list),
    RECORD_FIELDS(list_fields),
};
