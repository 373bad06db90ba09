/* Doc A, section 4 "Log stream and health"; contract, section 2, rule 13. */
#include "app/api/health.h"

#include "app/api/pulse.h"

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

const struct record health_record = {
    .name = "Health",
    .doc = "How the service is.",
    .size = sizeof(struct health),
    RECORD_FIELDS(health_fields),
};

enum err health_http_live(struct request *rq)
{
    reply_record(rq, &(struct health){.status = "ok", .version = HERALD_VERSION, .ok = true});
    return ERR_OK;
}

enum err health_http_ready(struct request *rq)
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

enum err health_http_openapi(struct request *rq)
{
    rq->document = buf_view(&rq->work.service->api->openapi);
    rq->status = rq->route->status;
    return ERR_OK;
}
