/* Results are put side by side. */
#pragma once

#include "domain/find/find.h"

/* Adds a result; those above FIND_OF_KIND_MAX of its type, or FIND_RESULTS_MAX, are left out. */
void find_add(struct work *work, struct find_list *list, struct find_result result);
/* Returns a text among the fields of an entry of the log, by its JSON Pointer, or NULL. */
struct log_entry;
const char *find_text(struct work *work, const struct log_entry *entry, const char *pointer);
