/* `herald admin` asks the running service. */
#pragma once

#include "app/admin/admin_command.h"

struct fetch_client;

struct admin_service {
    struct fetch_client *client;
    const char *url;        /* without a slash at its end */
    const char *key;        /* INTERNAL_API_KEY */
    const char *key_source; /* "the file var/internal-api-key" */
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
void admin_call(const struct admin_service *service, const char *method, const char *target,
                struct str body, struct arena *arena, struct admin_answer *ret_answer);

static inline bool admin_is_done(const struct admin_answer *answer)
{
    return answer->status >= 200 && answer->status < 300;
}

/* Explains in sentences why it was not done, and what to do. */
void admin_explain(const struct admin_input *input, const struct admin_service *service,
                   const struct admin_answer *answer, struct arena *arena, struct buf *why);
