/* A command line is read by the flags of its command, and becomes a target and a body. */
#include "app/admin/admin_command.h"
#include "kit/json/utf8.h"
#include "kit/json/writer.h"

#include <errno.h>
#include <stdio.h>

enum {
    WORDS_MAX = 2 + ADMIN_IDS_MAX,
    SECRET_FILE_MAX = 4096,
    TARGET_MAX = 64 * 1024,
    MISSING_MAX = 1024,
};

#define ADMIN_SETTING "setting"
#define SEE_HELP      " `herald admin --help` shows all commands."

/* The parts of a command line. */
struct parts {
    const char *words[WORDS_MAX]; /* the words of the command, and the ids */
    int word_count;
    struct {
        const char *name, *value;
    } flags[ADMIN_FLAGS_MAX];
    size_t flag_count;
};

/* --- Flags ------------------------------------------------------------------------------------ */

static bool is_utf8(const char *text)
{
    return utf8_is_valid(text, text + strlen(text));
}

static enum err take_url(struct admin_input *input, const char *value, struct arena *arena,
                         struct buf *why)
{
    bool is_web = strncmp(value, "http://", 7) == 0 || strncmp(value, "https://", 8) == 0;
    size_t len = strlen(value);

    while (len > 0 && value[len - 1] == '/')
        len--;
    if (!is_web || !str_is_visible(str_of(value)) || strpbrk(value, "?#@\\") ||
        len <= strlen("https:")) {
        buf_text(why, "--url must be an address such as http://127.0.0.1:8080 or "
                      "https://herald.example.com, without user and query.");
        return ERR_VALIDATION;
    }
    input->url = arena_str(arena, (struct str){value, len});
    return ERR_OK;
}

/* The service checks that it is at most 1. */
static bool is_share(const char *value)
{
    if (strcmp(value, ADMIN_SETTING) == 0) return true;
    if (value[0] != '0' && value[0] != '1') return false;
    if (value[1] == '\0') return true;
    return value[1] == '.' && value[2] && value[2 + strspn(value + 2, "0123456789")] == '\0';
}

static enum err check_value(const struct admin_flag *flag, const char *value, struct buf *why)
{
    const struct field *field = flag->field;
    long long number;

    if (field->type == FIELD_INTEGER && !str_to_int64(str_of(value), &number)) {
        buf_printf(why, "--%s must be a whole number.", flag->name);
        return ERR_VALIDATION;
    }
    if ((field->flags & FIELD_SHARE) && !is_share(value)) {
        buf_printf(why, "--%s must be a number from 0 to 1 such as 0.5, or setting.", flag->name);
        return ERR_VALIDATION;
    }
    if (!is_utf8(value)) {
        buf_printf(why, "--%s must be UTF-8.", flag->name);
        return ERR_VALIDATION;
    }
    return ERR_OK;
}

/* Returns the index of the flag; the count if the command does not take it. */
static size_t find_flag(const struct admin_flags *flags, const char *name)
{
    for (size_t i = 0; i < flags->count; i++) {
        if (flags->rows[i].id < 0 && strcmp(flags->rows[i].name, name) == 0) return i;
    }
    return flags->count;
}

/* Tells whether some command takes it; any other flag is a setting. */
static bool is_flag_of_any(const char *name, struct arena *arena)
{
    for (size_t i = 0; i < admin_command_count; i++) {
        struct admin_flags flags = admin_flags_of(&admin_commands[i], arena);
        if (find_flag(&flags, name) < flags.count) return true;
    }
    return false;
}

static enum err take_flag(int arg_count, char **args, int *index, struct arena *arena,
                          struct parts *parts, struct admin_input *input, struct buf *why)
{
    const char *arg = args[*index];
    const char *name = arena_str(arena, (struct str){arg + 2, strcspn(arg + 2, "=")});

