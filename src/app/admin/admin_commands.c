/*
 * Each command has a row with its operation and with words for people. The tables of routes and
 * records tell which values it takes; admin_args.c reads a command line by them, and the help is
 * printed from them.
 */
#include "app/admin/admin_command.h"
#include "app/admin/admin_show.h"
#include "app/api/routes.h"
#include "kit/base/macros.h"
#include "kit/base/text_map.h"

#include <inttypes.h>

enum { COLUMNS_MAX = 100, INDENT = 6, FLAG_COLUMN = 27, USAGE_MAX = 1024 };

#define ENABLE  "{\"enabled\":true}"
#define DISABLE "{\"enabled\":false}"

const struct admin_command admin_commands[] = {
    {
        .words = "integrations list",
        .operation = "listIntegrations",
        .is_paged = true,
        .show = show_integrations,
    },
    {
        .words = "integrations show",
        .operation = "getIntegration",
        .ids = {"INTEGRATION"},
        .missing = "integration",
        .show = show_integration,
    },
    {
        .words = "integrations create",
        .operation = "createIntegration",
        .doc =
            "Connects a sales point. A snapshot that would archive over half of it waits for you.",
        .proposed_path = "max_archive_share",
        .proposed_value = "0.5",
        .show = show_new_integration,
    },
    {
        .words = "integrations change",
        .operation = "changeIntegration",
        .doc = "Changes what is given; the rest stays.",
        .ids = {"INTEGRATION"},
        .missing = "integration",
        .show = show_integration,
    },
    {
        .words = "integrations enable",
        .operation = "changeIntegration",
        .doc = "Its clients get tokens again.",
        .ids = {"INTEGRATION"},
        .body = ENABLE,
        .missing = "integration",
        .show = show_integration,
    },
    {
        .words = "integrations disable",
        .operation = "changeIntegration",
        .doc = "No new tokens for it, and those that it has are refused.",
        .ids = {"INTEGRATION"},
        .body = DISABLE,
        .missing = "integration",
        .show = show_integration,
    },
    {
        .words = "clients list",
        .operation = "listClients",
        .doc = "The clients of an integration, with the ids of their live secrets.",
        .ids = {"INTEGRATION"},
        .missing = "integration",
        .show = show_clients,
    },
    {
        .words = "clients create",
        .operation = "createClient",
        .doc = "Makes a client that may fetch tokens, and its secret, which is shown this once.",
        .ids = {"INTEGRATION"},
        .missing = "integration",
        .show = show_new_client,
    },
    {
        .words = "clients enable",
        .operation = "setClientEnabled",
        .doc = "The client gets tokens again.",
        .ids = {"CLIENT"},
        .body = ENABLE,
        .missing = "client",
        .show = show_client_enabled,
    },
    {
        .words = "clients disable",
        .operation = "setClientEnabled",
        .doc = "The client gets no tokens, and those that it has are refused.",
        .ids = {"CLIENT"},
        .body = DISABLE,
        .missing = "client",
        .show = show_client_disabled,
    },
    {
        .words = "secrets rotate",
        .operation = "rotateClientSecret",
        .doc = "Makes a new secret, which is shown this once.",
        .ids = {"CLIENT"},
        .missing = "client",
        .show = show_new_secret,
    },
    {
        .words = "secrets revoke",
        .operation = "revokeClientSecret",
        .doc = "Ends a secret now; `clients list` shows their ids.",
        .ids = {"CLIENT", "SECRET_ID"},
        .missing = "client, or no such secret of it",
        .show = show_revoked,
    },
    {
        .words = "keys list",
        .operation = "listSigningKeys",
        .doc = "The keys that sign tokens, will, or did until a moment ago.",
        .show = show_keys,
    },
    {
        .words = "keys rotate",
        .operation = "rotateSigningKey",
        .doc = "Makes the next key; it signs when everybody has had time to fetch it.",
        .show = show_next_key,
    },
    {
        .words = "packages list",
        .operation = "listErpEvents",
        .ids = {"INTEGRATION"},
        .missing = "integration",
        .show = show_packages,
    },
    {
        .words = "packages show",
        .operation = "getErpEventDetails",
        .doc = "One package: its status, what it did, its rows at fault.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .missing = "package",
        .show = show_package,
    },
    {
        .words = "packages body",
        .operation = "getErpEventBody",
        .doc = "The package byte for byte as it was sent, on stdout.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .missing = "package, or its body was dropped (HERALD_ERP_BODY_DAYS)",
    },
    {
        .words = "packages retry",
        .operation = "retryErpEvent",
        .doc = "A failed one is accepted again, one in retry is tried now.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .missing = "package",
        .show = show_retried,
    },
    {
        .words = "packages release",
        .operation = "releaseErpEvent",
        .doc = "The same, however many products the snapshot archives.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .missing = "package",
        .show = show_released,
    },
    {
        .words = "orders list",
        .operation = "listOrders",
        .show = show_orders,
    },
    {
        .words = "orders show",
        .operation = "getOrder",
        .doc = "One order: whether its ERP has it, and why not.",
        .ids = {"ORDER"},
        .missing = "order",
        .show = show_order,
    },
    {
        .words = "orders attempts",
        .operation = "listOrderAttempts",
        .doc = "Each attempt to deliver an order, oldest first.",
        .ids = {"ORDER"},
        .missing = "order",
        .show = show_attempts,
    },
    {
        .words = "orders retry",
        .operation = "retryOrder",
        .doc = "A failed or queued one is tried now.",
        .ids = {"ORDER"},
        .missing = "order",
        .show = show_order_retried,
    },
};

