/*
 * A function that can fail returns an enum err. The rows come from errors.def, which the program
 * that uses the kit supplies on its include path; the kit itself needs OK, NOT_FOUND, VALIDATION,
 * UNIQUE, TX_RETRY, STORAGE_UNAVAILABLE, OVERLOADED, IDEMPOTENCY_CONFLICT, INTERNAL and the HTTP
 * rows.
 */
#pragma once

#include <assert.h>

enum err {
#define ERR(name, status, code, sentence)                 ERR_##name,
#define ERR_BECAUSE(name, status, code, reason, sentence) ERR_##name,
#include "errors.def"
#undef ERR
#undef ERR_BECAUSE
    ERR_COUNT
};

static_assert(ERR_OK == 0, "so that `if (err)` reads as `if it failed`");

#define MUST_CHECK __attribute__((warn_unused_result))

struct err_info {
    const char *name;     /* "VALIDATION" */
    int http_status;      /* 422 */
    const char *code;     /* "validation_error": for programs, never renamed */
    const char *reason;   /* for programs too, where one code has several causes; else NULL */
    const char *sentence; /* for people */
};

/* Returns the row of `err`, never NULL. */
const struct err_info *err_info(enum err err);
