/*
 * What is kept of an ERP's own words: short, on one line, and without what the order says of a
 * person (doc B, section 5, rule 8), which an ERP may well repeat in an error.
 */
#pragma once

#include "domain/order/order.h"

/* `text`, valid UTF-8, with a space for each control character and line separator, and at most
 * `max` characters of it. In the arena. */
const char *order_clean(struct str text, size_t max, struct arena *arena);

/* The same of an explanation, up to ORDER_REASON_MAX characters and whole words. Masked is each
 * word that holds one of the customer's name, the address or the comment, in whatever case, in full
 * width, or spaced out; what has some digits of the phone in a row, of any script and in whatever
 * grouping; and the token `token`. Nothing is kept of a text in which other characters may stand
 * for a letter, such as "\u0410" or "%D0%90". NULL: there is nothing in it. */
const char *order_redact(const struct order *order, struct str token, struct str text,
                         struct arena *arena);
