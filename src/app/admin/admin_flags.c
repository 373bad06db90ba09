/* The flags of a command are read from the tables of routes and records. */
#include "app/admin/admin_command.h"
#include "app/api/routes.h"
#include "kit/base/macros.h"

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
    static const char *const own[][2] = {
        {"erp.base_url", "erp-url"},  {"erp.order_path", "erp-path"},
        {"event_type", "type"},       {"max_archive_share", "archive-share"},
        {"request_id", "request-id"}, {"requests_per_minute", "rate"}};
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

/* A field of a body that is true or false is a command by itself: enable, disable; unless it may be
 * left out. */
static void add_flags(struct admin_flags *flags, const struct record *record, const char *prefix,
                      bool is_required, bool is_query, struct arena *arena)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        bool is_needed = is_required && (field->flags & FIELD_REQUIRED);
        const char *path = arena_printf(arena, "%s%s", prefix, field->name);
        bool is_boolean = field->type == FIELD_BOOLEAN || field->type == FIELD_TRISTATE;
        if (is_boolean && !is_query && !(field->flags & FIELD_DEFAULT)) continue;
        if (field->type == FIELD_RECORD) {
            path = arena_printf(arena, "%s.", path);
            add_flags(flags, field->record, path, is_needed, is_query, arena);
            continue;
        }
        assert(flags->count < ADMIN_FLAGS_MAX);
        flags->rows[flags->count++] =
            (struct admin_flag){field, path, name_of(field, path, arena), is_needed, -1};
    }
}

const struct field admin_body_file = {
    .name = "body",
    .type = FIELD_STRING,
    .doc = "The file with the body as JSON; - is stdin.",
};
const struct field admin_idempotency_key = {
    .name = "idempotency_key",
    .type = FIELD_STRING,
    .doc = "A repeat with the same key makes nothing new; without it each one does.",
};

static void add_flag(struct admin_flags *flags, const struct field *field, bool is_required,
                     struct arena *arena)
{
    assert(flags->count < ADMIN_FLAGS_MAX);
    flags->rows[flags->count++] = (struct admin_flag){
        field, field->name, name_of(field, field->name, arena), is_required, -1};
}

struct admin_flags admin_flags_of(const struct admin_command *command, struct arena *arena)
{
    const struct route *route = admin_route(command);
    struct admin_flags flags = {.count = 0};
    int id = 0;

    for (const char *p = route->path; *p; p++)
        id += *p == '{';
    const struct record *query = command->flags ? command->flags : route->query;
    if (query) add_flags(&flags, query, "", true, true, arena);
    if (command->is_body_file)
        add_flag(&flags, &admin_body_file, true, arena);
    else if (route->body && !command->body)
        add_flags(&flags, route->body, "", true, false, arena);
    if (route->idem_family) add_flag(&flags, &admin_idempotency_key, false, arena);
    for (size_t i = 0; i < flags.count && id < ADMIN_IDS_MAX && command->ids[id]; i++) {
        bool is_optional = command->optional && !strcmp(flags.rows[i].path, command->optional);
        if (flags.rows[i].is_required || is_optional) flags.rows[i].id = id++;
    }
    return flags;
}

/* --- What goes by a name ---------------------------------------------------------------------- */

static const struct admin_noun nouns[] = {
    {"INTEGRATION", "integration_id", "listIntegrations", "name", "integration", "integrations"},
    {"DEVICE", NULL, "listDevices", "name", "phone", "phones"},
    {"API_KEY", NULL, "listApiKeys", "name", "key", "keys"},
    {"OPERATOR", NULL, "listOperators", "name", "operator", "operators"},
    {"ENDPOINT", NULL, "listWebhookEndpoints", "description", "endpoint", "endpoints"},
};

const struct admin_noun *admin_find_noun(const char *word, const char *path)
{
    for (size_t i = 0; i < COUNT_OF(nouns); i++) {
        bool is_path = !word && nouns[i].path && strcmp(nouns[i].path, path) == 0;
        if (is_path || (word && strcmp(nouns[i].word, word) == 0)) return &nouns[i];
    }
    return NULL;
}
