/* The help of `herald admin` is printed from its commands and from the tables of records. */
#include "app/admin/admin_command.h"
#include "kit/base/text_map.h"

#include <inttypes.h>

enum { COLUMNS_MAX = 80, INDENT = 6, FLAG_COLUMN = 27, USAGE_MAX = 1024 };

static const char help_head[] =
    "herald admin - all that the running service lets its operators see and do.\n"
    "INTEGRATION, DEVICE, API_KEY, OPERATOR and ENDPOINT are an id or a name.\n"
    "\n";

static const char help_tail[] =
    "\n"
    "  --follow  shows what comes into the log until it is stopped, with --level\n"
    "            and --q alone\n"
    "  --json    the service's answer as JSON, for programs\n"
    "  --url     where the service is, such as https://herald.example.com; by\n"
    "            default it is looked for at HERALD_LISTEN\n"
    "  --        ends the options: an EVENT_ID behind it may begin with a dash\n"
    "\n"
    "The key is HERALD_API_KEY, or in the file HERALD_API_KEY_FILE: an API key.\n"
    "Without one it is INTERNAL_API_KEY, or what lies in the file\n"
    "INTERNAL_API_KEY_FILE, or what `herald serve` made beside its embedded\n"
    "database. Settings are given as to\n"
    "every verb: --state-dir DIR, --config FILE, the environment. Where none of these\n"
    "names a herald, that of this machine is asked: /etc/herald/herald.conf and\n"
    "/var/lib/herald, which mostly takes sudo.\n"
    "\n"
    "Exit status: 0 done; 1 the service refused, or was not reached; 2 a wrong\n"
    "command or setting.\n";

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

/* Writes a text from column `indent` on, and ends the line. */
static void add_words(struct buf *out, size_t indent, const char *text)
{
    size_t column = indent;

    for (const char *p = text; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        add_word(out, &column, indent, (struct str){p, len});
        p += len;
    }
    buf_char(out, '\n');
}

/* Returns the word that stands for the value. */
static const char *placeholder(const struct field *field)
{
    size_t len = strlen(field->name);
    bool is_time = len > 8 && strcmp(field->name + len - 8, "_seconds") == 0;

    if ((field->flags & FIELD_SECRET) || field == &admin_body_file) return "FILE";
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
    case FIELD_BOOLEAN:
    case FIELD_TRISTATE:
        return "true|false";
    case FIELD_MAP:
        return "JSON";
    case FIELD_STRING:
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
    case FIELD_STRING_OR_INTEGER:
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
    for (size_t i = 0; i < ADMIN_IDS_MAX && command->ids[i]; i++) {
        bool is_optional = command->optional && i == 0;
        const char *id = command->ids[i];
        if (is_optional) id = arena_printf(arena, "[%s]", id);
        add_word(out, &column, INDENT, str_of(id));
    }
    for (size_t i = 0; i < flags.count; i++) {
        const struct admin_flag *flag = &flags.rows[i];
        bool is_needed = flag->is_required;
        if (flag->id >= 0) continue;
        const char *usage = arena_printf(arena, "%s--%s %s%s", is_needed ? "" : "[", flag->name,
                                         placeholder(flag->field), is_needed ? "" : "]");
        add_word(out, &column, INDENT, str_of(usage));
    }
    if (command->is_log) add_word(out, &column, INDENT, STR("[--follow]"));
}

const char *admin_usage(const struct admin_command *command, struct arena *arena)
{
    AUTO_BUF usage = {0};
    buf_init(&usage, USAGE_MAX);
    print_usage(command, 0, arena, &usage);
    return arena_str(arena, buf_view(&usage));
}

bool admin_begins_with(const struct admin_command *command, const char *first, const char *second)
{
    size_t len = strlen(first), rest = strlen(second);
    const char *words = command->words;

    if (len == 0) return true;
    if (strncmp(words, first, len) != 0 || (words[len] != ' ' && words[len] != '\0')) return false;
    return rest == 0 || (words[len] == ' ' && strcmp(words + len + 1, second) == 0);
}

/* Lists the words that may stand behind `first`, or as first ones, each once. */
static size_t collect_words(const char *first, struct arena *arena, const char **words)
{
    size_t first_len = strlen(first), count = 0;

    for (size_t i = 0; i < admin_command_count; i++) {
        const char *word = admin_commands[i].words;
        if (!admin_begins_with(&admin_commands[i], first, "")) continue;
        if (first_len > 0 && word[first_len] == '\0') continue;
        if (first_len > 0) word += first_len + 1;
        word = arena_str(arena, (struct str){word, strcspn(word, " ")});
        if (count == 0 || strcmp(words[count - 1], word) != 0) words[count++] = word;
    }
    return count;
}

void admin_list_words(const char *first, struct buf *out)
{
    struct arena arena;

    arena_init(&arena);
    const char **words = arena_array(&arena, admin_command_count, sizeof(*words));
    size_t count = collect_words(first, &arena, words);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", words[i]);
    arena_done(&arena);
}

const char *admin_nearest_word(const char *first, const char *typed, struct arena *arena)
{
    const char **words = arena_array(arena, admin_command_count, sizeof(*words));
    size_t count = collect_words(first, arena, words);

    return str_nearest(typed, words, count);
}

/* Prints the flag with the first sentence of its field, and the values that it takes. */
static void print_flag(const struct admin_flag *flag, struct arena *arena, struct buf *out)
{
    const struct field *field = flag->field;
    const char *usage = arena_printf(arena, "--%s %s", flag->name, placeholder(field));
    const char *end = strstr(field->doc, ". ");
    int len = end ? (int)(end - field->doc) + 1 : (int)strlen(field->doc);
    char *doc = arena_printf(arena, "%.*s", len, field->doc);

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
    add_words(out, FLAG_COLUMN, doc);
}

void admin_print_help(const char *first, const char *second, struct buf *out)
{
    struct text_map seen;
    struct arena arena;

    arena_init(&arena);
    text_map_init(&seen);
    if (!first[0]) buf_text(out, help_head);
    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        if (!admin_begins_with(command, first, second)) continue;
        buf_text(out, "  herald admin");
        print_usage(command, strlen("  herald admin"), &arena, out);
        const char *summary = arena_printf(&arena, "%s.", admin_route(command)->summary);
        buf_printf(out, "\n%*s", INDENT, "");
        add_words(out, INDENT, command->doc ? command->doc : summary);
    }
    buf_char(out, '\n');
    for (size_t i = 0; i < admin_command_count; i++) {
        struct admin_flags flags = admin_flags_of(&admin_commands[i], &arena);
        if (!admin_begins_with(&admin_commands[i], first, second)) continue;
        for (size_t k = 0; k < flags.count; k++) {
            const struct admin_flag *flag = &flags.rows[k];
            bool is_new = flag->id < 0 && text_map_add(&seen, str_of(flag->name), 0, NULL);
            if (is_new) print_flag(flag, &arena, out);
        }
    }
    buf_text(out, first[0]
                      ? "\n`herald admin --help` shows all commands, and where key and service are "
                        "found.\n"
                      : help_tail);
    text_map_done(&seen);
    arena_done(&arena);
}