const size_t admin_command_count = COUNT_OF(admin_commands);

/* --- What a command takes --------------------------------------------------------------------- */

const struct route *admin_route(const struct admin_command *command)
{
    const struct route *route = routes_find(command->operation);
    assert(route);
    return route;
}

/* A flag is named by the words of its path, without its unit: "timeout_seconds" of the record "erp"
 * is typed as --erp-timeout. Where that would be a bad name, the flag has one of its own. */
static const char *name_of(const struct field *field, const char *path, struct arena *arena)
{
    static const char *const own[][2] = {{"erp.base_url", "erp-url"},
                                         {"erp.order_path", "erp-path"},
                                         {"event_type", "type"},
                                         {"max_archive_share", "archive-share"}};
    static const char *const kinds[] = {"_id", "_seconds"};
    size_t len = strlen(path);

    for (size_t i = 0; i < COUNT_OF(own); i++) {
        if (strcmp(path, own[i][0]) == 0) return own[i][1];
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        size_t end = strlen(kinds[i]);
        if (len > end && strcmp(path + len - end, kinds[i]) == 0) len -= end;
    }
    bool is_secret = field->flags & FIELD_SECRET;
    char *name = arena_printf(arena, "%.*s%s", (int)len, path, is_secret ? "-file" : "");
    for (char *p = name; *p; p++) {
        if (*p == '.' || *p == '_') *p = '-';
    }
    return name;
}

/* A field that is true or false is a command by itself: enable, disable. */
static void add_flags(struct admin_flags *flags, const struct record *record, const char *prefix,
                      bool is_required, struct arena *arena)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        bool is_needed = is_required && (field->flags & FIELD_REQUIRED);
        const char *path = arena_printf(arena, "%s%s", prefix, field->name);
        if (field->type == FIELD_BOOLEAN || field->type == FIELD_TRISTATE) continue;
        if (field->type == FIELD_RECORD) {
            path = arena_printf(arena, "%s.", path);
            add_flags(flags, field->record, path, is_needed, arena);
            continue;
        }
        assert(flags->count < ADMIN_FLAGS_MAX);
        flags->rows[flags->count++] =
            (struct admin_flag){field, path, name_of(field, path, arena), is_needed, -1};
    }
}

