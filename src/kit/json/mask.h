/*
 * A text that is stored or shown as JSON may hold words of people and others, in which runs of
 * digits are hidden from some roles (contract, section 10.2).
 */
#pragma once

#include "kit/base/mask.h"
#include "kit/json/record.h"

/* Returns what masks the value of a field, or NULL: it may be seen. */
mask_fn json_mask_of(const struct field *field, struct json_masks masks);
/* Writes a JSON text, with `mask` for all its strings and numbers, and for the names of its
 * members. A masked number becomes a string. With mask_words it is MASK_GROWTH times as long at
 * most. Returns false if it is no JSON that the reader takes, or does not fit: what was written is
 * to be thrown away. */
bool json_mask(struct str json, mask_fn mask, struct buf *out) MUST_CHECK;
/* Writes the JSON of a `record` (record_encode) as if `masks` had been given to its writer; else
 * it is as json_mask. */
bool json_mask_record(struct str json, const struct record *record, struct json_masks masks,
                      struct buf *out) MUST_CHECK;
