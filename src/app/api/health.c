/* Health tells how the process is (doc A, section 4 "Log stream and health"; contract, section 2,
 * rule 13). */
#include "app/api/api.h"
#include "app/api/pulse.h"
#include "app/api/routes.h"
#include "core/request.h"

struct health {
    const char *status;
    const char *version;
    bool ok;
    const char *error;
};

static const struct field health_fields[] = {
    FIELD(struct health, status, FIELD_STRING, FIELD_REQUIRED, "In a word: ok or unavailable.",
          .example = "ok"),
    FIELD(struct health, version, FIELD_STRING, FIELD_REQUIRED, "The version of the service.",
          .example = "" HERALD_VERSION ""),
    FIELD(struct health, ok, FIELD_BOOLEAN, FIELD_REQUIRED, "True if all is well."),
    FIELD(struct health, error, FIELD_STRING, FIELD_OMIT_NULL,
          "What is wrong; only there if something is.", .example = "The database does not answer."),
};

static const struct record health_record = {
    .name = "Health",
    .doc = "How the service is.",
    .size = sizeof(struct health),
    RECORD_FIELDS(health_fields),
};

static enum err answer_live(struct request *rq)
{
    reply_record(rq, &(struct health){.status = "ok", .version = HERALD_VERSION, .ok = true});
    return ERR_OK;
}

static enum err answer_ready(struct request *rq)
{
    const char *trouble = pulse_trouble(rq->work.service->api->pulse);
    struct health health = {
        .status = trouble ? "unavailable" : "ok",
        .version = HERALD_VERSION,
        .ok = !trouble,
        .error = trouble,
    };
    reply_record(rq, &health);
    if (trouble) rq->status = 503; /* the same record, as the contract wants it */
    return ERR_OK;
}

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/health/live",
        .operation_id = "getLiveness",
        .tag = "Log and health",
        .summary = "Is the process alive?",
        .description = "Says nothing about the database.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "It is alive.",
        .reply = &health_record,
        .handle = answer_live,
    },
    {
        .method = "GET",
        .path = "/health/ready",
        .operation_id = "getReadiness",
        .tag = "Log and health",
        .summary = "Can the service do its work?",
        .description = "The database answers within a second and a worker was alive within the "
                       "last 30 seconds. Otherwise 503 with the same record, ok false and error.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "It is ready.",
        .unavailable_doc = "Not ready: `error` says why.",
        .reply = &health_record,
        .handle = answer_ready,
    },
};

const struct route_table health_routes = {ROUTE_ROWS(rows)};
