/* A command line is read by the flags of its command, and becomes a target and a body. */
#include "app/admin/admin_command.h"
#include "kit/base/text_file.h"
#include "kit/json/utf8.h"
#include "kit/json/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

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

static bool is_header_value(const char *value)
{
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f) return false;
    }
    return value[0] != '\0';
}

static enum err check_value(const struct admin_flag *flag, const char *value, struct buf *why)
{
    const struct field *field = flag->field;
    long long number;

    if (field->type == FIELD_INTEGER && !str_to_int64(str_of(value), &number)) {
        buf_printf(why, "--%s must be a whole number.", flag->name);
        return ERR_VALIDATION;
    }
    bool is_switch = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    if (field->type == FIELD_TRISTATE && !is_switch) {
        buf_printf(why, "--%s must be true or false.", flag->name);
        return ERR_VALIDATION;
    }
    if ((field->flags & FIELD_SHARE) && !is_share(value)) {
        buf_printf(why, "--%s must be a number from 0 to 1 such as 0.5, or setting.", flag->name);
        return ERR_VALIDATION;
    }
    bool is_header = field == &admin_idempotency_key;
    if (!is_utf8(value) || (is_header && !is_header_value(value))) {
        buf_printf(why, "--%s must be UTF-8%s.", flag->name,
                   is_header ? " without control characters" : "");
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
    if (strcmp(arg, "--follow") == 0) input->wants_follow = true;
    if (strcmp(arg, "--json") == 0 || strcmp(arg, "--help") == 0 || strcmp(arg, "--follow") == 0)
        return ERR_OK;
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

/* Says which words there are in the place of the one that is none, and which one is near. */
static enum err refuse_words(const char *first, const char *typed, struct arena *arena,
                             struct buf *why)
{
    const char *nearest = typed[0] ? admin_nearest_word(first, typed, arena) : NULL;

    buf_printf(why, "`herald admin%s%s` goes on with one of: ", first[0] ? " " : "", first);
    admin_list_words(first, why);
    buf_char(why, '.');
    if (nearest) buf_printf(why, " Did you mean \"%s\"?", nearest);
    buf_text(why, SEE_HELP);
    return ERR_VALIDATION;
}

/* Help about a noun shows all commands with it. */
static enum err find_help(const struct parts *parts, struct arena *arena, struct admin_input *input,
                          struct buf *why)
{
    bool has_first = false;

    input->first = parts->word_count > 0 ? parts->words[0] : "";
    input->second = parts->word_count > 1 ? parts->words[1] : "";
    for (size_t i = 0; i < admin_command_count; i++) {
        if (admin_begins_with(&admin_commands[i], input->first, input->second)) return ERR_OK;
        has_first |= admin_begins_with(&admin_commands[i], input->first, "");
    }
    return refuse_words(has_first ? input->first : "", has_first ? input->second : input->first,
                        arena, why);
}

static enum err find_command(const struct parts *parts, struct arena *arena,
                             struct admin_input *input, struct buf *why)
{
    const char *first = parts->word_count > 0 ? parts->words[0] : "";
    const char *second = parts->word_count > 1 ? parts->words[1] : "";
    bool has_first = false;

    for (size_t i = 0; i < admin_command_count; i++) {
        const struct admin_command *command = &admin_commands[i];
        bool has_second = strchr(command->words, ' ');
        bool is_noun = first[0] && admin_begins_with(command, first, "");
        has_first |= is_noun;
        if (!is_noun || (has_second && (!second[0] || !admin_begins_with(command, first, second))))
            continue;
        input->command = command;
        input->route = admin_route(command);
        input->flags = admin_flags_of(command, arena);
        return ERR_OK;
    }
    return refuse_words(has_first ? first : "", has_first ? second : first, arena, why);
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
        buf_printf(why, word[0] ? "%s must be a text in UTF-8." : "%s must not be empty.", name);
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

/* Tells whether it stands for a text of the body. */
static bool is_text_of_body(const struct admin_input *input, int index)
{
    for (size_t i = 0; i < input->flags.count; i++) {
        if (input->flags.rows[i].id == index)
            return input->flags.rows[i].field->type == FIELD_STRING;
    }
    return false;
}

static enum err take_ids(const struct parts *parts, struct arena *arena, struct admin_input *input,
                         struct buf *why)
{
    const struct admin_command *command = input->command;
    int taken = strchr(command->words, ' ') ? 2 : 1; /* words of the command itself */

    for (int i = 0; i < ADMIN_IDS_MAX; i++) {
        const char *word = i + taken < parts->word_count ? parts->words[i + taken] : NULL;
        if (!word && (!command->ids[i] || (command->optional && i == 0))) continue;
        if (!word || !command->ids[i]) {
            buf_printf(why, "It is: herald admin %s", admin_usage(command, arena));
            return ERR_VALIDATION;
        }
        struct uuid id;
        bool is_name =
            word[0] && admin_find_noun(command->ids[i], NULL) && !uuid_parse(str_of(word), &id);
        bool is_text = is_text_id(input->route->path, i) || is_text_of_body(input, i);
        enum err err = is_name || is_text
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
    if (input->wants_follow && !command->is_log) {
        buf_printf(why, "`herald admin %s` takes no --follow. It is: herald admin %s",
                   command->words, admin_usage(command, arena));
        return ERR_VALIDATION;
    }
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
        if (!is_literal && strcmp(args[i], "-h") == 0)
            input->wants_help = true;
        else if (is_flag && args[i][2] == '\0')
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
    if (err) return err;
    if (ret_input->wants_help) return find_help(&parts, arena, ret_input, why);
    err = find_command(&parts, arena, ret_input, why);
    if (!err) err = take_ids(&parts, arena, ret_input, why);
    if (!err) err = take_values(&parts, arena, ret_input, why);
    return err ? err : check_flags(&parts, arena, ret_input, why);
}

/* --- Secrets ---------------------------------------------------------------------------------- */

/* Reads the file, or standard input for "-". Returns ERR_NOT_FOUND if it cannot be opened, and
 * ERR_VALIDATION if it cannot be read; `errno` says why. */
static enum err read_file(const char *path, struct buf *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) return ERR_NOT_FOUND;
    bool is_read = text_file_read(fd, out);
    if (!is_stdin) close(fd);
    return is_read ? ERR_OK : ERR_VALIDATION;
}

static enum err read_secret(const char *flag, const char *path, struct arena *arena,
                            const char **ret_text, struct buf *why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    AUTO_BUF text = {0};

    buf_init(&text, SECRET_FILE_MAX);
    enum err err = read_file(path, &text);
    if (err == ERR_NOT_FOUND) {
        buf_printf(why, "--%s: the file %s cannot be read: %s.", flag, path, strerror(errno));
        return ERR_VALIDATION;
    }
    struct str line = buf_view(&text);
    while (line.len > 0 && strchr("\r\n", line.data[line.len - 1]))
        line.len--;
    *ret_text = arena_str(arena, line);
    bool is_text = strlen(*ret_text) == line.len && is_utf8(*ret_text);
    const char *fault = text.is_full    ? "holds more than 4096 bytes"
                        : err           ? "cannot be read"
                        : line.len == 0 ? "holds nothing"
                        : !is_text      ? "holds bytes that are no text"
                                        : NULL;
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
void admin_put_encoded(const char *text, struct buf *out)
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
        admin_put_encoded(input->ids[id++], &target);
        p = strchr(p, '}');
    }
    for (size_t i = 0; i < input->flags.count && input->route->query; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        const char *value = flag->id >= 0 ? input->ids[flag->id] : input->values[i];
        if (!value) continue;
        buf_printf(&target, "%s%s=", separator, flag->path);
        admin_put_encoded(value, &target);
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
    else if (field->type == FIELD_DECIMAL || field->type == FIELD_MAP)
        json_raw(writer, str_of(value));
    else if (field->type == FIELD_INTEGER && str_to_int64(str_of(value), &number))
        json_int(writer, number);
    else if (field->type == FIELD_BOOLEAN)
        json_bool(writer, strcmp(value, "true") == 0);
    else
        json_text(writer, value);
}

static void write_flags(const struct admin_input *input, struct arena *arena, struct buf *out)
{
    const char *opened = ""; /* the record within the body that is being written */
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_object_begin(&writer);
    for (size_t i = 0; i < input->flags.count; i++) {
        const struct admin_flag *flag = &input->flags.rows[i];
        const char *value = flag->id >= 0 ? input->ids[flag->id] : input->values[i];
        const char *dot = strchr(flag->path, '.');
        const char *within =
            arena_str(arena, (struct str){flag->path, dot ? (size_t)(dot - flag->path) : 0});
        if (!value || flag->field == &admin_idempotency_key) continue;
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

static enum err read_body(const char *path, struct buf *out, struct buf *why)
{
    enum err err = read_file(path, out);

    if (!err && out->len > 0) return ERR_OK;
    if (err == ERR_NOT_FOUND)
        buf_printf(why, "--body: the file %s cannot be read: %s.", path, strerror(errno));
    else
        buf_printf(why, "--body: %s %s.", strcmp(path, "-") == 0 ? "stdin" : path,
                   err ? "cannot be read" : "holds nothing");
    return ERR_VALIDATION;
}

enum err admin_write_body(const struct admin_input *input, struct arena *arena, struct buf *out,
                          struct buf *why)
{
    const struct record *record = input->route->body;
    const char *fixed = input->command->body;

    if (input->command->is_body_file)
        return read_body(admin_value(input, admin_body_file.name), out, why);
    if (fixed)
        buf_text(out, fixed);
    else if (record && record->field_count > 0)
        write_flags(input, arena, out);
    return ERR_OK;
}
