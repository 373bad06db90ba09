/* Packages of ERPs: what ERPs send and ask, and what operators do (doc B, section 4 "ERP to
 * service"; contract, section 5); and the taker of their bodies. */
#include "core/request.h"
#include "domain/erp/erp_intake.h"

/* --- Bodies of packages ----------------------------------------------------------------------- */

/* A token of another integration is refused before it costs anything; the transaction checks the
 * rest of its claims. The record of the route says which kind of package it takes. */
static enum err begin(struct request *rq, int64_t length, const struct body_ending *ending,
                      void **ret_taken)
{
    const struct token_claims *claims = rq->principal;
    const struct uuid *integration_id = &rq->path_ids[0];
    bool is_snapshot = rq->route->body == &erp_snapshot_record;
    enum erp_package_type type = is_snapshot ? ERP_PACKAGE_SNAPSHOT : ERP_PACKAGE_DELTA;
    struct erp_intake *intake;

    if (!uuid_equal(&claims->integration_id, integration_id)) return ERR_INTEGRATION_MISMATCH;
    enum err err = erp_intake_new(rq->work.service, integration_id, type, length, ending, &intake);
    if (!err) *ret_taken = intake;
    return err;
}

static bool take(void *taken, struct str bytes)
{
    return erp_intake_take(taken, bytes);
}

static void end(void *taken)
{
    erp_intake_end(taken);
}

static bool is_clean(const void *taken)
{
    return erp_intake_is_clean(taken);
}

static void free_intake(void *taken)
{
    erp_intake_free(taken);
}

static void fill_faults(const struct request *rq, enum err err, struct erp_refused *refused)
{
    if (err == ERR_VALIDATION && rq->taken && rq->detail) {
        refused->faults = erp_intake_list_faults(rq->taken, ERP_REFUSAL_FAULTS_MAX, rq->work.arena);
        return;
    }
    size_t count = rq->faults ? rq->faults->count : 0;
    if (count > ERP_REFUSAL_FAULTS_MAX) count = ERP_REFUSAL_FAULTS_MAX;
    struct erp_refusal_fault *rows = arena_array(rq->work.arena, count + 1, sizeof(*rows));
    for (size_t i = 0; i < count; i++)
        rows[i] =
            (struct erp_refusal_fault){NULL, rq->faults->rows[i].path, rq->faults->rows[i].message};
    refused->faults = (struct record_list){rows, count};
}

/* The token may be of another integration, which is none of this one's business. */
static void refused(struct request *rq, enum err err)
{
    const struct token_claims *claims = rq->principal;
    struct erp_refusals *refusals = rq->work.service->erp->refusals;
    bool is_snapshot = rq->route->body == &erp_snapshot_record;
    struct erp_refused refused = {
        .event_type = is_snapshot ? ERP_PACKAGE_SNAPSHOT : ERP_PACKAGE_DELTA,
        .event_id = rq->taken ? erp_intake_find_event_id(rq->taken) : NULL,
        .status = err_info(err)->http_status,
        .code = err_info(err)->code,
        .body_length = rq->taken ? erp_intake_length(rq->taken) : -1,
        .request_id = rq->work.request_id,
    };

    bool is_of_other = !uuid_equal(&claims->integration_id, &rq->path_ids[0]);
    if (!refusals || is_of_other || err == ERR_INTEGRATION_MISMATCH) return;
    if (!refused.event_id && rq->headers[0].data)
        refused.event_id = arena_str(rq->work.arena, rq->headers[0]);
    fill_faults(rq, err, &refused);
    erp_refusals_note(refusals, claims, &refused);
}

static const struct body_taker package_taker = {
    .body_max = ERP_BODY_MAX,
    .begin = begin,
    .take = take,
    .end = end,
    .is_clean = is_clean,
    .refused = refused,
    .free = free_intake,
};

/* --- ERPs ------------------------------------------------------------------------------------- */

#define KEY_HEADER "Idempotency-Key"

