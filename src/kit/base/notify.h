/*
 * The supervisor that started the process, such as systemd with Type=notify, is told how it is, by
 * the protocol of sd_notify(3): datagrams of lines to the socket that NOTIFY_SOCKET names. systemd
 * promises to keep the protocol, and its manual recommends to speak it without libsystemd, which
 * would bring its own libraries (compression, libcap) into a process that holds keys.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Tells whether there is a supervisor that listens. */
bool notify_is_wanted(void);
/* Sends `state`, lines such as "READY=1\nSTATUS=listens". Returns false if nobody listens, or it
 * could not be sent, which nobody can be told. It waits a second at most. */
bool notify_send(const char *state);
/* Returns the time within which the supervisor wants to hear WATCHDOG=1 again; 0: it does not. */
int64_t notify_watchdog_ms(void);