struct admin_flags admin_flags_of(const struct admin_command *command, struct arena *arena)
{
    const struct route *route = admin_route(command);
    struct admin_flags flags = {.count = 0};
    int id = 0;

    for (const char *p = route->path; *p; p++)
        id += *p == '{';
    if (route->query && !command->is_paged) add_flags(&flags, route->query, "", true, arena);
    if (route->body && !command->body) add_flags(&flags, route->body, "", true, arena);
    for (size_t i = 0; i < flags.count && id < ADMIN_IDS_MAX && command->ids[id]; i++) {
        if (flags.rows[i].is_required) flags.rows[i].id = id++;
    }
    return flags;
}

/* --- Help ------------------------------------------------------------------------------------- */

static const char help_head[] =
    "herald admin - integrations, clients, secrets, keys, packages and orders, in the running "
    "service\n"
    "\n";

static const char help_tail[] =
    "\n"
    "  --json   the service's answer as JSON, for programs\n"
    "  --url    where the service is, such as https://herald.example.com; by default it is\n"
    "           looked for at HERALD_LISTEN\n"
    "  --       ends the options: an EVENT_ID behind it may begin with a dash\n"
    "\n"
    "The key is INTERNAL_API_KEY, or what lies in the file INTERNAL_API_KEY_FILE, or what `herald\n"
    "serve` made beside its embedded database. Settings are given as to every verb: --state-dir "
    "DIR,\n"
    "--config FILE, the environment.\n"
    "\n"
    "Exit status: 0 done; 1 the service refused, or was not reached; 2 a wrong command or "
    "setting.\n";

/* Begins a new line at `indent` if the word would pass the last column. */
static void add_word(struct buf *out, size_t *column, size_t indent, struct str word)
{
    if (*column + 1 + word.len > COLUMNS_MAX) {
        buf_printf(out, "\n%*s", (int)indent, "");
        *column = indent;
    } else if (*column > 0 && *column != indent) {
        buf_char(out, ' ');
        *column += 1;
    }
    buf_str(out, word);
    *column += word.len;
}

/* Returns the word that stands for the value. */
static const char *placeholder(const struct field *field)
{
    size_t len = strlen(field->name);
    bool is_time = len > 8 && strcmp(field->name + len - 8, "_seconds") == 0;

    if (field->flags & FIELD_SECRET) return "FILE";
    if (field->flags & FIELD_SHARE) return "SHARE";
    switch (field->type) {
    case FIELD_UUID:
        return "UUID";
    case FIELD_INTEGER:
        return is_time ? "SECONDS" : "COUNT";
    case FIELD_TIME:
        return "TIME";
    case FIELD_ENUM:
    case FIELD_WORD:
        return "WORD";
    case FIELD_STRINGS:
        return "\"A B\"";
    case FIELD_STRING:
    case FIELD_BOOLEAN:
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
    case FIELD_STRING_OR_INTEGER:
    case FIELD_TRISTATE:
    case FIELD_DECIMAL:
    case FIELD_SCALAR:
        break;
    }
    return "TEXT";
}

static void print_usage(const struct admin_command *command, size_t column, struct arena *arena,
                        struct buf *out)
{
    struct admin_flags flags = admin_flags_of(command, arena);

    add_word(out, &column, INDENT, str_of(command->words));
    for (size_t i = 0; i < ADMIN_IDS_MAX && command->ids[i]; i++)
        add_word(out, &column, INDENT, str_of(command->ids[i]));
    for (size_t i = 0; i < flags.count; i++) {
        const struct admin_flag *flag = &flags.rows[i];
        bool is_needed = flag->is_required;
        if (flag->id >= 0) continue;
        const char *usage = arena_printf(arena, "%s--%s %s%s", is_needed ? "" : "[", flag->name,
                                         placeholder(flag->field), is_needed ? "" : "]");
        add_word(out, &column, INDENT, str_of(usage));
    }
}

