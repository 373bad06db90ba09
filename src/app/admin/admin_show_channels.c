/* The channels are shown as a table of 80 columns, and below it why one does not send; the overview
 * says first what is wrong. */
#include "app/admin/admin_show.h"
#include "domain/integration/integration.h"
#include "domain/overview/overview.h"
#include "kit/base/macros.h"

#include <inttypes.h>

static const char *driver_of(const struct channel_status *channel)
{
    if (!channel->configured) return "not configured";
    return channel->driver ? channel->driver : "phones";
}

static bool has_circuit(const struct channel_status *channel)
{
    return channel->configured && channel->circuit;
}

/* Returns how many SIMs or accounts are ready to send; NULL: the channel has neither. */
static const char *ready_of(const struct channel_status *channel, struct arena *arena)
{
    int64_t ready = channel->ready_sims < 0 ? channel->connected_accounts : channel->ready_sims;
    return ready < 0 ? NULL : show_number(ready, arena);
}

static void put_row(const struct channel_status *channel, const char **row, struct arena *arena)
{
    row[0] = timeline_channel_words[channel->channel];
    row[1] = driver_of(channel);
    row[2] = has_circuit(channel) ? lane_circuit_words[channel->circuit->state] : NULL;
    row[3] = ready_of(channel, arena);
    row[4] = show_number(channel->under_way, arena);
    row[5] = show_number(channel->waiting, arena);
    row[6] = show_short_time(channel->last_success_at, arena);
}

static void show_channel_table(const struct record_list *list, struct arena *arena, struct buf *out)
{
    static const char *const heads[] = {"CHANNEL", "DRIVER", "CIRCUIT", "READY",
                                        "BUSY",    "WAIT",   "SUCCESS"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct channel_status *rows = list->items;
    const char **cells = arena_array(arena, (list->count + 1) * COLUMNS, sizeof(char *));

    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < list->count; i++)
        put_row(&rows[i], cells + (i + 1) * COLUMNS, arena);
    show_table(cells, COLUMNS, list->count + 1, out);
    for (size_t i = 0; i < list->count; i++) {
        const struct lane_circuit *circuit = rows[i].circuit;
        if (!has_circuit(&rows[i]) || circuit->state == LANE_CLOSED) continue;
        buf_printf(out, "\n%s is %s\n", timeline_channel_words[rows[i].channel],
                   show_safe(str_of(show_circuit(circuit, arena)), arena));
    }
}

void show_channels(const struct admin_view *view)
{
    const struct channel_status_list *list = view->value;
    show_channel_table(&list->channels, view->arena, view->out);
}

/* --- What is wrong --- */

enum { TROUBLE_INDENT = 10 };

static void put_line(const char *head, const char *text, struct arena *arena, struct buf *out)
{
    struct show_lines lines = {.out = out, .indent = TROUBLE_INDENT, .column = TROUBLE_INDENT};

    buf_printf(out, "  %-*s", TROUBLE_INDENT - 2, head);
    show_words(&lines, show_safe(str_of(text), arena));
    buf_text(out, "\n");
}

static void put_trouble(const struct trouble *trouble, struct arena *arena, struct buf *out)
{
    struct show_lines lines = {.out = out};

    show_words(&lines, show_safe(str_of(trouble->what), arena));
    buf_text(out, "\n");
    put_line("since", show_time(trouble->since, arena), arena, out);
    if (trouble->reason) put_line("why", trouble->reason, arena, out);
    put_line("do", trouble->remedy, arena, out);
    put_line("see", trouble->record->command, arena, out);
    buf_text(out, "\n");
}

static void show_troubles(const struct overview *overview, struct arena *arena, struct buf *out)
{
    const struct trouble *rows = overview->troubles.items;
    int64_t more = overview->trouble_count - (int64_t)overview->troubles.count;

    for (size_t i = 0; i < overview->troubles.count; i++)
        put_trouble(&rows[i], arena, out);
    if (more > 0) buf_printf(out, "And %" PRId64 " more.\n\n", more);
    if (overview->trouble_count > 0) return;
    if (overview->well_since > 0)
        buf_printf(out, "Nothing is wrong since %s.\n\n", show_time(overview->well_since, arena));
    else
        buf_text(out, "No worker has looked yet whether something is wrong.\n\n");
}

void show_overview(const struct admin_view *view)
{
    const struct overview *overview = view->value;
    const struct fleet_overview *fleet = overview->fleet;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"version", overview->version},
        {"environment", integration_environment_words[overview->environment]},
        {"degraded", overview->degraded ? overview->degraded : "no"},
        {"phones", show_number(fleet->phones, arena)},
        {"phones enabled", show_number(fleet->enabled_phones, arena)},
        {"SIMs", show_number(fleet->sims, arena)},
        {"SIMs ready", show_number(fleet->ready_sims, arena)},
        {"SIMs silent", show_number(fleet->silent_sims, arena)},
        {"accounts", show_number(fleet->accounts, arena)},
        {"accounts connected", show_number(fleet->connected_accounts, arena)},
        {"processes living", show_number(overview->processes->living, arena)},
        {"processes lost", show_number(overview->processes->lost, arena)},
    };

    show_troubles(overview, arena, view->out);
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_text(view->out, "\n");
    show_channel_table(&overview->channels, arena, view->out);
    buf_text(view->out, "\nPackages and orders: herald admin overview exchange\n");
}