static const struct field receive_headers[] = {
    {.name = KEY_HEADER,
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .min = 1,
     .max = ERP_EVENT_ID_MAX,
     .doc = "The event_id of the body. A repeat of a stored one changes nothing and answers "
            "`duplicate`, whatever its content.",
     .example = "catalog:2026-11-21T04:33:00Z"},
    {0},
};

static enum err handle_receive(struct request *rq)
{
    const struct erp_arrival arrival = {
        .claims = rq->principal,
        .integration_id = &rq->path_ids[0],
        .intake = rq->taken,
        .key = rq->headers[0],
    };
    struct erp_acceptance acceptance;
    struct erp_refusal refusal = {.detail = NULL};

    enum err err = erp_receive(&rq->work, &arrival, &acceptance, &refusal);
    rq->detail = refusal.detail;
    if (err == ERR_RATE_LIMITED) error_retry_after(rq, refusal.wait_ms);
    for (size_t i = 0; i < COUNT_OF(refusal.limits) && (!err || err == ERR_RATE_LIMITED); i++)
        reply_limit(rq, &refusal.limits[i]);
    if (err == ERR_KEY_NOT_EVENT_ID)
        error_add_fault(rq, KEY_HEADER, "Must be sent once and equal the event_id of the body.");
    return reply_with(rq, err, &acceptance);
}

static enum err handle_read_package(struct request *rq)
{
    struct erp_package package;
    enum err err =
        erp_read_package(&rq->work, rq->principal, &rq->path_ids[0], rq->path_texts[0], &package);
    return reply_with(rq, err, &package);
}

/* --- Operators -------------------------------------------------------------------------------- */

#define STATUS_AND_TYPE_ROWS                                                                       \
    FIELD(struct erp_package_filter, status, FIELD_ENUM, 0, "Only packages with this status.",     \
          .words = erp_package_status_words, .example = "failed"),                                 \
        FIELD(struct erp_package_filter, event_type, FIELD_ENUM, 0, "Only packages of this kind.", \
              .words = erp_package_type_words, .example = "snapshot")

static const struct field list_fields[] = {
    STATUS_AND_TYPE_ROWS,
    PAGE_LIMIT_ROW(struct erp_package_filter),
    PAGE_NUMBER_CURSOR_ROW(struct erp_package_filter),
};

static const struct record list_query = {.size = sizeof(struct erp_package_filter),
                                         RECORD_FIELDS(list_fields)};