const char *admin_usage(const struct admin_command *command, struct arena *arena)
{
    AUTO_BUF usage = {0};
    buf_init(&usage, USAGE_MAX);
    print_usage(command, 0, arena, &usage);
    return arena_str(arena, buf_view(&usage));
}

void admin_list_words(const char *first, struct buf *out)
{
    size_t first_len = strlen(first), last_len = 0;
    const char *last = "";

    for (size_t i = 0; i < admin_command_count; i++) {
        const char *word = admin_commands[i].words;
        if (first_len > 0) {
            if (strncmp(word, first, first_len) != 0 || word[first_len] != ' ') continue;
            word += first_len + 1;
        }
        size_t len = strcspn(word, " ");
        if (len == last_len && strncmp(word, last, len) == 0) continue;
        buf_printf(out, "%s%.*s", last_len > 0 ? ", " : "", (int)len, word);
        last = word;
        last_len = len;
    }
}

/* Prints the flag with the first sentence of its field, and the values that it takes. */
static void print_flag(const struct admin_flag *flag, struct arena *arena, struct buf *out)
{
    const struct field *field = flag->field;
    const char *usage = arena_printf(arena, "--%s %s", flag->name, placeholder(field));
    const char *end = strstr(field->doc, ". ");
    int len = end ? (int)(end - field->doc) + 1 : (int)strlen(field->doc);
    char *doc = arena_printf(arena, "%.*s", len, field->doc);
    size_t column = FLAG_COLUMN;

    buf_printf(out, "  %-*s ", FLAG_COLUMN - 3, usage);
    if (field->flags & FIELD_SECRET)
        doc = arena_printf(arena, "%s It is read from the file; - is stdin.", doc);
    if (field->flags & FIELD_SHARE)
        doc = arena_printf(arena, "%s `setting` is what the setting says.", doc);
    if (field->type == FIELD_STRINGS && field->format)
        doc = arena_printf(arena, "%s %s", doc, field->format->message);
    for (size_t i = 0; field->words && field->words[i]; i++)
        doc = arena_printf(arena, "%s%s%s", doc, i > 0 ? ", " : " One of: ", field->words[i]);
    if ((field->flags & FIELD_DEFAULT) && field->words)
        doc = arena_printf(arena, "%s; %s unless given.", doc, field->words[field->default_value]);
    else if ((field->flags & FIELD_DEFAULT) && !strstr(doc, "left out"))
        doc = arena_printf(arena, "%s %" PRId64 " unless given.", doc, field->default_value);
    for (const char *p = doc; *p; p += strspn(p, " ")) {
        size_t word_len = strcspn(p, " ");
        add_word(out, &column, FLAG_COLUMN, (struct str){p, word_len});
        p += word_len;
    }
    buf_char(out, '\n');
}

void admin_print_help(struct buf *out)
{
    struct text_map seen;
    struct arena arena;

    arena_init(&arena);
    text_map_init(&seen);
    buf_text(out, help_head);
    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        buf_text(out, "  herald admin");
        print_usage(command, strlen("  herald admin"), &arena, out);
        if (command->doc)
            buf_printf(out, "\n%*s%s\n", INDENT, "", command->doc);
        else
            buf_printf(out, "\n%*s%s.\n", INDENT, "", admin_route(command)->summary);
    }
    buf_char(out, '\n');
    for (size_t i = 0; i < admin_command_count; i++) {
        struct admin_flags flags = admin_flags_of(&admin_commands[i], &arena);
        for (size_t k = 0; k < flags.count; k++) {
            const struct admin_flag *flag = &flags.rows[k];
            bool is_new = flag->id < 0 && text_map_add(&seen, str_of(flag->name), 0, NULL);
            if (is_new) print_flag(flag, &arena, out);
        }
    }
    buf_text(out, help_tail);
    text_map_done(&seen);
    arena_done(&arena);
}
