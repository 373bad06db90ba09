/*
 * Entries of the log are shown in lines of 80 columns: the time, the level and the message, and
 * below them the fields, as words that begin a new line where they would pass the last column.
 */
#include "app/admin/admin_show.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"
#include "kit/json/pointer.h"

enum { INDENT = 25, TOKEN_MAX = 64 * 1024 };

static void put_field(struct show_lines *lines, const char *name, enum json_token token,
                      struct str value, struct arena *arena)
{
    const char *text = token == JSON_TRUE    ? "true"
                       : token == JSON_FALSE ? "false"
                       : token == JSON_NULL  ? "null"
                                             : show_safe(value, arena);
    show_words(lines, arena_printf(arena, "%s=%s", name, text));
}

/* The time stands above already. */
static void put_fields(struct show_lines *lines, struct str fields, struct arena *arena)
{
    struct json_reader *reader = json_reader_new(TOKEN_MAX);
    const char *name = "";
    struct str text = {0};
    enum json_token token;

    json_feed(reader, fields, true);
    while ((token = json_next(reader, &text)) != JSON_END && token != JSON_FAULT) {
        if (token == JSON_KEY)
            name = show_safe(text, arena);
        else if (token >= JSON_STRING && strcmp(name, "at") != 0)
            put_field(lines, name, token, text, arena);
    }
    json_reader_free(reader);
}

/* Returns "11-21 04:33:00" of "2026-11-21T04:33:00.123Z". */
static const char *short_time(const struct log_entry *entry, struct arena *arena)
{
    struct json_value at;

    bool is_there = json_find(entry->fields, "/at", arena, &at) && at.type == JSON_STRING &&
                    at.text.len == CLOCK_TEXT_LEN;
    if (!is_there) return "-";
    const char *text = show_safe(at.text, arena);
    return arena_printf(arena, "%.5s %.8s", text + 5, text + 11);
}

void show_log_entry(const struct log_entry *entry, struct arena *arena, struct buf *out)
{
    struct show_lines lines = {.out = out, .indent = INDENT, .column = INDENT};
    bool is_known = entry->level >= 0 && entry->level < LOG_LEVEL_COUNT;

    buf_printf(out, "%-14s  %-7s  ", short_time(entry, arena),
               is_known ? log_level_words[entry->level] : "-");
    show_words(&lines, show_safe(str_of(entry->message), arena));
    size_t len = out->len;
    show_next_line(&lines);
    put_fields(&lines, entry->fields, arena);
    if (lines.column == INDENT) out->len = len; /* it has no fields */
    buf_char(out, '\n');
}

void show_log(const struct admin_view *view)
{
    const struct log_entry_list *list = view->value;
    const struct log_entry *entries = list->entries.items;

    if (list->entries.count == 0) {
        buf_text(view->out, "There is no such entry.\n");
        return;
    }
    buf_printf(view->out, "%-14s  %-7s  %s\n", "TIME (UTC)", "LEVEL", "MESSAGE");
    for (size_t i = list->entries.count; i > 0; i--)
        show_log_entry(&entries[i - 1], view->arena, view->out);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are older ones: --cursor %s\n", list->next_cursor);
}