    if (strcmp(arg, "--json") == 0) input->wants_json = true;
    if (strcmp(arg, "--help") == 0) input->wants_help = true;
    if (strcmp(arg, "--json") == 0 || strcmp(arg, "--help") == 0) return ERR_OK;
    if (is_flag_of_any(arena_printf(arena, "%s-file", name), arena)) {
        buf_printf(why,
                   "A secret that is given by a flag can be seen by others: put it into a file and "
                   "give --%s-file FILE, or - for stdin.",
                   name);
        return ERR_VALIDATION;
    }
    const char *value =
        strchr(arg, '='); /* every other flag has a value, behind the = or as the next word */
    if (value)
        value++;
    else if (*index + 1 < arg_count)
        value = args[++*index];
    if (!value) {
        buf_printf(why, "--%s needs a value." SEE_HELP, name);
        return ERR_VALIDATION;
    }
    if (strcmp(name, "url") == 0) return take_url(input, value, arena, why);
    if (!is_flag_of_any(name, arena)) {
        input->settings[input->setting_count++] = arena_printf(arena, "--%s=%s", name, value);
        return ERR_OK;
    }
    if (parts->flag_count == ADMIN_FLAGS_MAX) {
        buf_text(why, "There are too many flags." SEE_HELP);
        return ERR_VALIDATION;
    }
    parts->flags[parts->flag_count].name = name;
    parts->flags[parts->flag_count++].value = value;
    return ERR_OK;
}

/* --- Words ------------------------------------------------------------------------------------ */

/* A literal word stands behind `--`, and may begin with a dash. */
static enum err take_word(struct parts *parts, const char *word, bool is_literal, struct buf *why)
{
    bool is_flag = !is_literal && word[0] == '-' && word[1];
    if (parts->word_count == WORDS_MAX || is_flag) {
        buf_printf(why, "\"%s\" is not understood here." SEE_HELP, word);
        return ERR_VALIDATION;
    }
    parts->words[parts->word_count++] = word;
    return ERR_OK;
}

static enum err find_command(const struct parts *parts, struct arena *arena,
                             struct admin_input *input, struct buf *why)
{
    const char *first = parts->word_count > 0 ? parts->words[0] : "";
    const char *second = parts->word_count > 1 ? parts->words[1] : "";
    const char *words = arena_printf(arena, "%s %s", first, second);
    bool has_first = false;

    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        size_t len = strcspn(command->words, " ");
        has_first |= strlen(first) == len && strncmp(command->words, first, len) == 0;
        if (strcmp(command->words, words) != 0) continue;
        input->command = command;
        input->route = admin_route(command);
        input->flags = admin_flags_of(command, arena);
        return ERR_OK;
    }
    buf_printf(why, "`herald admin%s%s` goes on with one of: ", has_first ? " " : "",
               has_first ? first : "");
    admin_list_words(has_first ? first : "", why);
    buf_text(why, "." SEE_HELP);
    return ERR_VALIDATION;
}

static enum err take_uuid(const char *name, const char *word, struct arena *arena,
                          const char **ret_text, struct buf *why)
{
    struct uuid id;

    if (!uuid_parse(str_of(word), &id)) {
        buf_printf(why, "%s must be an id such as 0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f.", name);
        return ERR_VALIDATION;
    }
    *ret_text = uuid_text(&id, arena);
    return ERR_OK;
}

static enum err take_text(const char *name, const char *word, const char **ret_text,
                          struct buf *why)
{
    if (!word[0] || !is_utf8(word)) {
        buf_printf(why, "%s must be a text in UTF-8.", name);
        return ERR_VALIDATION;
    }
    *ret_text = word;
    return ERR_OK;
}

/* Tells whether the id with that number stands for a {*text} of the path. */
static bool is_text_id(const char *path, int index)
{
    const char *open = strchr(path, '{');

    while (open && index-- > 0)
        open = strchr(open + 1, '{');
    return open && open[1] == '*';
}

static enum err take_ids(const struct parts *parts, struct arena *arena, struct admin_input *input,
                         struct buf *why)
{
    const struct admin_command *command = input->command;

    for (int i = 0; i < ADMIN_IDS_MAX; i++) {
        const char *word = i + 2 < parts->word_count ? parts->words[i + 2] : NULL;
        if (!word && !command->ids[i]) continue;
        if (!word || !command->ids[i]) {
            buf_printf(why, "It is: herald admin %s", admin_usage(command, arena));
            return ERR_VALIDATION;
        }
        enum err err = is_text_id(input->route->path, i)
                           ? take_text(command->ids[i], word, &input->ids[i], why)
                           : take_uuid(command->ids[i], word, arena, &input->ids[i], why);
        if (err) return err;
    }
    return ERR_OK;
}

/* --- What belongs together -------------------------------------------------------------------- */

static enum err take_values(const struct parts *parts, struct arena *arena,
                            struct admin_input *input, struct buf *why)
{
    const struct admin_command *command = input->command;

