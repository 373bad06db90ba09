/* One row a command. The help is made of the rows; admin_args.c reads a command line by them. */
#include "app/admin/admin_command.h"
#include "app/admin/admin_show.h"
#include "domain/erp/erp.h"
#include "domain/integration/client.h"
#include "domain/order/order.h"
#include "domain/token/token.h"
#include "kit/base/macros.h"

enum { COLUMNS_MAX = 100, INDENT = 6 };

#define INTEGRATIONS "/internal/v1/integrations"
#define CLIENTS      "/internal/v1/clients"
#define KEYS         "/internal/v1/signing-keys"
#define ORDERS       "/internal/v1/orders"
#define ENABLE       "{\"enabled\":true}"
#define DISABLE      "{\"enabled\":false}"

#define BIT(index) (1U << (index))

const struct admin_flag admin_flags[ADMIN_FLAG_COUNT] = {
    [ADMIN_TENANT] = {.name = "tenant",
                      .value = "UUID",
                      .path = "tenant_id",
                      .doc = "whose sales point it is: `tenant_id` of its tokens"},
    [ADMIN_POINT] = {.name = "point",
                     .value = "UUID",
                     .path = "point_id",
                     .doc = "the sales point: `point_id` of its tokens"},
    [ADMIN_ENVIRONMENT] = {.name = "environment",
                           .value = "WORD",
                           .path = "environment",
                           .doc = "production or test, for ever; production unless given"},
    [ADMIN_NAME] = {.name = "name", .value = "TEXT", .path = "name", .doc = "what people call it"},
    [ADMIN_ERP_URL] = {.name = "erp-url",
                       .value = "URL",
                       .path = "erp.base_url",
                       .doc = "the address of the ERP, https"},
    [ADMIN_ERP_TOKEN_FILE] = {.name = "erp-token-file",
                              .value = "FILE",
                              .kind = ADMIN_SECRET,
                              .path = "erp.token",
                              .doc = "a file with the token that the ERP wants of herald; - is "
                                     "stdin"},
    [ADMIN_ERP_PATH] = {.name = "erp-path",
                        .value = "PATH",
                        .path = "erp.order_path",
                        .doc = "where it takes orders; " ERP_PATH_DEFAULT " unless given"},
    [ADMIN_ERP_TIMEOUT] = {.name = "erp-timeout",
                           .value = "SECONDS",
                           .kind = ADMIN_NUMBER,
                           .path = "erp.timeout_seconds",
                           .doc = "how long one request to it may take; 10 unless given"},
    [ADMIN_SHARE_MAX] = {.name = "archive-share",
                         .value = "SHARE",
                         .kind = ADMIN_SHARE,
                         .path = "max_archive_share",
                         .proposal = "0.5",
                         .doc = "what a snapshot may archive, 0 to 1, or `setting`; a new one "
                                "has 0.5"},
    [ADMIN_ABSENT] = {.name = "absent",
                      .value = "WORD",
                      .path = "absent",
                      .doc = "fields that a product has no more: remove, unless given, or keep"},
    [ADMIN_SCOPES] = {.name = "scopes",
                      .value = "\"A B\"",
                      .kind = ADMIN_LIST,
                      .path = "scopes",
                      .doc = "of erp.catalog.write, erp.changes.write, erp.events.read; all unless "
                             "given"},
    [ADMIN_OVERLAP] = {.name = "overlap",
                       .value = "SECONDS",
                       .kind = ADMIN_NUMBER,
                       .path = "overlap_seconds",
                       .doc = "how long the newest old secret stays good; 0 unless given: it ends "
                              "now"},
    [ADMIN_STATUS] = {.name = "status",
                      .value = "WORD",
                      .path = "status",
                      .doc = "only those that are accepted, processing, applied, retry or failed"},
    [ADMIN_TYPE] = {.name = "type",
                    .value = "WORD",
                    .path = "event_type",
                    .doc = "only those of the kind snapshot or delta"},
    [ADMIN_INTEGRATION] = {.name = "integration",
                           .value = "UUID",
                           .path = "integration_id",
                           .doc = "only those of this integration"},
    [ADMIN_STATE] = {.name = "state",
                     .value = "WORD",
                     .path = "state",
                     .doc = "only those that are queued, delivering, accepted, rejected or failed"},
    [ADMIN_LIMIT] = {.name = "limit",
                     .value = "COUNT",
                     .kind = ADMIN_NUMBER,
                     .path = "limit",
                     .doc = "how many are shown, up to 200; 50 unless given"},
    [ADMIN_CURSOR] = {.name = "cursor",
                      .value = "CURSOR",
                      .path = "cursor",
                      .doc = "goes on where an earlier list ended"},
};

