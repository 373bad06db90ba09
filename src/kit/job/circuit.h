/*
 * A circuit breaker: what keeps herald from fetching again and again from a server that does not
 * serve. One for each server that is called:
 *
 *   closed     fetches go
 *   open       after CIRCUIT_FAILURES in a row: none goes for CIRCUIT_OPEN_MS. Then the server is
 *              asked by a probe, or by one fetch where it has no way to be asked
 *   half-open  the probe went well: one fetch at a time, until one succeeds; a failure opens it
 *
 * Two numbers that only its owner changes, so it needs no lock of its own and can be stored. Who
 * owns it decides what is a failure, which clock it goes by (always the same one), and how other
 * processes come to know of it: by the two numbers, or by the time until which nobody fetches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    CIRCUIT_FAILURES = 5,        /* in a row open it */
    CIRCUIT_OPEN_MS = 30 * 1000, /* and between two probes */
};

/* Closed when it is zeroed. */
struct circuit {
    int64_t failures; /* in a row */
    int64_t probe_at; /* open: when its server is asked again; 0: it is closed or half-open */
};

enum circuit_change {
    CIRCUIT_SAME,
    CIRCUIT_FAILING,   /* the first failure after a success */
    CIRCUIT_OPENED,    /* also one that was half-open, or whose probe failed */
    CIRCUIT_RECOVERED, /* the first success after failures that did not open it */
    CIRCUIT_CLOSED,    /* one that was open or half-open */
};

bool circuit_is_open(const struct circuit *circuit);
bool circuit_is_half_open(const struct circuit *circuit);
/* How long nobody may fetch or probe; 0: the circuit is not open, or its probe is due. It is due
 * also if its time is further ahead than it can be: a clock was set back. */
int64_t circuit_wait_ms(const struct circuit *circuit, int64_t now_ms);
/* It is open, and its server may be asked whether it serves. */
bool circuit_is_probe_due(const struct circuit *circuit, int64_t now_ms);

/* The probe leaves: the next one is CIRCUIT_OPEN_MS later, whatever becomes of this one. */
void circuit_begin_probe(struct circuit *circuit, int64_t now_ms);
/* It was answered well: half-open, or closed where a fetch has succeeded since it opened. */
void circuit_pass_probe(struct circuit *circuit);

/* A fetch failed that counts as `weight` failures. While the circuit is open and no probe is due,
 * this was one that began before, and changes nothing. */
enum circuit_change circuit_count_failure(struct circuit *circuit, int weight, int64_t now_ms);
/* A fetch, or a probe that proves as much, succeeded: closed, whatever it was. */
enum circuit_change circuit_count_success(struct circuit *circuit);