    for (size_t i = 0; i < parts->flag_count; i++) {
        const char *name = parts->flags[i].name;
        size_t index = find_flag(&input->flags, name);
        if (index == input->flags.count) {
            buf_printf(why, "`herald admin %s` takes no --%s. It is: herald admin %s",
                       command->words, name, admin_usage(command, arena));
            return ERR_VALIDATION;
        }
        if (input->values[index]) {
            buf_printf(why, "--%s is given twice.", name);
            return ERR_VALIDATION;
        }
        enum err err = check_value(&input->flags.rows[index], parts->flags[i].value, why);
        if (err) return err;
        input->values[index] = parts->flags[i].value;
    }
    return ERR_OK;
}

/* Writes "--name, --erp-url": the flags that are needed and missing, or all. Tells whether there is
 * one. */
static bool list_flags(const struct admin_input *input, bool is_missing, struct buf *out)
{
    const char *separator = "";

    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        if (flag->id >= 0 || (is_missing && (!flag->is_required || input->values[i]))) continue;
        buf_printf(out, "%s--%s", separator, flag->name);
        separator = ", ";
    }
    return separator[0] != '\0';
}

static enum err check_flags(const struct parts *parts, struct arena *arena,
                            struct admin_input *input, struct buf *why)
{
    const struct admin_command *command = input->command;
    bool is_change = strcmp(input->route->method, "PATCH") == 0 && !command->body;
    AUTO_BUF missing = {0};

    buf_init(&missing, MISSING_MAX);
    if (list_flags(input, true, &missing)) {
        buf_printf(why, "`herald admin %s` needs %.*s. It is: herald admin %s", command->words,
                   (int)missing.len, missing.data, admin_usage(command, arena));
        return ERR_VALIDATION;
    }
    if (is_change && parts->flag_count == 0) {
        buf_printf(why, "`herald admin %s` needs at least one of ", command->words);
        list_flags(input, false, why);
        buf_char(why, '.');
        return ERR_VALIDATION;
    }
    for (size_t i = 0; i < input->flags.count && command->proposed_path; i++) {
        bool is_proposed = strcmp(input->flags.rows[i].path, command->proposed_path) == 0;
        if (is_proposed && !input->values[i]) input->values[i] = command->proposed_value;
    }
    return ERR_OK;
}

static enum err take_args(int arg_count, char **args, struct arena *arena, struct parts *parts,
                          struct admin_input *input, struct buf *why)
{
    bool is_literal = false;
    enum err err = ERR_OK;

    for (int i = 0; !err && i < arg_count; i++) {
        bool is_flag = !is_literal && strncmp(args[i], "--", 2) == 0;
        if (is_flag && args[i][2] == '\0')
            is_literal = true;
        else
            err = is_flag ? take_flag(arg_count, args, &i, arena, parts, input, why)
                          : take_word(parts, args[i], is_literal, why);
    }
    return err;
}

enum err admin_parse(int arg_count, char **args, struct arena *arena, struct admin_input *ret_input,
                     struct buf *why)
{
    struct parts parts = {.word_count = 0};

    *ret_input = (struct admin_input){0};
    ret_input->settings = arena_array(arena, (size_t)arg_count + 1, sizeof(char *));
    enum err err = take_args(arg_count, args, arena, &parts, ret_input, why);
    if (err || ret_input->wants_help) return err;
    err = find_command(&parts, arena, ret_input, why);
    if (!err) err = take_ids(&parts, arena, ret_input, why);
    if (!err) err = take_values(&parts, arena, ret_input, why);
    return err ? err : check_flags(&parts, arena, ret_input, why);
}

/* --- Secrets ---------------------------------------------------------------------------------- */

