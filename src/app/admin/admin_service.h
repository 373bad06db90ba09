/* `herald admin` asks the running service. */
#pragma once

#include "app/admin/admin_command.h"

struct fetch_client;
struct progress;

struct admin_service {
    struct fetch_client *client;
    size_t answer_max;         /* of the client */
    struct progress *progress; /* NULL: nobody looks */
    const char *url;           /* without a slash at its end */
    const char *pin;        /* of the certificate that is trusted (kit/fetch); NULL: the system's */
    const char *key;        /* INTERNAL_API_KEY, or an API key */
    const char *key_source; /* "the file var/internal-api-key" */
    const char *idempotency_key; /* of what the command creates; NULL: it creates nothing */
};

/* The answer to one request. */
struct admin_answer {
    int status;             /* 0: no answer */
    const char *error;      /* without an answer, the failure */
    bool was_sent;          /* without an answer, it may have been done all the same */
    int64_t retry_after_ms; /* -1: none */
    struct str body;        /* in the arena */
};

/* Sends a request and waits, 30 s at most. `target` is a path with its query. */
void admin_fetch(const struct admin_service *service, const char *method, const char *target,
                 struct str body, struct arena *arena, struct admin_answer *ret_answer);

static inline bool admin_is_done(const struct admin_answer *answer)
{
    return answer->status >= 200 && answer->status < 300;
}

/* Reads what is at `target` by GET: an answer of `record`, whose texts are in the arena. Returns
 * false, and `why` in sentences, if there is none. */
bool admin_read(const struct admin_input *input, const struct admin_service *service,
                const char *target, const struct record *record, struct arena *arena,
                void *ret_value, struct buf *why) MUST_CHECK;

/* Explains in sentences why it was not done, and what to do. */
void admin_explain(const struct admin_input *input, const struct admin_service *service,
                   const struct admin_answer *answer, struct arena *arena, struct buf *why);
