/*
 * An ERP's own words are kept short, on one line, and without what the order says of a person (doc
 * B, section 5, rule 8), which an ERP may well repeat in an error.
 */
#pragma once

#include "domain/order/order.h"

/* Returns at most `max` characters of `text`, valid UTF-8, with a space for each control character
 * and line separator, in the arena. */
const char *order_clean(struct str text, size_t max, struct arena *arena);

/* Returns an explanation in the same form, up to ORDER_REASON_MAX characters and whole words. It
 * masks each word that holds one of the customer's name, the address or the comment, whatever has
 * some digits of the phone in a row, in any grouping, and `token`, or 8 of its letters and digits
 * in a row. Letters are compared as they are read: in whatever case, width and style, without
 * marks, and those of other scripts as the Latin ones that they look like. What stands between them
 * does not count, be it seen or not. Nothing is kept of a text in which other characters may stand
 * for a letter, such as "\u0410" or "%D0%90". NULL: there is nothing in it. */
const char *order_redact(const struct order *order, struct str token, struct str text,
                         struct arena *arena);
