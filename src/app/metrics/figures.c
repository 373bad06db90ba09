/* Values are summed as they are read, by what their labels say; nothing of an hour is stored anew.
 */
#include "app/metrics/figures.h"

#include "app/metrics/figures_db.h"
#include "core/phone.h"
#include "core/request.h"
#include "domain/otp/otp.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/tally.h"
#include "kit/base/text_map.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOUR_MS = 60 * 60 * 1000,
    READ_MAX = 400000, /* rows of one answer: 31 days of 100 prefixes and more */
    KEYS_MAX = 5000,
};
static const int64_t DAY_MS = 24LL * HOUR_MS;

static int64_t floor_of(int64_t at, int64_t length_ms)
{
    return at - at % length_ms;
}

/* --- What a row counts ------------------------------------------------------------------------ */

/* Returns the value of the first label, "sms" of "channel=sms,outcome=sent". */
static struct str first_label(const char *labels)
{
    const char *from = strchr(labels, '=');
    if (!from) return (struct str){0};
    return (struct str){from + 1, strcspn(from + 1, ",")};
}

/* Returns where the outcome of the labels counts, or NULL: it is no step of the funnel. */
static int64_t *step_of(struct funnel_row *row, const char *labels)
{
    const struct {
        const char *word;
        int64_t *count;
    } steps[] = {{"created", &row->created},
                 {"sent", &row->sent},
                 {"delivered", &row->delivered},
                 {"confirmed", &row->confirmed}};
    const char *outcome = strrchr(labels, '=');

    for (size_t i = 0; outcome && i < COUNT_OF(steps); i++) {
        if (strcmp(outcome + 1, steps[i].word) == 0) return steps[i].count;
    }
    return NULL;
}

/* --- The last hours --------------------------------------------------------------------------- */

/* Rows of one hour lie behind each other, but some hours have none. */
static enum err sum_hours(struct work *work, struct figures_hour *hours, int64_t count)
{
    int64_t since = hours[0].at;
    struct kept_value value;
    AUTO_STMT stmt = NULL;

