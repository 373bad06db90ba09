/*
 * Figures are what was kept of the counters, for whoever would rather look than read (contract,
 * section 18.6). The worker adds how the SIMs and the orders stand, since no counter tells that: of
 * each SIM a row for ten minutes, whose bits say how it stood in each of them.
 */
#pragma once

#include "core/service.h"
#include "core/work.h"

enum {
    FIGURES_HOURS_MAX = 7 * 24,
    FIGURES_DAYS_MAX = 31, /* of one question for the funnel */
    FIGURES_ROWS_MAX = 200,
    FIGURES_SIMS_MAX = 1000,
    FIGURES_CELL_MINUTES = 10,
    FIGURES_CELLS = 24 * 6,
};

/* --- The last hours --------------------------------------------------------------------------- */

struct figures_query {
    int64_t hours;
};
struct figures_hour {
    int64_t at; /* its beginning */
    int64_t created, sent, delivered, confirmed;
    /* They say how all stood at its end; -1: not known. */
    int64_t sims_ready, channels_serving, point_troubles, orders_waiting;
};
struct figures {
    struct record_list hours; /* struct figures_hour, the oldest first */
};
extern const struct record figures_query_record;
extern const struct record figures_record;

/* --- The funnel ------------------------------------------------------------------------------- */

enum funnel_by { FUNNEL_BY_CHANNEL, FUNNEL_BY_NUMBER, FUNNEL_BY_PREFIX, FUNNEL_BY_HOUR };
extern const char *const figures_funnel_by_words[];
struct funnel_query {
    int by;
    int64_t since, until; /* 0: a day back; now */
};
struct funnel_row {
    const char *key;
    int64_t created, sent, delivered, confirmed;
};
struct funnel {
    int64_t since, until; /* of the whole hours that were counted */
    struct record_list rows;
};
extern const struct record funnel_query_record;
extern const struct record funnel_record;

/* --- The SIMs --------------------------------------------------------------------------------- */

struct sim_figures_query {
    const char *number; /* in any spelling; NULL: all */
};
struct sim_figures {
    const char *number;
    const char *cells;   /* a letter for each ten minutes */
    const char *minutes; /* a letter for each minute; NULL: only where one SIM is asked for */
};
struct sim_figures_list {
    int64_t since; /* when the first cell begins */
    struct record_list sims;
};
extern const struct record sim_figures_query_record;
extern const struct record sim_figures_list_record;

extern const struct route_table figures_routes;

/* Keeps how the SIMs and the orders stand. It waits for both stores; for the worker, each 30 s. */
enum err figures_keep(struct service *service, int64_t now_ms, bool *ret_goes_on) MUST_CHECK;
