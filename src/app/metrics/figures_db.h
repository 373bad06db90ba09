/* The statements that read what was kept, and those on the cells of SIMs, have one function each.
 */
#pragma once

#include "core/work.h"
#include "kit/json/record.h"

/* A SIM stood like this in a minute; of these bits of its cell the last that is set counts. */
enum figures_standing { FIGURES_READY, FIGURES_SILENT, FIGURES_DISABLED, FIGURES_STANDINGS };
#define FIGURES_SIM_LABEL        "number="
#define FIGURES_SIMS_READY       "figure_sims_ready"
#define FIGURES_CHANNELS_SERVING "figure_channels_serving"
#define FIGURES_POINT_TROUBLES   "figure_point_troubles"
#define FIGURES_ORDERS_WAITING   "figure_orders_waiting"

/* Such a value was kept of an hour, or of a cell of ten minutes. */
struct kept_value {
    int64_t at;
    const char *labels;
    int64_t value;
};

/* Starts to read the hours of what is called `name`, from `since` on and before `until`, at most
 * `max` and the oldest first. */
enum err kept_hour_select(struct work *work, const char *name, int64_t since, int64_t until,
                          int max, struct db_stmt **ret_stmt) MUST_CHECK;
/* Starts to read the sums of these rows by their labels; `at` is 0. */
enum err kept_sum_select(struct work *work, const char *name, int64_t since, int64_t until, int max,
                         struct db_stmt **ret_stmt) MUST_CHECK;
/* Starts to read the cells of a SIM (labels NULL: of all) from `since` on, those of each in order.
 */
enum err kept_cell_select(struct work *work, const char *labels, int64_t since, int max,
                          struct db_stmt **ret_stmt) MUST_CHECK;
/* Reads the next one; ERR_NOT_FOUND: there is none. The arena keeps its labels. */
enum err kept_step(struct work *work, struct db_stmt *stmt,
                   struct kept_value *ret_value) MUST_CHECK;

/* Sets the bits of these cells beside those that are set. */
enum err kept_cell_add(struct work *work, const struct kept_value *cells, size_t count) MUST_CHECK;
/* Keeps what stands at the end of an hour so far. */
enum err kept_hour_set(struct work *work, const char *name, int64_t at, int64_t value) MUST_CHECK;