const struct admin_command admin_commands[] = {
    {
        .words = "integrations list",
        .doc = "All integrations, in order of creation.",
        .method = "GET",
        .path = INTEGRATIONS,
        .answer = &integration_list_record,
        .is_paged = true,
        .show = show_integrations,
    },
    {
        .words = "integrations show",
        .doc = "One integration.",
        .ids = {"INTEGRATION"},
        .method = "GET",
        .path = INTEGRATIONS "/",
        .missing = "integration",
        .answer = &integration_record,
        .show = show_integration,
    },
    {
        .words = "integrations create",
        .doc =
            "Connects a sales point. A snapshot that would archive over half of it waits for you.",
        .required = BIT(ADMIN_TENANT) | BIT(ADMIN_POINT) | BIT(ADMIN_NAME) | BIT(ADMIN_ERP_URL) |
                    BIT(ADMIN_ERP_TOKEN_FILE),
        .optional = BIT(ADMIN_ENVIRONMENT) | BIT(ADMIN_ERP_PATH) | BIT(ADMIN_ERP_TIMEOUT) |
                    BIT(ADMIN_SHARE_MAX) | BIT(ADMIN_ABSENT),
        .proposed = BIT(ADMIN_SHARE_MAX),
        .method = "POST",
        .path = INTEGRATIONS,
        .answer = &integration_record,
        .show = show_new_integration,
    },
    {
        .words = "integrations change",
        .doc = "Changes what is given; the rest stays.",
        .ids = {"INTEGRATION"},
        .optional = BIT(ADMIN_NAME) | BIT(ADMIN_ERP_URL) | BIT(ADMIN_ERP_TOKEN_FILE) |
                    BIT(ADMIN_ERP_PATH) | BIT(ADMIN_ERP_TIMEOUT) | BIT(ADMIN_SHARE_MAX) |
                    BIT(ADMIN_ABSENT),
        .is_change = true,
        .method = "PATCH",
        .path = INTEGRATIONS "/",
        .missing = "integration",
        .answer = &integration_record,
        .show = show_integration,
    },
    {
        .words = "integrations enable",
        .doc = "Its clients get tokens again.",
        .ids = {"INTEGRATION"},
        .method = "PATCH",
        .path = INTEGRATIONS "/",
        .body = ENABLE,
        .missing = "integration",
        .answer = &integration_record,
        .show = show_integration,
    },
    {
        .words = "integrations disable",
        .doc = "No new tokens for it, and those that it has are refused.",
        .ids = {"INTEGRATION"},
        .method = "PATCH",
        .path = INTEGRATIONS "/",
        .body = DISABLE,
        .missing = "integration",
        .answer = &integration_record,
        .show = show_integration,
    },
    {
        .words = "clients list",
        .doc = "The clients of an integration, with the ids of their live secrets.",
        .ids = {"INTEGRATION"},
        .method = "GET",
        .path = INTEGRATIONS "/",
        .tail = "/clients",
        .missing = "integration",
        .answer = &client_list_record,
        .show = show_clients,
    },
    {
        .words = "clients create",
        .doc = "Makes a client that may fetch tokens, and its secret, which is shown this once.",
        .ids = {"INTEGRATION"},
        .optional = BIT(ADMIN_NAME) | BIT(ADMIN_SCOPES),
        .method = "POST",
        .path = INTEGRATIONS "/",
        .tail = "/clients",
        .missing = "integration",
        .answer = &client_credentials_record,
        .show = show_new_client,
    },
    {
        .words = "clients enable",
        .doc = "The client gets tokens again.",
        .ids = {"CLIENT"},
        .method = "PATCH",
        .path = CLIENTS "/",
        .body = ENABLE,
        .missing = "client",
        .show = show_client_enabled,
    },
    {
        .words = "clients disable",
        .doc = "The client gets no tokens, and those that it has are refused.",
        .ids = {"CLIENT"},
        .method = "PATCH",
        .path = CLIENTS "/",
        .body = DISABLE,
        .missing = "client",
        .show = show_client_disabled,
    },
    {
        .words = "secrets rotate",
        .doc = "Makes a new secret, which is shown this once.",
        .ids = {"CLIENT"},
        .optional = BIT(ADMIN_OVERLAP),
        .method = "POST",
        .path = CLIENTS "/",
        .tail = "/rotate-secret",
        .missing = "client",
        .answer = &client_credentials_record,
        .show = show_new_secret,
    },
    {
        .words = "secrets revoke",
        .doc = "Ends a secret now; `clients list` shows their ids.",
        .ids = {"CLIENT", "SECRET_ID"},
        .method = "POST",
        .path = CLIENTS "/",
        .tail = "/revoke-secret",
        .id_field = "secret_id",
        .missing = "client, or no such secret of it",
        .show = show_revoked,
    },
    {
        .words = "keys list",
        .doc = "The keys that sign tokens, will, or did until a moment ago.",
        .method = "GET",
        .path = KEYS,
        .answer = &signing_key_list_record,
        .show = show_keys,
    },
    {
        .words = "keys rotate",
        .doc = "Makes the next key; it signs when everybody has had time to fetch it.",
        .method = "POST",
        .path = KEYS "/rotate",
        .answer = &signing_key_record,
        .show = show_next_key,
    },
    {
        .words = "packages list",
        .doc = "What its ERP sent, newest first.",
        .ids = {"INTEGRATION"},
        .optional = BIT(ADMIN_STATUS) | BIT(ADMIN_TYPE) | BIT(ADMIN_LIMIT) | BIT(ADMIN_CURSOR),
        .method = "GET",
        .path = INTEGRATIONS "/",
        .tail = "/events",
        .missing = "integration",
        .answer = &erp_package_list_record,
        .show = show_packages,
    },
    {
        .words = "packages show",
        .doc = "One package: its status, what it did, its rows at fault.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .method = "GET",
        .path = INTEGRATIONS "/",
        .middle = "/events/",
        .missing = "package",
        .answer = &erp_package_admin_record,
        .show = show_package,
    },
    {
        .words = "packages body",
        .doc = "The package byte for byte as it was sent, on stdout.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .method = "GET",
        .path = INTEGRATIONS "/",
        .middle = "/events/",
        .tail = "/body",
        .missing = "package, or its body was dropped (HERALD_ERP_BODY_DAYS)",
        .is_raw = true,
    },
    {
        .words = "packages retry",
        .doc = "A failed one is accepted again, one in retry is tried now.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .method = "POST",
        .path = INTEGRATIONS "/",
        .middle = "/events/",
        .tail = "/retry",
        .missing = "package",
        .show = show_retried,
    },
    {
        .words = "packages release",
        .doc = "The same, however many products the snapshot archives.",
        .ids = {"INTEGRATION", "EVENT_ID"},
        .method = "POST",
        .path = INTEGRATIONS "/",
        .middle = "/events/",
        .tail = "/release",
        .missing = "package",
        .show = show_released,
    },
    {
        .words = "orders list",
        .doc = "Orders for ERPs, newest first.",
        .optional =
            BIT(ADMIN_INTEGRATION) | BIT(ADMIN_STATE) | BIT(ADMIN_LIMIT) | BIT(ADMIN_CURSOR),
        .method = "GET",
        .path = ORDERS,
        .answer = &order_list_record,
        .show = show_orders,
    },
    {
        .words = "orders show",
        .doc = "One order: whether its ERP has it, and why not.",
        .ids = {"ORDER"},
        .method = "GET",
        .path = ORDERS "/",
        .missing = "order",
        .answer = &order_delivery_record,
        .show = show_order,
    },
    {
        .words = "orders attempts",
        .doc = "Each attempt to deliver an order, oldest first.",
        .ids = {"ORDER"},
        .optional = BIT(ADMIN_LIMIT) | BIT(ADMIN_CURSOR),
        .method = "GET",
        .path = ORDERS "/",
        .tail = "/attempts",
        .missing = "order",
        .answer = &order_attempt_list_record,
        .show = show_attempts,
    },
    {
        .words = "orders retry",
        .doc = "A failed or queued one is tried now.",
        .ids = {"ORDER"},
        .method = "POST",
        .path = ORDERS "/",
        .tail = "/retry",
        .missing = "order",
        .show = show_order_retried,
    },
};

