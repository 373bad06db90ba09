/* From options to bodies; the verbs `snapshot` and `changes`. */
#include "maker.h"

#include "fault.h"
#include "kit/base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Of printed bodies, which are the same on every day: 1 January 2026. */
static const int64_t printed_at_ms = 1767225600000;

static bool complain(const char *sentence)
{
    fprintf(stderr, "erp: %s\n", sentence);
    return false;
}

bool maker_init(struct maker *maker, const struct options *options)
{
    *maker = (struct maker){
        .options = options,
        .plan = {.seed = (uint64_t)options->seed, .product_count = options->product_count},
    };
    if (options->bytes == 0 || body_fit(&maker->plan, options->bytes)) return true;
    return complain("A snapshot of so many products has more --bytes than that.");
}

static const struct fault *find_fault(const struct maker *maker, enum package_type type)
{
    return maker->options->fault ? fault_find(maker->options->fault, type) : NULL;
}

static void open_catalog(const struct maker *maker, int64_t change_seed,
                         struct catalog *ret_catalog)
{
    struct catalog_plan plan = maker->plan;

    plan.change_seed = (uint64_t)change_seed;
    plan.change_ppm = change_seed > 0 ? maker->options->change_ppm : 0;
    catalog_init(ret_catalog, &plan);
}

static bool check_body(const struct buf *body, bool is_written, const char *sentence)
{
    if (body->is_full) return complain("The body would be larger than this program makes any.");
    return is_written || complain(sentence);
}

bool maker_snapshot(const struct maker *maker, int64_t change_seed, const char *event_id,
                    int64_t generated_at_ms, struct buf *ret_body)
{
    char at[CLOCK_TEXT_LEN + 1];
    struct catalog catalog;

    clock_format(generated_at_ms, at);
    open_catalog(maker, change_seed, &catalog);
    bool is_written = body_write_snapshot(&catalog, (struct body_head){event_id, at},
                                          find_fault(maker, PACKAGE_SNAPSHOT), ret_body);
    catalog_done(&catalog);
    return check_body(ret_body, is_written, "The --fault finds nothing to spoil.");
}

bool maker_changes(const struct maker *maker, int64_t change_seed, int64_t number,
                   const char *event_id, int64_t generated_at_ms, struct buf *ret_body)
{
    const struct options *options = maker->options;
    struct changes_plan changes = {(uint64_t)number, options->price_count, options->stock_count};
    char at[CLOCK_TEXT_LEN + 1];
    struct catalog catalog;

    clock_format(generated_at_ms, at);
    open_catalog(maker, change_seed, &catalog);
    bool is_written = body_write_changes(&catalog, (struct body_head){event_id, at}, &changes,
                                         find_fault(maker, PACKAGE_CHANGES), ret_body);
    catalog_done(&catalog);
    return check_body(ret_body, is_written,
                      "The catalog has fewer variants than the package has rows of a kind, or the "
                      "--fault finds nothing to spoil.");
}

int maker_print(const struct options *options)
{
    char event_id[BODY_EVENT_ID_MAX];
    struct maker maker;
    AUTO_BUF body = {0};

    buf_init(&body, BODY_MAX);
    if (!maker_init(&maker, options)) return 2;
    bool is_snapshot = options->verb == VERB_SNAPSHOT;
    snprintf(event_id, sizeof(event_id), "%s:%" PRId64 ":%" PRId64,
             is_snapshot ? "catalog" : "changes", options->seed,
             is_snapshot ? options->change_seed : options->number);
    const char *id = options->event_id ? options->event_id : event_id;
    bool is_made = is_snapshot
                       ? maker_snapshot(&maker, options->change_seed, id, printed_at_ms, &body)
                       : maker_changes(&maker, options->change_seed, options->number, id,
                                       printed_at_ms, &body);
    if (!is_made) return 2;
    if (fwrite(body.data, 1, body.len, stdout) == body.len && fflush(stdout) == 0) return 0;
    perror("erp: what is printed");
    return 1;
}
