/*
 * The gate limits how many large bodies a process takes at once, since each costs memory and time
 * that all others wait for. No integration may take all the places, and none keeps others out
 * (contract, section 5 "Places for large bodies"): a body that finds no place free takes one from
 * an integration that holds more than its share, or from an upload that is too slow. So nobody
 * waits: there is a place at once, or 503 says to come again. Any thread.
 */
#pragma once

#include "core/route.h"
#include "domain/erp/erp.h"

enum {
    ERP_LARGE_BODIES_MAX = 8,    /* more are told to come again */
    ERP_LARGE_BODIES_OF_ONE = 4, /* the same for one integration */
    ERP_SLOW_AFTER_S = 10,       /* an upload is slow if its mean rate over so long was below */
    ERP_SLOW_RATE = 32 * 1024,   /* bytes a second */
};

/* The place of one body, in the memory of whoever takes it, from erp_gate_enter to erp_gate_leave.
 * The first two are given; the rest is the gate's. */
struct erp_place {
    struct uuid integration_id;
    struct body_ending ending; /* called, once, when the place is taken away */
    bool is_lost;              /* another has it now */
    bool is_kept;              /* the body is here: its place is not taken away any more */
    int64_t since_ms;          /* monotonic, as all times here */
    int64_t second;            /* the newest that is counted */
    uint32_t bytes[ERP_SLOW_AFTER_S + 1]; /* that came in each of the last seconds */
};

/* False: all places are taken, and none may be taken away for this one. */
bool erp_gate_enter(struct erp_gate *gate, struct erp_place *place, int64_t now_ms);
/* Counts bytes that have come. False: the place was taken away. */
bool erp_gate_note(struct erp_gate *gate, struct erp_place *place, size_t bytes, int64_t now_ms);
/* Says that no more bytes are wanted: from here on the place stays until it is left. False: it was
 * taken away before. */
bool erp_gate_keep(struct erp_gate *gate, struct erp_place *place);
void erp_gate_leave(struct erp_gate *gate, struct erp_place *place);
