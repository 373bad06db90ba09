/*
 * The words of a phone, a provider or an ERP are kept with the record that they belong to, and
 * nowhere else (contract, section 2, rule 14). They may repeat what is personal, so they are
 * sealed. Beside them stands herald's own word for what failed, which the log, events and webhooks
 * tell.
 */
#pragma once

#include "core/sealed.h"
#include "kit/json/said_text.h"

/* Seals words for a row; empty: there are none. */
enum err said_seal(struct work *work, enum sealed_column column, struct str row, const char *words,
                   struct str *ret_sealed) MUST_CHECK;
/* Returns the words, in the arena; `error`, herald's own word, where there are none, they cannot be
 * opened, or an event is made. */
const char *said_show(const struct work *work, enum sealed_column column, struct str row,
                      struct str sealed, const char *error);
