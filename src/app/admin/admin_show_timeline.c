/* A timeline is a table of 80 columns: the time, the seconds since its first step, the step, and
 * what there is to tell of it. */
#include "app/admin/admin_show.h"
#include "core/timeline.h"
#include "kit/base/clock.h"

#include <inttypes.h>

enum { INDENT = 46 };

/* Returns "2026-11-21 04:33:00". */
static const char *time_cell(int64_t ms, struct arena *arena)
{
    char text[CLOCK_TEXT_LEN + 1];
    clock_format(clock_to_wall(ms), text);
    return arena_printf(arena, "%.10s %.8s", text, text + 11);
}

static const char *seconds_cell(int64_t ms, struct arena *arena)
{
    return arena_printf(arena, "%s%" PRId64 ".%03d", ms < 0 ? "-" : "+", (ms < 0 ? -ms : ms) / 1000,
                        (int)((ms < 0 ? -ms : ms) % 1000));
}

static void put_text(struct show_lines *lines, const char *name, const char *value,
                     struct arena *arena)
{
    if (!value) return;
    show_words(lines, arena_printf(arena, "%s%s", name, show_safe(str_of(value), arena)));
}

static void put_number(struct show_lines *lines, const char *name, int64_t value, const char *unit,
                       struct arena *arena)
{
    if (value >= 0) show_words(lines, arena_printf(arena, "%s%" PRId64 "%s", name, value, unit));
}

/* A phone without a name has its id. */
static const char *phone_of(const struct timeline_step *step, struct arena *arena)
{
    if (uuid_is_nil(&step->device_id)) return NULL;
    return step->device_name ? step->device_name : uuid_text(&step->device_id, arena);
}

static void put_detail(struct show_lines *lines, const struct timeline_step *step,
                       struct arena *arena)
{
    bool is_known = step->outcome >= 0;
    put_text(lines, "", step->channel >= 0 ? timeline_channel_words[step->channel] : NULL, arena);
    put_number(lines, "#", step->attempt, "", arena);
    /* A caller calls the number; a send, which has a channel, goes over it. */
    put_text(lines, step->channel >= 0 ? "from " : "to ", step->gateway_number, arena);
    put_text(lines, "from ", step->account_id, arena);
    put_text(lines, "by ", phone_of(step, arena), arena);
    put_text(lines, "", is_known ? timeline_outcome_words[step->outcome] : NULL, arena);
    put_number(lines, "in ", step->duration_ms, " ms", arena);
    put_number(lines, "HTTP ", step->status, "", arena);
    put_text(lines, "error: ", step->error, arena);
}

static void put_step(const struct timeline_step *step, int64_t start_ms, struct arena *arena,
                     struct buf *out)
{
    struct show_lines lines = {.out = out, .indent = INDENT, .column = INDENT};

    buf_printf(out, "%s  %10s  %-11s  ", time_cell(step->at, arena),
               seconds_cell(step->at - start_ms, arena),
               step->word >= 0 ? timeline_words[step->word] : "-");
    put_detail(&lines, step, arena);
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->len--;
    buf_char(out, '\n');
}

void show_timeline(const struct admin_view *view)
{
    const struct timeline *timeline = view->value;
    const struct timeline_step *steps = timeline->steps.items;

    buf_printf(view->out, "%-19s  %10s  %-11s  %s\n", "TIME (UTC)", "SECONDS", "STEP", "DETAIL");
    for (size_t i = 0; i < timeline->steps.count; i++)
        put_step(&steps[i], steps[0].at, view->arena, view->out);
}
