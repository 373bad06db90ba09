/* API keys are shown as a table that fits 80 columns, and one by itself as facts. */
#include "app/admin/admin_show.h"
#include "domain/api_key/api_key.h"
#include "kit/base/macros.h"

enum { NAME_SHOWN_MAX = 20, DATE_LEN = 10 };

/* Returns "never", "revoked", or the day on which the key ends. */
static const char *end_cell(const struct api_key *key, struct arena *arena)
{
    if (key->revoked_at > 0) return "revoked";
    if (key->expires_at == 0) return "never";
    return arena_str(arena, (struct str){show_time(key->expires_at, arena), DATE_LEN});
}

static const char *name_cell(const struct api_key *key, struct arena *arena)
{
    struct str name = str_of(key->name);
    if (utf8_length(name) <= NAME_SHOWN_MAX) return key->name;
    return arena_printf(arena, "%s~", arena_str(arena, utf8_cut(name, NAME_SHOWN_MAX - 1)));
}

void show_api_keys(const struct admin_view *view)
{
    static const char *const heads[] = {"ID", "ROLE", "ENDS", "NAME"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct api_key_list *list = view->value;
    const struct api_key *rows = list->api_keys.items;
    size_t count = list->api_keys.count;

    if (count == 0) {
        buf_text(view->out, "There is no API key: `herald admin api-keys create` makes one.\n");
        return;
    }
    const char **cells = arena_array(view->arena, (count + 1) * COLUMNS, sizeof(char *));
    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = uuid_text(&rows[i].id, view->arena);
        row[1] = role_words[rows[i].role];
        row[2] = end_cell(&rows[i], view->arena);
        row[3] = name_cell(&rows[i], view->arena);
    }
    show_table(cells, COLUMNS, count + 1, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are more: --cursor %s\n", list->next_cursor);
}

static const char *rate_cell(int64_t rate, struct arena *arena)
{
    return rate < 0 ? NULL : show_number(rate, arena);
}

void show_new_api_key(const struct admin_view *view)
{
    const struct api_key *key = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"id", uuid_text(&key->id, arena)},
        {"name", key->name},
        {"key", key->key},
        {"role", role_words[key->role]},
        {"test", key->is_test ? "yes" : "no"},
        {"requests_per_minute", rate_cell(key->requests_per_minute, arena)},
        {"expires_at", show_time(key->expires_at, arena)},
        {"old_key_until", show_time(key->old_until, arena)},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_text(view->out, "\nThe key is shown this once: herald keeps only its hash.\n");
}

void show_own_api_key(const struct admin_view *view)
{
    const struct api_key_self *self = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"kind", actor_kind_words[self->kind]},
        {"id", uuid_is_nil(&self->id) ? NULL : uuid_text(&self->id, arena)},
        {"name", self->name},
        {"role", role_words[self->role]},
        {"test", self->is_test ? "yes" : "no"},
        {"requests_per_minute", rate_cell(self->requests_per_minute, arena)},
        {"expires_at", show_time(self->expires_at, arena)},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
}

void show_api_key_revoked(const struct admin_view *view)
{
    buf_printf(view->out,
               "The key %s has ended for good; every process refuses it within 10 seconds.\n",
               view->input->ids[0]);
}