static const struct field all_fields[] = {
    FIELD(struct erp_package_filter, integration_id, FIELD_UUID, 0,
          "Only packages of this integration.", .example = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"),
    STATUS_AND_TYPE_ROWS,
    PAGE_LIMIT_ROW(struct erp_package_filter),
    PAGE_CURSOR_ROW(struct erp_package_filter, .min = 1, .max = 80,
                    .example = "1795235580123.0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f.42"),
};

static const struct record all_query = {.size = sizeof(struct erp_package_filter),
                                        RECORD_FIELDS(all_fields)};

static enum err handle_list_all_packages(struct request *rq)
{
    struct erp_package_list list;
    enum err err = erp_list_all_packages(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_list_packages(struct request *rq)
{
    struct erp_package_list list;
    enum err err = erp_list_packages(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_show_package(struct request *rq)
{
    struct erp_package package;
    enum err err = erp_show_package(&rq->work, &rq->path_ids[0], rq->path_texts[0], &package);
    return reply_with(rq, err, &package);
}

static enum err handle_read_body(struct request *rq)
{
    enum err err = erp_read_body(&rq->work, &rq->path_ids[0], rq->path_texts[0], &rq->reply);
    return reply_done(rq, err);
}

static enum err handle_retry_package(struct request *rq)
{
    enum err err = erp_retry_package(&rq->work, &rq->path_ids[0], rq->path_texts[0]);
    return reply_done(rq, err);
}

static enum err handle_release_package(struct request *rq)
{
    enum err err = erp_release_package(&rq->work, &rq->path_ids[0], rq->path_texts[0]);
    return reply_done(rq, err);
}

static enum err handle_list_refusals(struct request *rq)
{
    struct erp_refused_list list;
    enum err err = erp_list_refusals(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define ERP_PATH      "/api/v1/integrations/erp/{integration_id}"
#define OPERATOR_PATH "/internal/v1/integrations/{id}/events"

#define EXAMPLE_SNAPSHOT                                                                        \
    "{\"event_id\":\"catalog:2026-11-21T04:33:00Z\",\"generated_at\":\"2026-11-21T04:32:50Z\"," \
    "\"attribute_definitions\":[{\"id\":\"a-1\",\"name\":\"Fat\",\"type\":\"decimal\","         \
    "\"unit\":\"%\"}],\"categories\":[{\"id\":\"c-1\",\"name\":\"Milk\"}],\"products\":[{"      \
    "\"id\":\"p-1\",\"name\":\"Milk 3.2 %\",\"category_id\":\"c-1\",\"tax\":{\"vat_rate\":"     \
    "\"10\"},\"attributes\":[{\"attribute_id\":\"a-1\",\"value\":3.2}],\"variants\":[{\"id\":"  \
    "\"v-1\",\"price\":89.90,\"sku\":\"M-32\",\"barcodes\":[\"4600000000017\"],\"default\":"    \
    "true,\"measure_unit\":\"liter\",\"measure_value\":1}]}]}"
#define EXAMPLE_CHANGES                                                                      \
    "{\"event_id\":\"changes:1:4711\",\"generated_at\":\"2026-11-21T04:32:50Z\",\"stocks\":" \
    "[{\"product_id\":\"p-1\",\"variant_id\":\"v-1\",\"available_quantity\":12}],"           \
    "\"prices\":[{\"product_id\":\"p-1\",\"variant_id\":\"v-1\",\"price\":92.50}]}"

#define TAKING_DOC                                                                                \
    "The header Idempotency-Key must equal `event_id`. 202 means that the package is durably "    \
    "stored; it is applied after that, in the order of receipt, all or nothing. A repeat of a "   \
    "stored event_id answers `duplicate`, whatever its content. After no answer, 408, 429 or "    \
    "5xx send the same event again; 408 is that of a package which came too slowly, 429 with "    \
    "Retry-After that of one beyond the quota of its integration, of which repeats take "         \
    "nothing, or where too much of it is not applied yet. Up to 25 MiB; properties that are not " \
    "known are read over."

/* Packages of both kinds come in alike. */
#define TAKES_PACKAGES                                                                         \
    .method = "POST", .tag = "ERP exchange", .auth = AUTH_BEARER, .access = ACCESS_READ_FIRST, \
    .is_in_turn = true, .taker = &package_taker, .headers = receive_headers, .status = 202,    \
    .reply_doc = "The package is stored, now or by an earlier copy of it.",                    \
    .reply = &erp_acceptance_record, .link_path = ERP_PATH "/events/{*event_id}",              \
    .link_id = "/event_id", .tells_limits = true, .errors = {ERR_KEY_NOT_EVENT_ID},            \
    .handle = handle_receive

static const struct route rows[] = {
    {
        .path = ERP_PATH "/catalog-snapshot",
        .operation_id = "sendErpSnapshot",
        .summary = "Send the complete catalog",
        .description = "Categories and products that are not in it are archived, those that are "
                       "back come back with their stock. " TAKING_DOC,
        .scope = "erp.catalog.write",
        .body = &erp_snapshot_record,
        .body_example = EXAMPLE_SNAPSHOT,
        TAKES_PACKAGES,
    },
    {
        .path = ERP_PATH "/changes",
        .operation_id = "sendErpChanges",
        .summary = "Send changed prices and stock",
        .description = "Final states, not movements, of variants that an earlier snapshot brought: "
                       "at least one row. " TAKING_DOC,
        .scope = "erp.changes.write",
        .body = &erp_changes_record,
        .body_example = EXAMPLE_CHANGES,
        TAKES_PACKAGES,
    },
    {
        .method = "GET",
        .path = ERP_PATH "/events/{*event_id}",
        .operation_id = "getErpEvent",
        .tag = "ERP exchange",
        .summary = "Read what became of a package",
        .description = "The status of a package that this ERP sent, by the event_id that it gave "
                       "it.",
        .auth = AUTH_BEARER,
        .scope = "erp.events.read",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The package as it stands now.",
        .reply = &erp_package_record,
        .handle = handle_read_package,
    },
    {
        .method = "GET",
        .path = "/internal/v1/packages",
        .operation_id = "listPackages",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "List the packages of all integrations",
        .description = "A page of packages, newest first: of all integrations, or of one.",
        .query = &all_query,
        .reply_doc = "The packages.",
        .reply = &erp_all_packages_record,
        .handle = handle_list_all_packages,
    },
    {
        .method = "GET",
        .path = OPERATOR_PATH,
        .operation_id = "listErpEvents",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "List the packages of an integration",
        .description = "A page of packages, newest first.",
        .query = &list_query,
        .reply_doc = "The packages.",
        .reply = &erp_package_list_record,
        .handle = handle_list_packages,
    },
    {
        .method = "GET",
        .path = OPERATOR_PATH "/{*event_id}",
        .operation_id = "getErpEventDetails",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "Read a package's status as an operator",
        .description = "What its ERP may read, and when it is tried next.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The package as it stands now.",
        .reply = &erp_package_admin_record,
        .handle = handle_show_package,
    },
    {
        .method = "GET",
        .path = OPERATOR_PATH "/{*event_id}/body",
        .operation_id = "getErpEventBody",
        .role = ROLE_OPERATOR,
        .action = "package.read_body",
        .tag = "ERP exchange",
        .summary = "Read a package as it was sent",
        .description = "Byte for byte, up to 25 MiB. Bodies of applied packages are kept for "
                       "HERALD_ERP_BODY_DAYS, and the oldest of them go sooner where there are "
                       "more than HERALD_ERP_BODIES_MIB; afterwards it is 409. All others are kept "
                       "as long as they are not applied.",
        .access = ACCESS_WRITE,
        .reply_doc = "The body.",
        .errors = {ERR_PACKAGE_BODY_GONE},
        .handle = handle_read_body,
    },
    {
        .method = "GET",
        .path = "/internal/v1/integrations/{id}/refusals",
        .operation_id = "listRefusals",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "List the packages of an integration that were refused",
        .description = "The newest 100 answers of 4xx to packages whose token was good for the "
                       "integration, newest first. Nothing else is stored of such a package.",
        .query = &page_by_id_query,
        .reply_doc = "The refusals.",
        .reply = &erp_refused_list_record,
        .handle = handle_list_refusals,
    },
    {
        .method = "POST",
        .path = OPERATOR_PATH "/{*event_id}/retry",
        .operation_id = "retryErpEvent",
        .role = ROLE_SUPPORT,
        .action = "package.retry",
        .tag = "ERP exchange",
        .summary = "Have a package tried again",
        .description = "A failed one is accepted again, with 24 hours of retries before it; one in "
                       "retry is tried now. Others stay as they are. May be repeated.",
        .reply_doc = "Done.",
        .handle = handle_retry_package,
    },
    {
        .method = "POST",
        .path = OPERATOR_PATH "/{*event_id}/release",
        .operation_id = "releaseErpEvent",
        .role = ROLE_SUPPORT,
        .action = "package.release",
        .tag = "ERP exchange",
        .summary = "Let a snapshot pass the safety brake",
        .description = "Has it tried again, as `retry` does, and applied however many products it "
                       "archives: for a snapshot that failed with `archive_limit` "
                       "(HERALD_ERP_MAX_ARCHIVE_SHARE). May be repeated.",
        .reply_doc = "Done.",
        .handle = handle_release_package,
    },
};

const struct route_table erp_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(rows)};
