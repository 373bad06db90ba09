/*
 * A command that takes longer than a second shows on stderr what it is at, in one line that goes
 * again at the end, so that nobody takes it for one that hangs. Where stderr is no terminal,
 * nothing is shown.
 */
#pragma once

#include <stdint.h>

struct progress;

/* Begins with what is being done, "asks the ERPs"; texts live until progress_end. Returns NULL
 * where nothing is to be shown; all functions take that. */
struct progress *progress_begin(const char *doing);
/* Goes on with something else. The second that it may take in silence does not begin anew. */
void progress_say(struct progress *progress, const char *doing);
/* Says how many bytes have come so far. */
void progress_count(struct progress *progress, int64_t bytes);
/* Clears the line. */
void progress_end(struct progress *progress);
