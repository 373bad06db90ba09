/* Statements of alerts: on their own rows, and on those of other rooms, which they only read. */
#pragma once

#include "domain/alert/alert.h"

/* Reads the alerts of a way (struct alert), all there are. */
enum err alert_select(struct work *work, enum alert_way way,
                      struct record_list *ret_alerts) MUST_CHECK;
/* Stores one, as new or as it is now. */
enum err alert_put(struct work *work, enum alert_way way, const struct alert *alert) MUST_CHECK;
enum err alert_delete(struct work *work, enum alert_way way, const struct alert *alert) MUST_CHECK;
/* Counts the SMS to `number` that were made since then. */
enum err alert_count_sms(struct work *work, const char *number, int64_t since_at,
                         int64_t *ret_count) MUST_CHECK;

/* Adds what is wrong in one store (struct trouble), of each kind TROUBLES_MAX at most. */
enum err trouble_select(struct work *work, enum route_store store,
                        struct trouble_list *troubles) MUST_CHECK;
