/*
 * What is stored or shown as JSON may hold words of people and others, in which runs of digits are
 * hidden from some roles (contract, section 10.2).
 */
#pragma once

#include "kit/base/mask.h"
#include "kit/json/record.h"

/* Writes a JSON text, with `mask` for the strings and numbers in those members that hold words by
 * the fields of `record` (FIELD_WORDS), or in all of it where `record` is NULL. A masked number
 * becomes a string. */
void json_mask(struct str json, const struct record *record, mask_fn mask, struct buf *out);
