/*
 * The console's own files (contract, section 18.1) are part of the program: a table that
 * tools/embed_console makes of the folder console/ and of what it stands on. The page itself is
 * asked for anew each time; all else has a name that changes with its content, and stays in the
 * browser.
 */
#pragma once

#include "kit/base/str.h"

#include <stddef.h>

struct api;
struct http_request;

struct console_file {
    const char *path; /* below CONSOLE_PATH; "" is the page */
    const char *type;
    const char *tag; /* ETag, with its quotes */
    struct str bytes;
    struct str gzip; /* the same, compressed; no data: it would not be smaller */
};

extern const struct console_file console_files[];
extern const size_t console_file_count; /* 0: this herald has no console */

/* Answers a file, or begins what the page asks of the API. Nothing else is answered. */
void console_take_head(struct api *api, struct http_request *x);