const size_t admin_command_count = COUNT_OF(admin_commands);

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

/* Begins a new line where the word would pass the last column. */
static void add_word(struct buf *out, size_t *column, const char *word)
{
    if (*column + 1 + strlen(word) > COLUMNS_MAX) {
        buf_printf(out, "\n%*s", INDENT, "");
        *column = INDENT;
    } else if (*column > 0) {
        buf_char(out, ' ');
        *column += 1;
    }
    buf_text(out, word);
    *column += strlen(word);
}

static const char *flag_usage(size_t index, bool is_required, struct arena *arena)
{
    const struct admin_flag *flag = &admin_flags[index];
    return arena_printf(arena, is_required ? "--%s %s" : "[--%s %s]", flag->name, flag->value);
}

static void print_usage(const struct admin_command *command, size_t column, struct arena *arena,
                        struct buf *out)
{
    add_word(out, &column, command->words);
    for (size_t i = 0; i < ADMIN_IDS_MAX && command->ids[i]; i++)
        add_word(out, &column, command->ids[i]);
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        bool is_required = command->required & BIT(i);
        if (is_required || (command->optional & BIT(i)))
            add_word(out, &column, flag_usage(i, is_required, arena));
    }
}

const char *admin_usage(const struct admin_command *command, struct arena *arena)
{
    AUTO_BUF usage = {0};
    buf_init(&usage, 1024);
    print_usage(command, 0, arena, &usage);
    return arena_str(arena, buf_view(&usage));
}

void admin_print_help(struct buf *out)
{
    struct arena arena;

    arena_init(&arena);
    buf_text(out, help_head);
    for (size_t i = 0; i < admin_command_count; i++) {
        buf_text(out, "  herald admin");
        print_usage(&admin_commands[i], strlen("  herald admin"), &arena, out);
        buf_printf(out, "\n%*s%s\n", INDENT, "", admin_commands[i].doc);
    }
    buf_char(out, '\n');
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        const struct admin_flag *flag = &admin_flags[i];
        const char *usage = arena_printf(&arena, "--%s %s", flag->name, flag->value);
        buf_printf(out, "  %-23s%s\n", usage, flag->doc);
    }
    buf_text(out, help_tail);
    arena_done(&arena);
}
