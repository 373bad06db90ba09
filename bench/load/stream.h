/* A reader of herald's log stream on a thread of its own, which notes when it first sees each
 * entry of this run. */
#pragma once

#include "bench.h"

struct stream;

/* Returns once herald has begun the stream; NULL after a sentence on stderr. It notes the entries
 * of recipients 0 to `entries` - 1, which carry "bench-RUN-N" as their request id. */
struct stream *stream_open(const struct bench *bench, size_t entries);
/* Gives what is still on its way up to `wait_ms`, then ends the thread. `ret_seen_us[n]` is the
 * moment of entry n on the monotonic clock, 0 if it never came. */
void stream_close(struct stream *stream, int64_t wait_ms, int64_t *ret_seen_us);
