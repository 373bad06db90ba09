/* SIGTERM and SIGINT as a descriptor that becomes readable, so that no handler interrupts anything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* To be called before any thread starts, so that all have the signals blocked. Below 0: the system
 * does not give what it takes. */
int stop_open(void);
/* Waits so long, below 0 without end; true as soon as the program is to stop. */
bool stop_wait(int stop_fd, int64_t wait_ms);
