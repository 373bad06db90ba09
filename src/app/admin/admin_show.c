/* Integrations, clients, secrets and keys. */
#include "app/admin/admin_show.h"

#include "app/api/secret_key.h"
#include "domain/integration/integration.h"
#include "domain/token/token.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"

#include <inttypes.h>

enum { JSON_MAX = 64 * 1024 * 1024 };

void show_json(const struct record *record, const void *value, struct buf *out)
{
    struct json_writer writer;
    AUTO_BUF json = {0};

    buf_init(&json, JSON_MAX);
    json_writer_init(&writer, &json);
    record_encode(record, value, &writer);
    terminal_escape(buf_view(&json), "", out);
    buf_char(out, '\n');
}

/* --- Cells ------------------------------------------------------------------------------------ */

const char *show_wall_time(int64_t ms, struct arena *arena)
{
    if (ms == 0) return NULL;
    char *text = arena_alloc(arena, CLOCK_TEXT_LEN + 1);
    clock_format(ms, text);
    return text;
}

const char *show_time(int64_t ms, struct arena *arena)
{
    return show_wall_time(clock_to_wall(ms), arena);
}

const char *show_number(int64_t number, struct arena *arena)
{
    return arena_printf(arena, "%lld", (long long)number);
}

const char *show_short_time(int64_t ms, struct arena *arena)
{
    enum { BEGIN = 5, LEN = 11 }; /* what is shown of 2026-11-23T07:43:00.123Z */
    const char *text = show_time(ms, arena);

    if (!text) return NULL;
    char *cut = arena_str(arena, (struct str){text + BEGIN, LEN});
    cut[LEN / 2] = ' ';
    return cut;
}

const char *show_short(const char *text, size_t max, struct arena *arena)
{
    if (utf8_length(str_of(text)) <= max) return text;
    return arena_printf(arena, "%s~", arena_str(arena, utf8_cut(str_of(text), max - 1)));
}

static const char *enabled_cell(bool is_enabled)
{
    return is_enabled ? "enabled" : "disabled";
}

