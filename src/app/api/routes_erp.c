/* Packages of ERPs: what ERPs send and ask, and what operators do (doc B, section 4 "ERP to
 * service"; contract, section 5). */
#include "app/api/routes.h"
#include "domain/erp/erp.h"
#include "domain/erp/erp_http.h"

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
    .is_in_turn = true, .taker = &erp_package_taker, .headers = erp_receive_headers,           \
    .status = 202, .reply_doc = "The package is stored, now or by an earlier copy of it.",     \
    .reply = &erp_acceptance_record, .link_path = ERP_PATH "/events/{*event_id}",              \
    .link_id = "/event_id", .tells_limits = true, .errors = {ERR_KEY_NOT_EVENT_ID},            \
    .handle = erp_http_receive

static const struct route rows[] = {
    /* --- ERPs --- */
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
        .handle = erp_http_read_package,
    },

    /* --- Operators --- */
    {
        .method = "GET",
        .path = "/internal/v1/packages",
        .operation_id = "listPackages",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "List the packages of all integrations",
        .description = "A page of packages, newest first: of all integrations, or of one.",
        .query = &erp_all_packages_query,
        .reply_doc = "The packages.",
        .reply = &erp_all_packages_record,
        .handle = erp_http_list_all_packages,
    },
    {
        .method = "GET",
        .path = OPERATOR_PATH,
        .operation_id = "listErpEvents",
        .role = ROLE_VIEWER,
        .tag = "ERP exchange",
        .summary = "List the packages of an integration",
        .description = "A page of packages, newest first.",
        .query = &erp_package_list_query,
        .reply_doc = "The packages.",
        .reply = &erp_package_list_record,
        .handle = erp_http_list_packages,
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
        .handle = erp_http_show_package,
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
        .handle = erp_http_read_body,
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
        .handle = erp_http_list_refusals,
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
        .handle = erp_http_retry_package,
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
        .handle = erp_http_release_package,
    },
};

const struct route_table routes_erp = {
    .store = STORE_EXCHANGE,
    ROUTE_ROWS(rows),
};
