/* These functions print what --help says; its pages have 79 columns. */
#pragma once

#include "control.h"

/* A text whose lines are paragraphs, each in lines of a page's width; one that begins with spaces
 * goes on behind four more. */
void print_text(const char *text);
/* A text in lines of a page's width, each after `indent` spaces; the first stands where the cursor
 * is. */
void print_wrapped(const char *text, int indent);
/* Prints what is explained in `width` columns, and its explanation beside it. */
void print_row(const char *left, int width, const char *text);
/* The routes of a control API; `tables` ends with NULL. */
void print_routes(const struct route *const *tables);
