/* These records say how figures look on the wire (contract, section 18.6). */
#include "app/metrics/figures.h"
#include "core/phone.h"
#include "core/search.h"

#include <stddef.h>

/* --- The last hours --------------------------------------------------------------------------- */

static const struct field figures_query_fields[] = {
    FIELD(struct figures_query, hours, FIELD_INTEGER, FIELD_DEFAULT,
          "How many hours, this one included; 48 if it is left out.", .min = 1,
          .max = FIGURES_HOURS_MAX, .default_value = 48, .example = "48"),
};
const struct record figures_query_record = {
    .name = "FiguresQuery",
    .doc = "How far back.",
    .size = sizeof(struct figures_query),
    RECORD_FIELDS(figures_query_fields),
};

#define STEP_ROWS(owner)                                                                       \
    FIELD(owner, created, FIELD_INTEGER, FIELD_REQUIRED, "Codes that were created.",           \
          .example = "120"),                                                                   \
        FIELD(owner, sent, FIELD_INTEGER, FIELD_REQUIRED, "Sends that were reported as sent.", \
              .example = "118"),                                                               \
        FIELD(owner, delivered, FIELD_INTEGER, FIELD_REQUIRED,                                 \
              "Sends that were reported as delivered.", .example = "117"),                     \
        FIELD(owner, confirmed, FIELD_INTEGER, FIELD_REQUIRED, "Codes that were confirmed.",   \
              .example = "110")

static const struct field hour_fields[] = {
    FIELD(struct figures_hour, at, FIELD_TIME, FIELD_REQUIRED, "When the hour began."),
    STEP_ROWS(struct figures_hour),
    FIELD(struct figures_hour, sims_ready, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "SIMs that were ready at its end, or are now; null: nobody looked.", .example = "8"),
    FIELD(struct figures_hour, channels_serving, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "Channels that were configured and served then; null: nobody looked.", .example = "3"),
    FIELD(struct figures_hour, point_troubles, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "Packages that failed, ERPs that did not answer and catalogs older than 72 hours then, "
          "together; null: nobody looked.",
          .example = "0"),
    FIELD(struct figures_hour, orders_waiting, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "Orders that waited then, 1000 at most; null: nobody looked.", .example = "0"),
};
static const struct record hour_record = {
    .name = "FiguresHour",
    .doc = "What happened in an hour, and how all stood at its end.",
    .size = sizeof(struct figures_hour),
    RECORD_FIELDS(hour_fields),
};

static const struct field figures_fields[] = {
    FIELD(struct figures, hours, FIELD_RECORDS, FIELD_REQUIRED,
          "Each hour, also one in which nothing happened, the oldest first.",
          .record = &hour_record),
};
const struct record figures_record = {
    .name = "Figures",
    .doc = "The last hours.",
    .size = sizeof(struct figures),
    RECORD_FIELDS(figures_fields),
};

/* --- The funnel ------------------------------------------------------------------------------- */

const char *const figures_funnel_by_words[] = {"channel", "number", "prefix", "hour", NULL};

static const struct field funnel_query_fields[] = {
    FIELD(struct funnel_query, by, FIELD_ENUM, FIELD_DEFAULT,
          "What a row stands for: a channel; a SIM, by its number; the first four digits of the "
          "recipients; or an hour.",
          .words = figures_funnel_by_words, .default_value = FUNNEL_BY_CHANNEL,
          .example = "channel"),
    FIELD(struct funnel_query, since, FIELD_TIME, FIELD_SINCE,
          "From the hour of this time on; a day before `until` if it is left out, and 31 days "
          "before it at most.",
          .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct funnel_query, until, FIELD_TIME, FIELD_SINCE,
          "Only hours that began before this time; now if it is left out.",
          .example = "2026-11-22T04:33:00.123Z"),
};
const struct record funnel_query_record = {
    .name = "FunnelQuery",
    .doc = "Which funnel.",
    .size = sizeof(struct funnel_query),
    RECORD_FIELDS(funnel_query_fields),
};

static const struct field funnel_row_fields[] = {
    FIELD(struct funnel_row, key, FIELD_STRING, FIELD_REQUIRED,
          "The channel, number, prefix, or the beginning of the hour; `other`: what there was no "
          "room for.",
          .example = "sms"),
    STEP_ROWS(struct funnel_row),
};
static const struct record funnel_row_record = {
    .name = "FunnelRow",
    .doc = "How far codes came.",
    .size = sizeof(struct funnel_row),
    RECORD_FIELDS(funnel_row_fields),
};

static const struct field funnel_fields[] = {
    FIELD(struct funnel, since, FIELD_TIME, FIELD_REQUIRED, "When the first hour began."),
    FIELD(struct funnel, until, FIELD_TIME, FIELD_REQUIRED, "Hours from then on do not count."),
    FIELD(struct funnel, rows, FIELD_RECORDS, FIELD_REQUIRED,
          "Hours in their order; of all else the 200 with most sends, most first.",
          .record = &funnel_row_record),
};
const struct record funnel_record = {
    .name = "Funnel",
    .doc = "From created to confirmed.",
    .size = sizeof(struct funnel),
    RECORD_FIELDS(funnel_fields),
};

/* --- The SIMs --------------------------------------------------------------------------------- */

static const struct field sim_query_fields[] = {
    SEARCH_NUMBER_ROW("number", struct sim_figures_query, number,
                      "Only the SIM with this number, and by the minute."),
};
const struct record sim_figures_query_record = {
    .name = "SimFiguresQuery",
    .doc = "Which SIMs.",
    .size = sizeof(struct sim_figures_query),
    RECORD_FIELDS(sim_query_fields),
};

#define LETTERS "r: ready, s: silent, d: its phone was disabled, a point: not known"

static const struct field sim_fields[] = {
    FIELD(struct sim_figures, number, FIELD_STRING, FIELD_REQUIRED, "The number of the SIM.",
          .example = "+79161234567"),
    FIELD(struct sim_figures, cells, FIELD_STRING, FIELD_REQUIRED,
          "A letter for each of 144 times ten minutes. " LETTERS ", p: ready for a part.",
          .example = "rrrrrrpssrrr"),
    FIELD(struct sim_figures, minutes, FIELD_STRING, FIELD_OMIT_NULL,
          "A letter for each of 1440 minutes. " LETTERS ".", .example = "rrrrrrrsssss"),
};
static const struct record sim_record = {
    .name = "SimFigures",
    .doc = "How a SIM stood for 24 hours.",
    .size = sizeof(struct sim_figures),
    RECORD_FIELDS(sim_fields),
};

static const struct field sim_list_fields[] = {
    FIELD(struct sim_figures_list, since, FIELD_TIME, FIELD_REQUIRED,
          "When the first cell begins; the last one is that of now."),
    FIELD(struct sim_figures_list, sims, FIELD_RECORDS, FIELD_REQUIRED,
          "SIMs that the worker has seen within this time, by their numbers, 1000 at most.",
          .record = &sim_record),
};
const struct record sim_figures_list_record = {
    .name = "SimFiguresList",
    .doc = "How the SIMs stood.",
    .size = sizeof(struct sim_figures_list),
    RECORD_FIELDS(sim_list_fields),
};
