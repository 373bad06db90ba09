/* The pure rules of deliveries (contract, section 13.3): secrets, signatures, when the next attempt
 * is due. */
#pragma once

#include "domain/webhook/webhook.h"

enum { WEBHOOK_SIGNATURES_LEN = 2 * (3 + 44) + 1 };
#define WEBHOOK_SECRET_PREFIX "whsec_"

/* Returns a new secret, "whsec_" and base64 of 32 random bytes, in the arena. */
const char *webhook_new_secret(struct arena *arena);
/* Returns "v1,SIGNATURE" of the text `id.timestamp.body` under the secret, in the arena. NULL: it
 * is no secret of ours. */
const char *webhook_sign(const char *secret, const char *id, int64_t timestamp_s, struct str body,
                         struct arena *arena);

/* The meaning of what came of an attempt. */
enum webhook_outcome {
    WEBHOOK_OK,     /* 2xx */
    WEBHOOK_RETRY,  /* anything else, or no answer */
    WEBHOOK_GONE,   /* 410: the endpoint wants no more */
    WEBHOOK_UNSENT, /* herald ended it: no attempt */
};
struct fetch;
enum webhook_outcome webhook_read_outcome(const struct fetch *fetch);
/* Tells how long to wait behind the attempt with this number; `random` is from 0 to 999. -1: it was
 * the last one. `told_ms` is what Retry-After says, or -1. */
int64_t webhook_wait_ms(int64_t attempt, int64_t told_ms, uint32_t random);
/* Returns the safe beginning of an answer, in the arena. */
const char *webhook_show_answer(struct str body, struct arena *arena);