/* Returns the words, separated by spaces. */
static const char *list_cell(const struct record_list *list, struct arena *arena)
{
    const char *const *words = list->items;
    const char *text = "";
    for (size_t i = 0; i < list->count; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", words[i]);
    return text;
}

const char *show_circuit(const struct lane_circuit *circuit, struct arena *arena)
{
    const char *text = lane_circuit_words[circuit->state];

    if (circuit->since > 0)
        text = arena_printf(arena, "%s since %s", text, show_time(circuit->since, arena));
    if (circuit->next_probe_at > 0)
        text = arena_printf(arena, "%s, next probe %s", text,
                            show_time(circuit->next_probe_at, arena));
    return circuit->last_error ? arena_printf(arena, "%s: %s", text, circuit->last_error) : text;
}

/* --- Integrations ----------------------------------------------------------------------------- */

void show_integration(const struct admin_view *view)
{
    const struct integration *integration = view->value;
    struct arena *arena = view->arena;
    const char *share = integration->max_archive_share;
    const struct exchange *exchange = integration->exchange;
    const char *const cells[][2] = {
        {"id", uuid_text(&integration->id, arena)},
        {"name", integration->name},
        {"state", enabled_cell(integration->enabled)},
        {"tenant_id", uuid_text(&integration->tenant_id, arena)},
        {"point_id", uuid_text(&integration->point_id, arena)},
        {"environment", integration_environment_words[integration->environment]},
        {"erp base_url", integration->erp->base_url},
        {"erp order_path", integration->erp->order_path},
        {"erp timeout", arena_printf(arena, "%" PRId64 " s", integration->erp->timeout_seconds)},
        {"max_archive_share", share ? share : "as HERALD_ERP_MAX_ARCHIVE_SHARE says"},
        {"absent", integration_absent_words[integration->absent]},
        {"last snapshot", show_time(exchange->last_snapshot_at, arena)},
        {"last change", show_time(exchange->last_change_at, arena)},
        {"packages waiting", show_number(exchange->waiting, arena)},
        {"packages failed", show_number(exchange->failed, arena)},
        {"orders waiting", show_number(exchange->orders_waiting, arena)},
        {"oldest order", show_time(exchange->oldest_order_at, arena)},
        {"circuit", show_circuit(exchange->circuit, arena)},
        {"created_at", show_time(integration->created_at, arena)},
        {"updated_at", show_time(integration->updated_at, arena)},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
}

void show_new_integration(const struct admin_view *view)
{
    const struct integration *integration = view->value;

    show_integration(view);
    buf_printf(view->out,
               "\nThe integration is created. A client that may fetch tokens for it is made by:\n"
               "  herald admin clients create %s\n",
               uuid_text(&integration->id, view->arena));
    if (integration->max_archive_share)
        buf_printf(
            view->out,
            "A snapshot that would archive more than %s of the live products, and 20 or more "
            "of them,\nwaits until you look at it: herald admin packages release. Another "
            "share is set by:\n  herald admin integrations change %s --archive-share "
            "SHARE\n",
            integration->max_archive_share, uuid_text(&integration->id, view->arena));
}

void show_integrations(const struct admin_view *view)
{
    /* 80 columns have room for those up to FAILED. */
    static const char *const heads[] = {"ID",      "NAME",   "LAST SNAPSHOT", "FAILED",     "STATE",
                                        "WAITING", "ORDERS", "CIRCUIT",       "ENVIRONMENT"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct integration_list *list = view->value;
    const struct integration *rows = list->integrations.items;
    size_t count = list->integrations.count;

    if (count == 0 && (admin_value(view->input, "q") || admin_value(view->input, "enabled") ||
                       admin_value(view->input, "cursor"))) {
        buf_text(view->out, "There is no such integration.\n");
        return;
    }
    if (count == 0) {
        buf_text(view->out, "There is no integration yet: `herald admin integrations create` makes "
                            "one.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = uuid_text(&rows[i].id, view->arena);
        row[1] = rows[i].name;
        const struct exchange *exchange = rows[i].exchange;
        row[2] = show_short_time(exchange->last_snapshot_at, view->arena);
        row[3] = show_number(exchange->failed, view->arena);
        row[4] = enabled_cell(rows[i].enabled);
        row[5] = show_number(exchange->waiting, view->arena);
        row[6] = show_number(exchange->orders_waiting, view->arena);
        row[7] = lane_circuit_words[exchange->circuit->state];
        row[8] = integration_environment_words[rows[i].environment];
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are later ones: --cursor %s\n", list->next_cursor);
}

/* --- Clients ---------------------------------------------------------------------------------- */

enum { CLIENT_COLUMNS = 7 };

/* Each secret has a row; the first one names the workload client. */
static size_t fill_client_rows(const struct workload_client *client, struct arena *arena,
                               const char **row)
{
    const struct client_secret *secrets = client->secrets.items;
    size_t count = client->secrets.count;

    for (size_t i = 0; i < CLIENT_COLUMNS; i++)
        row[i] = NULL;
    row[0] = uuid_text(&client->client_id, arena);
    row[1] = client->name;
    row[2] = enabled_cell(client->enabled);
    row[6] = list_cell(&client->scopes, arena);
    for (size_t i = 0; i < count; i++, row += CLIENT_COLUMNS) {
        if (i > 0) row[0] = row[1] = row[2] = row[6] = "";
        row[3] = uuid_text(&secrets[i].id, arena);
        row[4] = show_time(secrets[i].created_at, arena);
        row[5] = show_time(secrets[i].expires_at, arena);
    }
    return count > 0 ? count : 1;
}

static size_t count_client_rows(const struct record_list *clients)
{
    const struct workload_client *rows = clients->items;
    size_t total = 0;
    for (size_t i = 0; i < clients->count; i++)
        total += rows[i].secrets.count > 0 ? rows[i].secrets.count : 1;
    return total;
}

void show_clients(const struct admin_view *view)
{
    static const char *const heads[CLIENT_COLUMNS] = {
        "CLIENT", "NAME", "STATE", "SECRET_ID", "SECRET CREATED", "SECRET ENDS", "SCOPES"};
    const struct client_list *list = view->value;
    const struct workload_client *clients = list->clients.items;
    size_t total = 1 + count_client_rows(&list->clients);

    if (list->clients.count == 0) {
        buf_printf(view->out, "It has no client yet: `herald admin clients create %s` makes one.\n",
                   view->input->ids[0]);
        return;
    }
    const char **cells = arena_array(view->arena, total * CLIENT_COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    size_t filled = 1;
    for (size_t i = 0; i < list->clients.count; i++)
        filled += fill_client_rows(&clients[i], view->arena, cells + filled * CLIENT_COLUMNS);
    show_table(cells, CLIENT_COLUMNS, total, view->out);
}

void show_client_enabled(const struct admin_view *view)
{
    buf_printf(view->out, "The client %s is enabled: it gets tokens.\n", view->input->ids[0]);
}

void show_client_disabled(const struct admin_view *view)
{
    buf_printf(view->out,
               "The client %s is disabled: it gets no tokens, and those that it has are refused.\n",
               view->input->ids[0]);
}

/* --- Secrets ---------------------------------------------------------------------------------- */

static void show_credentials(const struct admin_view *view)
{
    const struct client_credentials *credentials = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"client_id", uuid_text(&credentials->client_id, arena)},
        {"client_secret", credentials->client_secret},
        {"secret_id", uuid_text(&credentials->secret_id, arena)},
        {"token_url", credentials->token_url ? credentials->token_url : "(not known)"},
        {"integration_id", uuid_text(&credentials->integration_id, arena)},
        {"scopes", list_cell(&credentials->scopes, arena)},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_text(view->out, "\nThe secret is shown this once: herald keeps only its hash.");
}

void show_new_client(const struct admin_view *view)
{
    const struct client_credentials *credentials = view->value;

    show_credentials(view);
    buf_text(view->out, credentials->token_url
                            ? " The ERP fetches its tokens at token_url.\n"
                            : " Where the ERP fetches its tokens, this process does not know: it "
                              "runs without HERALD_PUBLIC_URL.\n");
}

void show_new_secret(const struct admin_view *view)
{
    const char *overlap = admin_value(view->input, "overlap_seconds");
    long long seconds = 0;

    show_credentials(view);
    if (overlap && str_to_int64(str_of(overlap), &seconds) && seconds > 0)
        buf_printf(view->out, " The one before it stays good for %lld s at most.\n", seconds);
    else
        buf_text(view->out, " All that were before it have ended.\n");
}

void show_revoked(const struct admin_view *view)
{
    buf_printf(view->out,
               "The secret %s has ended: no token for it from now on, and the last one ends in 10 "
               "minutes at most.\n",
               view->input->ids[1]);
}

/* --- Keys ------------------------------------------------------------------------------------- */

void show_keys(const struct admin_view *view)
{
    static const char *const heads[] = {"KID", "STATE", "CREATED", "SIGNS FROM", "SIGNS UNTIL"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct signing_key_list *list = view->value;
    const struct signing_key *keys = list->keys.items;
    size_t count = list->keys.count;

    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = keys[i].kid;
        row[1] = key_state_words[keys[i].state];
        row[2] = show_time(keys[i].created_at, view->arena);
        row[3] = show_time(keys[i].signs_from, view->arena);
        row[4] = show_time(keys[i].signs_until, view->arena);
    }
    show_table(cells, COLUMNS, count + 1, view->out);
}

static void tell_state(const struct secret_key_status *key, struct buf *out)
{
    switch ((enum key_change)key->state) {
    case KEY_CHANGE_IDLE:
        buf_text(out, "All that is stored is sealed under it. An earlier key can go: take away "
                      "HERALD_SECRET_KEY_OLD if it is set.\n");
        return;
    case KEY_CHANGE_READY:
        buf_printf(out,
                   "Key %s is ready. `herald admin secret-key rotate` has everything sealed "
                   "under it, once every process knows it.\n",
                   key->next_key_id ? key->next_key_id : "");
        return;
    case KEY_CHANGE_ANNOUNCED:
        buf_printf(out, "Key %s is announced to all processes and seals within a minute.\n",
                   key->next_key_id ? key->next_key_id : "");
        return;
    case KEY_CHANGE_SEALING:
        buf_printf(
            out,
            "What an earlier key sealed is sealed anew: %lld of %lld columns are through. Keep "
            "that key until this is over.\n",
            (long long)key->columns_done, (long long)key->columns_total);
    }
}

void show_secret_key(const struct admin_view *view)
{
    const struct secret_key_status *key = view->value;

    buf_printf(view->out, "The secret key is %s.\n",
               key->key_id ? key->key_id : "not known by an id");
    tell_state(key, view->out);
}

void show_withdrawn_key(const struct admin_view *view)
{
    buf_printf(view->out,
               "The key %s is withdrawn: every process refuses its tokens within 10 seconds.\n",
               view->input->ids[0]);
}

void show_next_key(const struct admin_view *view)
{
    const struct signing_key *key = view->value;
    const char *signs_from = show_time(key->signs_from, view->arena);

    buf_printf(view->out, "The next key is %s. It is published now and signs from %s", key->kid,
               signs_from ? signs_from : "now");
    buf_text(view->out, "; the one before it stays published until its last token has expired.\n");
}
