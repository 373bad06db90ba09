/* The handlers of operations on packages, and the taker of their bodies. */
#include "domain/erp/erp_http.h"

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

const struct body_taker erp_package_taker = {
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

const struct field erp_receive_headers[] = {
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

enum err erp_http_receive(struct request *rq)
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
    if (err) return err;
    reply_record(rq, &acceptance);
    return ERR_OK;
}

enum err erp_http_read_package(struct request *rq)
{
    struct erp_package package;
    enum err err =
        erp_read_package(&rq->work, rq->principal, &rq->path_ids[0], rq->path_texts[0], &package);
    if (err) return err;
    reply_record(rq, &package);
    return ERR_OK;
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

const struct record erp_package_list_query = {.size = sizeof(struct erp_package_filter),
                                              RECORD_FIELDS(list_fields)};

static const struct field all_fields[] = {
    FIELD(struct erp_package_filter, integration_id, FIELD_UUID, 0,
          "Only packages of this integration.", .example = "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"),
    STATUS_AND_TYPE_ROWS,
    PAGE_LIMIT_ROW(struct erp_package_filter),
    PAGE_CURSOR_ROW(struct erp_package_filter, .min = 1, .max = 80,
                    .example = "1795235580123.0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f.42"),
};

const struct record erp_all_packages_query = {.size = sizeof(struct erp_package_filter),
                                              RECORD_FIELDS(all_fields)};

enum err erp_http_list_all_packages(struct request *rq)
{
    struct erp_package_list list;
    enum err err = erp_list_all_packages(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err erp_http_list_packages(struct request *rq)
{
    struct erp_package_list list;
    enum err err = erp_list_packages(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}

enum err erp_http_show_package(struct request *rq)
{
    struct erp_package package;
    enum err err = erp_show_package(&rq->work, &rq->path_ids[0], rq->path_texts[0], &package);
    if (err) return err;
    reply_record(rq, &package);
    return ERR_OK;
}

enum err erp_http_read_body(struct request *rq)
{
    enum err err = erp_read_body(&rq->work, &rq->path_ids[0], rq->path_texts[0], &rq->reply);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err erp_http_retry_package(struct request *rq)
{
    enum err err = erp_retry_package(&rq->work, &rq->path_ids[0], rq->path_texts[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err erp_http_release_package(struct request *rq)
{
    enum err err = erp_release_package(&rq->work, &rq->path_ids[0], rq->path_texts[0]);
    if (err) return err;
    reply_empty(rq);
    return ERR_OK;
}

enum err erp_http_list_refusals(struct request *rq)
{
    struct erp_refused_list list;
    enum err err = erp_list_refusals(&rq->work, &rq->path_ids[0], rq->query, &list);
    return reply_page(rq, err, &list);
}
