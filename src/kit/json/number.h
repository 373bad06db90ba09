/* JSON numbers are taken by their mathematical value, never by way of a double. */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

/* Appends the one form that all spellings of a number share: "0", or sign, digits without zeros at
 * either end, "e" and the exponent: 1, 1.0 and 10e-1 become "1e0", -12.50 becomes "-125e-1".
 * `text` is a number as the reader gives it. The work is bounded by its length, whatever the
 * exponent; at most NUMBER_GROWTH bytes more than it are appended. */
void number_normalize(struct str text, struct buf *out);

enum { NUMBER_GROWTH = 24 };

/* Gives the value, if it is an integer within int64 (1e2 and 100.0 are 100). */
bool number_to_int64(struct str text, int64_t *ret_value);

/* Returns whether it is no integer, however large. */
bool number_has_fraction(struct str text);

/* Returns its front: at most `max` bytes, 2 or more, that are a number still. */
struct str number_cut(struct str text, size_t max);

/* Gives the value in units of a 10^places-th: 0.5 by 3 places is 500. What is finer is rounded
 * down, or up if `is_up`. False: it is negative, or beyond int64. */
bool number_to_units(struct str text, unsigned places, bool is_up, int64_t *ret_units);
