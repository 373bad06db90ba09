/* Ids and flags of some kinds take names, too, and a list of the service tells whose they are. */
#include "app/admin/admin_names.h"

#include "app/api/routes.h"
#include "core/page.h"

enum { QUERY_MAX = 4096, IDS_MAX = 64 * 1024 };

/* --- A list ----------------------------------------------------------------------------------- */

/* A search holds what is looked for, and what was found. */
struct search {
    const struct admin_noun *noun;
    const struct route *route;
    const char *name;
    const char *id; /* of the last one found */
    size_t count;
    struct buf ids;
};

static const void *member_of(const char *row, const struct field *field)
{
    return row + field->offset;
}

/* A thing that was ended for good has left its name to others. */
static bool is_over(const char *row, const struct record *record)
{
    const struct field *end = record_find(record, STR("revoked_at"));
    return end && *(const int64_t *)member_of(row, end) > 0;
}

/* Notes those of a page that have exactly this name; its rows are the first list of the page. */
static void take_page(struct search *search, const char *page, struct arena *arena)
{
    const struct field *list = search->route->reply->fields;
    const struct record *record = list->record;
    const struct record_list *rows = member_of(page, list);
    const struct field *member = record_find(record, str_of(search->noun->member));

    for (size_t i = 0; i < rows->count; i++) {
        const char *row = (const char *)rows->items + i * record->size;
        const char *name = *(const char *const *)member_of(row, member);
        if (!name || strcmp(name, search->name) != 0 || is_over(row, record)) continue;
        search->id = uuid_text(member_of(row, record_find(record, STR("id"))), arena);
        search->count++;
        buf_printf(&search->ids, "\n  %s", search->id);
    }
}

static const char *next_cursor(const struct search *search, const char *page)
{
    const struct field *cursor = record_find(search->route->reply, STR("next_cursor"));
    return cursor ? *(const char *const *)member_of(page, cursor) : NULL;
}

/* Lists that can be searched are, and those that come in pages are turned. */
static const char *make_list_target(const struct search *search, const char *cursor,
                                    struct arena *arena)
{
    const struct record *query = search->route->query;
    AUTO_BUF text = {0};

    buf_init(&text, QUERY_MAX);
    buf_text(&text, search->route->path);
    if (query) buf_printf(&text, "?limit=%d", PAGE_LIMIT_MAX);
    if (cursor) buf_printf(&text, "&cursor=%s", cursor);
    if (query && record_find(query, STR("q"))) {
        buf_text(&text, "&q=");
        admin_put_encoded(search->name, &text);
    }
    return arena_str(arena, buf_view(&text));
}

static bool ask(struct search *search, const struct admin_input *input,
                const struct admin_service *service, struct arena *arena, struct buf *why)
{
    char *page = arena_alloc(arena, search->route->reply->size);
    const char *cursor = NULL;

    do {
        const char *target = make_list_target(search, cursor, arena);
        if (!admin_read(input, service, target, search->route->reply, arena, page, why))
            return false;
        take_page(search, page, arena);
        cursor = next_cursor(search, page);
    } while (cursor);
    return true;
}

/* --- Names ------------------------------------------------------------------------------------ */

static bool resolve(const struct admin_noun *noun, const char *label, const char **text,
                    const struct admin_input *input, const struct admin_service *service,
                    struct arena *arena, struct buf *why)
{
    struct search search = {
        .noun = noun, .route = routes_find(noun->operation), .name = *text, .id = NULL};

    buf_init(&search.ids, IDS_MAX);
    bool is_asked = ask(&search, input, service, arena, why);
    if (is_asked && search.count == 0)
        buf_printf(why, "%s: no %s has the id or the name \"%s\".", label, noun->one, *text);
    if (is_asked && search.count > 1)
        buf_printf(why, "%s: %zu %s have the name \"%s\". Give the id of one:%.*s", label,
                   search.count, noun->many, *text, (int)search.ids.len, search.ids.data);
    if (search.count == 1) *text = search.id;
    buf_done(&search.ids);
    return is_asked && search.count == 1;
}

static bool is_name(const char *text)
{
    struct uuid id;
    return text && !uuid_parse(str_of(text), &id);
}

bool admin_resolve_names(struct admin_input *input, const struct admin_service *service,
                         struct arena *arena, struct buf *why)
{
    const char *const *words = input->command->ids;

    for (int i = 0; i < ADMIN_IDS_MAX && words[i]; i++) {
        const struct admin_noun *noun = admin_find_noun(words[i], NULL);
        if (noun && is_name(input->ids[i]) &&
            !resolve(noun, words[i], &input->ids[i], input, service, arena, why))
            return false;
    }
    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        const struct admin_noun *noun = admin_find_noun(NULL, flag->path);
        if (noun && is_name(input->values[i]) &&
            !resolve(noun, arena_printf(arena, "--%s", flag->name), &input->values[i], input,
                     service, arena, why))
            return false;
    }
    return true;
}