    enum err err =
        kept_hour_select(work, otp_outcomes.name, since, since + count * HOUR_MS, READ_MAX, &stmt);
    while (!err && (err = kept_step(work, stmt, &value)) == ERR_OK) {
        struct figures_hour *hour = &hours[(value.at - since) / HOUR_MS];
        struct funnel_row sums = {0};
        int64_t *step = step_of(&sums, value.labels);
        if (!step) continue;
        *step = value.value;
        hour->created += sums.created;
        hour->sent += sums.sent;
        hour->delivered += sums.delivered;
        hour->confirmed += sums.confirmed;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* A row says what was kept of how all stood, and where an hour shows it. */
static const struct standing {
    const char *name;
    size_t offset;
} standings[] = {
    {FIGURES_SIMS_READY, offsetof(struct figures_hour, sims_ready)},
    {FIGURES_CHANNELS_SERVING, offsetof(struct figures_hour, channels_serving)},
    {FIGURES_POINT_TROUBLES, offsetof(struct figures_hour, point_troubles)},
    {FIGURES_ORDERS_WAITING, offsetof(struct figures_hour, orders_waiting)},
};

static int64_t *place_of(struct figures_hour *hour, const struct standing *standing)
{
    return (int64_t *)((char *)hour + standing->offset);
}

static enum err read_standing(struct work *work, const struct standing *standing,
                              struct figures_hour *hours, int64_t count)
{
    int64_t since = hours[0].at;
    struct kept_value value;
    AUTO_STMT stmt = NULL;

    for (int64_t i = 0; i < count; i++)
        *place_of(&hours[i], standing) = -1;
    enum err err =
        kept_hour_select(work, standing->name, since, since + count * HOUR_MS, (int)count, &stmt);
    while (!err && (err = kept_step(work, stmt, &value)) == ERR_OK)
        *place_of(&hours[(value.at - since) / HOUR_MS], standing) = value.value;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err handle_read(struct request *rq)
{
    const struct figures_query *query = rq->query;
    struct work *work = &rq->work;
    struct figures_hour *hours = arena_array(work->arena, (size_t)query->hours, sizeof(*hours));
    int64_t since = floor_of(work->now_ms, HOUR_MS) - (query->hours - 1) * HOUR_MS;

    for (int64_t i = 0; i < query->hours; i++)
        hours[i] = (struct figures_hour){.at = since + i * HOUR_MS};
    enum err err = sum_hours(work, hours, query->hours);
    for (size_t i = 0; !err && i < COUNT_OF(standings); i++)
        err = read_standing(work, &standings[i], hours, query->hours);
    return reply_with(rq, err, &(struct figures){{hours, (size_t)query->hours}});
}

/* --- The funnel ------------------------------------------------------------------------------- */

struct funnel_sums {
    struct arena *arena;
    struct text_map places; /* by key */
    struct funnel_row *rows;
    size_t count;
};

static struct funnel_row *row_of(struct funnel_sums *sums, struct str key)
{
    uint32_t place = (uint32_t)sums->count;

    if (sums->count >= KEYS_MAX && !text_map_find(&sums->places, key, NULL)) key = STR(TALLY_OTHER);
    if (text_map_add(&sums->places, key, place, &place))
        sums->rows[sums->count++] = (struct funnel_row){.key = arena_str(sums->arena, key)};
    return &sums->rows[place];
}

static struct str key_of(const struct kept_value *value, int by,
                         char text[static CLOCK_TEXT_LEN + 1])
{
    if (by != FUNNEL_BY_HOUR) return first_label(value->labels);
    clock_format(clock_to_wall(value->at), text);
    return str_of(text);
}

static enum err sum_funnel(struct work *work, struct db_stmt *stmt, int by,
                           struct funnel_sums *sums)
{
    struct kept_value value;
    char text[CLOCK_TEXT_LEN + 1];
    enum err err;

    while ((err = kept_step(work, stmt, &value)) == ERR_OK) {
        struct funnel_row one = {0};
        if (!step_of(&one, value.labels)) continue;
        struct funnel_row *row = row_of(sums, key_of(&value, by, text));
        *step_of(row, value.labels) += value.value;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static int compare_counts(const void *a, const void *b)
{
    const struct funnel_row *one = a, *other = b;

    if (one->sent != other->sent) return one->sent < other->sent ? 1 : -1;
    if (one->created != other->created) return one->created < other->created ? 1 : -1;
    return strcmp(one->key, other->key);
}

/* Hours stay in their order; of all else most comes first. */
static struct record_list order(struct funnel_sums *sums, int by)
{
    size_t count = sums->count;
    struct funnel_row *rows = sums->rows;

    if (by == FUNNEL_BY_HOUR) return (struct record_list){rows, count};
    qsort(rows, count, sizeof(*rows), compare_counts);
    return (struct record_list){rows, count < FIGURES_ROWS_MAX ? count : FIGURES_ROWS_MAX};
}

static enum err handle_read_funnel(struct request *rq)
{
    static const char *const tallies[] = {[FUNNEL_BY_NUMBER] = OTP_TALLY_NUMBER,
                                          [FUNNEL_BY_PREFIX] = OTP_TALLY_PREFIX,
                                          [FUNNEL_BY_HOUR] = NULL};
    const struct funnel_query *query = rq->query;
    struct work *work = &rq->work;
    const char *name = tallies[query->by] ? tallies[query->by] : otp_outcomes.name;
    int64_t until = query->until > 0 ? query->until : work->now_ms;
    int64_t since = query->since > 0 ? query->since : until - DAY_MS;
    struct funnel funnel = {.since = floor_of(since, HOUR_MS), .until = until};
    struct funnel_sums sums = {.arena = work->arena};
    AUTO_STMT stmt = NULL;

    if (since > until || until - since > FIGURES_DAYS_MAX * DAY_MS)
        return error_fault(rq, "since", "Must lie before `until`, by 31 days at most.");
    enum err err = query->by == FUNNEL_BY_HOUR
                       ? kept_hour_select(work, name, funnel.since, until, READ_MAX, &stmt)
                       : kept_sum_select(work, name, funnel.since, until, READ_MAX, &stmt);
    if (err) return err;
    sums.rows = arena_array(work->arena, KEYS_MAX + 1, sizeof(*sums.rows));
    text_map_init(&sums.places);
    err = sum_funnel(work, stmt, query->by, &sums);
    text_map_done(&sums.places);
    if (err) return err;
    funnel.rows = order(&sums, query->by);
    reply_record(rq, &funnel);
    return ERR_OK;
}

/* --- The SIMs --------------------------------------------------------------------------------- */

enum { CELL_MS = FIGURES_CELL_MINUTES * 60 * 1000, MINUTES = FIGURES_CELLS * FIGURES_CELL_MINUTES };

/* Bits of the ten minutes: those in which it was ready, then silent, then disabled. What went on
 * for a part of a minute counts as the worse. */
static const char standing_letters[FIGURES_STANDINGS] = {
    [FIGURES_READY] = 'r', [FIGURES_SILENT] = 's', [FIGURES_DISABLED] = 'd'};
static const char unknown = '.';

static char letter_of_minute(int64_t value, int minute)
{
    for (int i = FIGURES_STANDINGS; i-- > 0;) {
        if (value >> (i * FIGURES_CELL_MINUTES + minute) & 1) return standing_letters[i];
    }
    return unknown;
}

/* A cell is what all of its minutes are, as far as they are known; "p": ready for a part. */
static char letter_of_cell(const char *minutes)
{
    char letter = unknown;

    for (int i = 0; i < FIGURES_CELL_MINUTES; i++) {
        if (minutes[i] == unknown || minutes[i] == letter) continue;
        if (letter != unknown) return memchr(minutes, 'r', FIGURES_CELL_MINUTES) ? 'p' : 's';
        letter = minutes[i];
    }
    return letter;
}

static char *unknown_of(struct arena *arena, size_t count)
{
    char *text = arena_alloc(arena, count + 1);
    memset(text, unknown, count);
    text[count] = '\0';
    return text;
}

/* The cells of one SIM lie behind each other. */
static enum err read_sims(struct work *work, struct db_stmt *stmt, bool has_minutes,
                          struct sim_figures_list *list)
{
    struct sim_figures *sims = arena_array(work->arena, FIGURES_SIMS_MAX, sizeof(*sims));
    char minutes[FIGURES_CELL_MINUTES], *cells = NULL, *all = NULL;
    struct kept_value value;
    size_t count = 0;
    enum err err;

    while ((err = kept_step(work, stmt, &value)) == ERR_OK) {
        struct str number = first_label(value.labels);
        int64_t place = (value.at - list->since) / CELL_MS;
        if (count == 0 || !str_is(number, sims[count - 1].number)) {
            if (count == FIGURES_SIMS_MAX) break;
            cells = unknown_of(work->arena, FIGURES_CELLS);
            all = has_minutes ? unknown_of(work->arena, MINUTES) : NULL;
            sims[count++] = (struct sim_figures){arena_str(work->arena, number), cells, all};
        }
        if (place < 0 || place >= FIGURES_CELLS) continue;
        for (int i = 0; i < FIGURES_CELL_MINUTES; i++)
            minutes[i] = letter_of_minute(value.value, i);
        cells[place] = letter_of_cell(minutes);
        if (all) memcpy(all + place * FIGURES_CELL_MINUTES, minutes, sizeof(minutes));
    }
    list->sims = (struct record_list){sims, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err handle_read_sims(struct request *rq)
{
    const struct sim_figures_query *query = rq->query;
    struct work *work = &rq->work;
    struct sim_figures_list list = {.since = floor_of(work->now_ms, CELL_MS) -
                                             (FIGURES_CELLS - 1) * (int64_t)CELL_MS};
    char number[PHONE_MAX + 1];
    const char *labels = NULL;
    AUTO_STMT stmt = NULL;

    if (query->number && phone_read(str_of(query->number), number))
        labels = arena_printf(work->arena, FIGURES_SIM_LABEL "%s", number);
    enum err err =
        kept_cell_select(work, labels, list.since, (FIGURES_SIMS_MAX + 1) * FIGURES_CELLS, &stmt);
    if (!err) err = read_sims(work, stmt, labels != NULL, &list);
    return reply_with(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/figures",
        .operation_id = "getFigures",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See the last hours",
        .description = "Codes, SIMs and orders by the hour, from the counters of the metrics. A "
                       "process keeps what it counted each minute, so the newest is missing for "
                       "so long. Codes of test numbers do not count.",
        .query = &figures_query_record,
        .reply_doc = "The hours.",
        .reply = &figures_record,
        .handle = handle_read,
    },
    {
        .method = "GET",
        .path = "/internal/v1/figures/funnel",
        .operation_id = "getFunnel",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how far codes came",
        .description = "How many codes were created, sent, delivered and confirmed, by channel, "
                       "SIM, prefix or hour. Each step counts when it happened, and a code with "
                       "a fallback may be sent twice; so a step may have more than the one "
                       "before it.",
        .query = &funnel_query_record,
        .reply_doc = "The funnel.",
        .reply = &funnel_record,
        .handle = handle_read_funnel,
    },
    {
        .method = "GET",
        .path = "/internal/v1/figures/sims",
        .operation_id = "getSimFigures",
        .role = ROLE_VIEWER,
        .tag = "Log and health",
        .summary = "See how the SIMs stood",
        .description = "How each SIM stood in the last 24 hours, as the worker saw it twice a "
                       "minute; what went on for a part of a minute counts as the worse.",
        .query = &sim_figures_query_record,
        .reply_doc = "The SIMs.",
        .reply = &sim_figures_list_record,
        .handle = handle_read_sims,
    },
};

const struct route_table figures_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