static enum err read_secret(const char *flag, const char *path, struct arena *arena,
                            const char **ret_text, struct buf *why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file) {
        buf_printf(why, "--%s: the file %s cannot be read: %s.", flag, path, strerror(errno));
        return ERR_VALIDATION;
    }
    setvbuf(file, NULL, _IONBF, 0); /* a buffer would keep a copy of a secret */
    char *text = arena_alloc(arena, SECRET_FILE_MAX + 1);
    size_t len = fread(text, 1, SECRET_FILE_MAX + 1, file);
    bool has_failed = ferror(file);
    if (!is_stdin) fclose(file);

    size_t line_len = len;
    while (line_len > 0 && strchr("\r\n", text[line_len - 1]))
        line_len--;
    const char *fault = has_failed                     ? "cannot be read"
                        : line_len == 0                ? "holds nothing"
                        : len > SECRET_FILE_MAX        ? "holds more than 4096 bytes"
                        : memchr(text, '\0', line_len) ? "holds bytes that are no text"
                                                       : NULL;
    *ret_text = text;
    if (!fault) {
        text[line_len] = '\0';
        fault = is_utf8(text) ? NULL : "holds bytes that are no text";
    }
    if (!fault) return ERR_OK;
    buf_printf(why, "--%s: %s%s %s.", flag, is_stdin ? "" : "the file ", is_stdin ? "stdin" : path,
               fault);
    return ERR_VALIDATION;
}

enum err admin_read_secrets(struct admin_input *input, struct arena *arena, struct buf *why)
{
    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        const char *path = input->values[i];
        if (!path || !(flag->field->flags & FIELD_SECRET)) continue;
        enum err err = read_secret(flag->name, path, arena, &input->values[i], why);
        if (err) return err;
    }
    return ERR_OK;
}

/* --- The target ------------------------------------------------------------------------------- */

/* All but the unreserved characters of RFC 3986 are encoded. */
static void put_encoded(const char *text, struct buf *out)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-._~";

    for (const char *p = text; *p; p++) {
        if (strchr(unreserved, *p))
            buf_char(out, *p);
        else
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)*p);
    }
}

const char *admin_make_target(const struct admin_input *input, struct arena *arena)
{
    const char *path = input->route->path;
    const char *separator = "?";
    AUTO_BUF target = {0};
    int id = 0;

    buf_init(&target, TARGET_MAX);
    for (const char *p = path; *p; p += *p == '}') {
        size_t len = strcspn(p, "{");
        buf_str(&target, (struct str){p, len});
        p += len;
        if (*p == '\0') break;
        put_encoded(input->ids[id++], &target);
        p = strchr(p, '}');
    }
    for (size_t i = 0; i < input->flags.count && input->route->query; i++) {
        if (!input->values[i]) continue;
        buf_printf(&target, "%s%s=", separator, input->flags.rows[i].path);
        put_encoded(input->values[i], &target);
        separator = "&";
    }
    return arena_str(arena, buf_view(&target));
}

/* --- The body --------------------------------------------------------------------------------- */

static void write_list(const char *words, struct json_writer *writer)
{
    json_array_begin(writer);
    for (const char *p = words; *p;) {
        size_t len = strcspn(p, " ");
        if (len > 0) json_str(writer, (struct str){p, len});
        p += len + (p[len] == ' ');
    }
    json_array_end(writer);
}

static void write_value(const struct field *field, const char *value, struct json_writer *writer)
{
    long long number = 0;

    if (field->type == FIELD_STRINGS)
        write_list(value, writer);
    else if (field->type == FIELD_DECIMAL && strcmp(value, ADMIN_SETTING) == 0)
        json_null(writer);
    else if (field->type == FIELD_DECIMAL)
        json_raw(writer, str_of(value));
    else if (field->type == FIELD_INTEGER && str_to_int64(str_of(value), &number))
        json_int(writer, number);
    else
        json_text(writer, value);
}

void admin_write_body(const struct admin_input *input, struct arena *arena, struct buf *out)
{
    const struct record *record = input->route->body;
    const char *fixed = input->command->body;
    const char *opened = ""; /* the record within the body that is being written */
    struct json_writer writer;

    if (fixed) buf_text(out, fixed);
    if (fixed || !record || record->field_count == 0) return;
    json_writer_init(&writer, out);
    json_object_begin(&writer);
    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        const char *value = flag->id >= 0 ? input->ids[flag->id] : input->values[i];
        const char *dot = strchr(flag->path, '.');
        const char *within =
            arena_str(arena, (struct str){flag->path, dot ? (size_t)(dot - flag->path) : 0});
        if (!value) continue;
        if (strcmp(within, opened) != 0) {
            if (opened[0]) json_object_end(&writer);
            if (within[0]) json_key(&writer, within);
            if (within[0]) json_object_begin(&writer);
            opened = within;
        }
        json_key(&writer, dot ? dot + 1 : flag->path);
        write_value(flag->field, value, &writer);
    }
    if (opened[0]) json_object_end(&writer);
    json_object_end(&writer);
}
