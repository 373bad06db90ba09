/* The service says what it is: its name and links, its documents, and its settings (contract,
 * section 11). */
#include "app/api/api.h"
#include "app/api/routes.h"
#include "app/metrics/metrics.h"
#include "core/request.h"

/* --- Its name ----------------------------------------------------------------------------------
 */

struct links {
    const char *docs, *openapi, *live, *ready;
};

struct about {
    const char *service, *version;
    const struct links *links;
};

static const struct field link_fields[] = {
    FIELD(struct links, docs, FIELD_STRING, FIELD_REQUIRED, "All operations, to read.",
          .example = "/docs"),
    FIELD(struct links, openapi, FIELD_STRING, FIELD_REQUIRED, "The OpenAPI document.",
          .example = "/openapi.json"),
    FIELD(struct links, live, FIELD_STRING, FIELD_REQUIRED, "Is the process alive?",
          .example = "/health/live"),
    FIELD(struct links, ready, FIELD_STRING, FIELD_REQUIRED, "Can the service do its work?",
          .example = "/health/ready"),
};
static const struct record links_record = {
    .name = "ServiceLinks",
    .doc = "Where to read on.",
    .size = sizeof(struct links),
    RECORD_FIELDS(link_fields),
};

static const struct field about_fields[] = {
    FIELD(struct about, service, FIELD_STRING, FIELD_REQUIRED, "The name of the service.",
          .example = "herald"),
    FIELD(struct about, version, FIELD_STRING, FIELD_REQUIRED, "Its version.",
          .example = "" HERALD_VERSION ""),
    FIELD(struct about, links, FIELD_RECORD, FIELD_REQUIRED, "Where to read on.",
          .record = &links_record),
};
static const struct record about_record = {
    .name = "Service",
    .doc = "What answers here.",
    .size = sizeof(struct about),
    RECORD_FIELDS(about_fields),
};

static enum err answer_about(struct request *rq)
{
    static const struct links links = {"/docs", "/openapi.json", "/health/live", "/health/ready"};

    reply_record(rq, &(struct about){"herald", HERALD_VERSION, &links});
    return ERR_OK;
}

/* --- Its documents -----------------------------------------------------------------------------
 */

static enum err answer_openapi(struct request *rq)
{
    rq->document = buf_view(&rq->work.service->api->openapi);
    rq->status = rq->route->status;
    return ERR_OK;
}

static enum err answer_docs(struct request *rq)
{
    rq->document = buf_view(&rq->work.service->api->docs_page);
    rq->status = rq->route->status;
    return ERR_OK;
}

/* --- Its settings ------------------------------------------------------------------------------
 */

static const struct field setting_fields[] = {
    FIELD(struct shown_setting, name, FIELD_STRING, FIELD_REQUIRED, "The name.",
          .example = "HERALD_LISTEN"),
    FIELD(struct shown_setting, value, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The value; null for none, and for a secret. A URL is shown without its user, its "
          "password and the values of its query.",
          .example = "127.0.0.1:8080"),
    FIELD(struct shown_setting, secret, FIELD_BOOLEAN, FIELD_REQUIRED, "Its value is not shown."),
    FIELD(struct shown_setting, set, FIELD_BOOLEAN, FIELD_REQUIRED, "It has a value."),
    FIELD(struct shown_setting, source, FIELD_STRING, FIELD_REQUIRED, "Where the value is from.",
          .example = "the environment"),
    FIELD(struct shown_setting, meaning, FIELD_STRING, FIELD_REQUIRED, "What the setting does.",
          .example = "The address to listen at."),
};
static const struct record setting_record = {
    .name = "Setting",
    .doc = "A setting of the process that answers.",
    .size = sizeof(struct shown_setting),
    RECORD_FIELDS(setting_fields),
};

struct setting_list {
    struct record_list settings;
};
static const struct field setting_list_fields[] = {
    FIELD(struct setting_list, settings, FIELD_RECORDS, FIELD_REQUIRED,
          "All settings, in the order of `herald config`.", .record = &setting_record),
};
static const struct record setting_list_record = {
    .name = "SettingList",
    .doc = "The settings of the process that answers.",
    .size = sizeof(struct setting_list),
    RECORD_FIELDS(setting_list_fields),
};

static enum err answer_settings(struct request *rq)
{
    reply_record(rq, &(struct setting_list){rq->work.service->api->settings});
    return ERR_OK;
}

/* --- Its metrics -------------------------------------------------------------------------------
 */

static const struct field metrics_headers[] = {
    {.name = "Accept",
     .type = FIELD_STRING,
     .doc = "application/openmetrics-text asks for OpenMetrics 1.0.",
     .example = "text/plain"},
    {0},
};

static enum err answer_metrics(struct request *rq)
{
    enum exposition_format format = exposition_choose(rq->headers[0]);

    metrics_write(rq->work.service->api->metrics, format, &rq->reply);
    rq->reply_type = exposition_media_types[format];
    rq->status = rq->route->status;
    return ERR_OK;
}

/* --- Routes ------------------------------------------------------------------------------------
 */

#define FOR_ANYBODY \
    .method = "GET", .tag = "Log and health", .auth = AUTH_NONE, .access = ACCESS_NONE

static const struct route rows[] = {
    {
        .path = "/",
        .operation_id = "getService",
        .summary = "What answers here",
        .description = "The name of the service, its version, and where to read on.",
        .reply_doc = "The service.",
        .reply = &about_record,
        .handle = answer_about,
        FOR_ANYBODY,
    },
    {
        .path = "/docs",
        .operation_id = "getDocs",
        .summary = "All operations, to read",
        .description = "The OpenAPI document as a page for people.",
        .reply_doc = "The page.",
        .reply_type = "text/html; charset=utf-8",
        .handle = answer_docs,
        FOR_ANYBODY,
    },
    {
        .path = "/openapi.json",
        .operation_id = "getOpenApi",
        .summary = "This document",
        .description = "The OpenAPI 3.1 document of the service.",
        .reply_doc = "The document.",
        .handle = answer_openapi,
        FOR_ANYBODY,
    },
};
const struct route_table about_routes = {ROUTE_ROWS(rows)};

static const struct route operator_rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/settings",
        .operation_id = "listSettings",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "List the settings",
        .description = "Every setting of the process that answers, with its source. Secrets are "
                       "not shown.",
        .access = ACCESS_NONE,
        .reply_doc = "The settings.",
        .reply = &setting_list_record,
        .handle = answer_settings,
    },
    {
        .method = "GET",
        .path = "/internal/v1/metrics",
        .operation_id = "getMetrics",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "Read the metrics",
        .description = "What this process has counted since its start, and how all stands, for "
                       "Prometheus: its text format 0.0.4, or OpenMetrics 1.0 for who prefers "
                       "that by the header Accept. HERALD_METRICS_LISTEN answers the same without "
                       "a key.",
        .access = ACCESS_NONE,
        .headers = metrics_headers,
        .reply_doc = "The metrics.",
        .reply_type = "text/plain",
        .handle = answer_metrics,
    },
};
const struct route_table settings_routes = {ROUTE_ROWS(operator_rows)};
