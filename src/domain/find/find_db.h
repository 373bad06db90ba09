/* Statements that ask what no room of its own asks. */
#pragma once

#include "domain/find/find.h"

/* Adds what a key alone finds in the store of this work, and the role may see. */
enum err find_by_key(struct work *work, const char *q, struct find_list *list) MUST_CHECK;
/* Reads the ids of the codes, challenges and messages that a task of a phone, a report of a call or
 * a provider's send belongs to (struct uuid). */
enum err find_owners(struct work *work, const char *q, struct record_list *ret_ids) MUST_CHECK;
