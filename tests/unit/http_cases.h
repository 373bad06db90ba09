/* Heads of requests as bytes, and what each is answered: http_cases.def. */
#pragma once

#include "kit/base/str.h"

struct http_case {
    int status; /* 200: taken; 0: more bytes are awaited; else that of the refusal */
    struct str bytes;
    const char *rule;
};

static const struct http_case http_cases[] = {
#define CASE(status, bytes, rule) {status, {bytes, sizeof(bytes) - 1}, rule},
#include "http_cases.def"
#undef CASE
};

enum { HTTP_CASE_COUNT = sizeof(http_cases) / sizeof(http_cases[0]) };
