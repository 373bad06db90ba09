/* Phones are shown as a table that fits 80 columns, and one by itself with its SIMs and accounts.
 */
#include "app/admin/admin_show.h"
#include "domain/call_report/call_report.h"
#include "domain/fleet/fleet_account.h"
#include "domain/fleet/pairing.h"
#include "kit/base/macros.h"
#include "kit/qr/qr.h"

#include <inttypes.h>

enum { NAME_SHOWN_MAX = 16 };

/* Returns how many of its SIMs are ready: "1/2"; "off": the phone is disabled. */
static const char *ready_cell(const struct device *device, struct arena *arena)
{
    const struct device_number *numbers = device->numbers.items;
    size_t ready = 0;
    for (size_t i = 0; i < device->numbers.count; i++)
        ready += numbers[i].sim_ready;
    return device->enabled ? arena_printf(arena, "%zu/%zu", ready, device->numbers.count) : "off";
}

static const char *battery_cell(const struct device *device, struct arena *arena)
{
    const char *battery = device->status ? device->status->battery : NULL;
    return battery ? arena_printf(arena, "%.*s%%", (int)strcspn(battery, "."), battery) : NULL;
}

void show_devices(const struct admin_view *view)
{
    static const char *const heads[] = {"ID", "NAME", "READY", "BATT", "SEEN"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct device_list *list = view->value;
    const struct device *rows = list->devices.items;
    size_t count = list->devices.count;

    if (count == 0) {
        buf_text(view->out, "There is no such phone: `herald admin devices register` makes one.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = uuid_text(&rows[i].id, view->arena);
        row[1] = show_short(rows[i].name, NAME_SHOWN_MAX, view->arena);
        row[2] = ready_cell(&rows[i], view->arena);
        row[3] = battery_cell(&rows[i], view->arena);
        row[4] = show_short_time(rows[i].last_seen_at, view->arena);
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are more: --cursor %s\n", list->next_cursor);
}

/* --- One phone -------------------------------------------------------------------------------- */

/* The last word of its phone may hold still when the log tells that it is silent: where
 * HERALD_SIM_SILENT_SECONDS is less than a minute (contract, section 11.3). */
static const char *sim_cell(const struct device_number *number)
{
    if (number->silent_since > 0) return "silent";
    return number->sim_ready ? "ready" : "not ready";
}

static void show_numbers(const struct record_list *list, struct arena *arena, struct buf *out)
{
    static const char *const heads[] = {"NUMBER",     "SIM",  "READY UNTIL",
                                        "CHALLENGES", "SLOT", "SILENT SINCE"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct device_number *numbers = list->items;
    const char **cells = arena_array(arena, (list->count + 1) * COLUMNS, sizeof(char *));

    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < list->count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = numbers[i].number;
        row[1] = sim_cell(&numbers[i]);
        row[2] = show_short_time(numbers[i].sim_ready_until, arena);
        row[3] = show_number(numbers[i].active_challenges, arena);
        row[4] = numbers[i].slot > 0 ? show_number(numbers[i].slot, arena) : NULL;
        row[5] = show_short_time(numbers[i].silent_since, arena);
    }
    show_table(cells, COLUMNS, list->count + 1, out);
}

static void show_accounts(const struct record_list *list, struct arena *arena, struct buf *out)
{
    static const char *const heads[] = {"ACCOUNT", "MESSENGER", "STATE", "GONE SINCE"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct device_account *accounts = list->items;
    const char **cells = arena_array(arena, (list->count + 1) * COLUMNS, sizeof(char *));

    if (list->count == 0) return;
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < list->count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = accounts[i].account_id;
        row[1] = accounts[i].messenger;
        row[2] = accounts[i].state == ACCOUNT_UNBOUND ? "unbound"
                                                      : account_state_words[accounts[i].state];
        row[3] = show_short_time(accounts[i].gone_since, arena);
    }
    buf_char(out, '\n');
    show_table(cells, COLUMNS, list->count + 1, out);
}

static void show_one(const struct device *device, struct arena *arena, struct buf *out)
{
    static const struct device_status silent = {.charging = -1};
    const struct device_status *status = device->status ? device->status : &silent;
    const char *const cells[][2] = {
        {"id", uuid_text(&device->id, arena)},
        {"name", device->name},
        {"state", device->enabled ? "enabled" : "disabled"},
        {"created_at", show_time(device->created_at, arena)},
        {"last_seen_at", show_time(device->last_seen_at, arena)},
        {"last ping", show_time(status->at, arena)},
        {"battery", status->battery},
        {"charging", status->charging < 0 ? NULL
                     : status->charging   ? "yes"
                                          : "no"},
        {"network", status->network},
        {"app_version", status->app_version},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), out);
    buf_char(out, '\n');
    show_numbers(&device->numbers, arena, out);
    show_accounts(&device->accounts, arena, out);
}

void show_device(const struct admin_view *view)
{
    show_one(view->value, view->arena, view->out);
}

/* --- What was done ---------------------------------------------------------------------------- */

static void show_key(const struct admin_view *view, const char *key)
{
    buf_printf(view->out,
               "The key of the phone is\n  %s\nIt is shown this once: enter it in the phone "
               "application.\n",
               key);
}

void show_new_device(const struct admin_view *view)
{
    const struct credentials *credentials = view->value;

    show_one(credentials->device, view->arena, view->out);
    buf_char(view->out, '\n');
    show_key(view, credentials->device_key);
}

void show_device_key(const struct admin_view *view)
{
    const struct rotated_key *key = view->value;

    show_key(view, key->device_key);
    buf_text(view->out, "The one before it is refused from now on.\n");
}

/* The code is shown in two halves, which are easier to read out. */
void show_pairing(const struct admin_view *view)
{
    const struct pairing *pairing = view->value;
    size_t half = strlen(pairing->code) / 2;
    AUTO_BUF symbol = {0};

    buf_init(&symbol, QR_TERMINAL_MAX);
    if (qr_terminal(pairing->url, &symbol) == ERR_OK) buf_str(view->out, buf_view(&symbol));
    buf_printf(
        view->out,
        "\nThe code is\n  %.*s %s\nIt is good once, until %s. Enter it on the phone, or open "
        "there\n  %s\nThe key that the phone has is refused once the code is used.\n",
        (int)half, pairing->code, pairing->code + half, show_time(pairing->expires_at, view->arena),
        show_safe(str_of(pairing->url), view->arena));
}

/* CallGate has no page on which a webhook is registered: whoever sets it up asks the phone. */
void show_callgate(const struct admin_view *view)
{
    const struct callgate_setup *setup = view->value;
    const char *const cells[][2] = {
        {"url", show_safe(str_of(setup->url), view->arena)},
        {"event", setup->event},
        {"signing_key", setup->signing_key},
    };

    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_printf(view->out,
               "\nEnter the signing key in CallGate's settings of webhooks. Then register the "
               "webhook, from a\ncomputer in the phone's network, with what CallGate's page shows "
               "as user, password and address:\n\n"
               "curl -u USER:PASSWORD http://PHONE:8084/api/v1/webhooks \\\n"
               "     -H 'Content-Type: application/json' \\\n"
               "     -d '{\"event\": \"%s\", \"url\": \"%s\"}'\n",
               setup->event, cells[0][1]);
}

void show_device_enabled(const struct admin_view *view)
{
    buf_printf(view->out, "The phone %s is enabled.\n", view->input->ids[0]);
}

void show_device_disabled(const struct admin_view *view)
{
    buf_printf(view->out,
               "The phone %s is disabled: it gets no tasks and its numbers are not chosen.\n",
               view->input->ids[0]);
}

void show_device_removed(const struct admin_view *view)
{
    buf_printf(view->out,
               "The phone %s is removed: its key is refused, and its numbers are free.\n",
               view->input->ids[0]);
}
