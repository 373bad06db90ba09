/*
 * Counts are kept in tables: a row for each minute, and one for each hour, in which a series has
 * grown; of tallies (kit/base/tally.h) one for each hour. A row belongs to the process that
 * counted, and holds what it counted in that time. It is written to that value, not added to; so a
 * write whose outcome is not known is simply made again, and nothing is counted twice. Of a process
 * that dies, the last minute is missing.
 */
#pragma once

#include "core/service.h"
#include "kit/base/metric.h"

struct history;

/* Keeps these metrics, which stay as they are. */
struct history *history_new(struct service *service, const struct metric *const *metrics,
                            size_t count, int64_t now_ms);
void history_free(struct history *history);
/* Writes the minute that is over, if one is. It blocks; for one thread. */
void history_tick(struct history *history, int64_t now_ms);
/* Writes what is left. */
void history_end(struct history *history, int64_t now_ms);
