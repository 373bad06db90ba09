/*
 * A circuit breaker keeps herald from fetching again and again from a server that does not serve.
 * Each server has one:
 *
 *   closed     fetches go
 *   open       after CIRCUIT_FAILURES in a row no fetch goes for CIRCUIT_OPEN_MS. Then a probe asks
 *              the server, or one fetch does where there is no probe
 *   half-open  the probe went well: one fetch goes at a time, until one succeeds; a failure opens
 * it
 *
 * It is two numbers that only its owner changes, so it needs no lock and can be stored. The owner
 * decides what is a failure, which clock it goes by (always the same one), and how other processes
 * learn of it: by the two numbers, or by the time until which no fetch goes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    CIRCUIT_FAILURES = 5,        /* so many in a row open it */
    CIRCUIT_OPEN_MS = 30 * 1000, /* also the time between two probes */
};

/* A zeroed circuit is closed. */
struct circuit {
    int64_t failures; /* in a row */
    int64_t
        probe_at; /* the time of the next probe while it is open; 0: it is closed or half-open */
};

enum circuit_change {
    CIRCUIT_SAME,
    CIRCUIT_FAILING,   /* the first failure after a success */
    CIRCUIT_OPENED,    /* also a half-open one, or one whose probe failed */
    CIRCUIT_RECOVERED, /* the first success after failures that did not open it */
    CIRCUIT_CLOSED,    /* it was open or half-open */
};

bool circuit_is_open(const struct circuit *circuit);
bool circuit_is_half_open(const struct circuit *circuit);
/* Returns how long no fetch and no probe may go; 0 if the circuit is not open, or its probe is due.
 */
int64_t circuit_wait_ms(const struct circuit *circuit, int64_t now_ms);
/* Tells whether it is open and its server may be asked whether it serves. */
bool circuit_is_probe_due(const struct circuit *circuit, int64_t now_ms);

/* Begins a probe; the next one is CIRCUIT_OPEN_MS later, whatever becomes of this one. */
void circuit_begin_probe(struct circuit *circuit, int64_t now_ms);
/* Ends a probe that went well: the circuit is half-open, or closed if a fetch has succeeded since
 * it opened. */
void circuit_pass_probe(struct circuit *circuit);

/* Counts a fetch that failed as `weight` failures. While the circuit is open and no probe is due,
 * the fetch began before, and changes nothing. */
enum circuit_change circuit_count_failure(struct circuit *circuit, int weight, int64_t now_ms);
/* Counts a fetch that succeeded, or a probe that proves as much: the circuit is closed. */
enum circuit_change circuit_count_success(struct circuit *circuit);
