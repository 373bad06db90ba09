/* Statements that ask what no room of its own asks. */
#pragma once

#include "domain/find/find.h"

/* Reads the event of that id; ERR_NOT_FOUND. */
enum err find_select_event(struct work *work, const struct uuid *id,
                           struct find_result *ret_result) MUST_CHECK;
/* Reads the packages of that event id, of whichever integrations, into `ret_results` (struct
 * find_result). */
enum err find_select_packages(struct work *work, const char *event_id,
                              struct record_list *ret_results) MUST_CHECK;
