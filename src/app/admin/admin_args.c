/* Reads a command line by the table of commands, and makes the body of a request of it. */
#include "app/admin/admin_command.h"
#include "kit/json/utf8.h"
#include "kit/json/writer.h"

#include <errno.h>
#include <stdio.h>

enum { WORDS_MAX = 2 + ADMIN_IDS_MAX, SECRET_FILE_MAX = 4096, TARGET_MAX = 64 * 1024 };

#define ADMIN_SETTING "setting"
#define SEE_HELP      " `herald admin --help` shows all commands."

/* A command line in its parts. */
struct parts {
    const char *words[WORDS_MAX]; /* of the command, and the ids */
    int word_count;
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
    bool is_visible = true;

    for (const char *p = value; *p; p++)
        is_visible = is_visible && *p > ' ' && *p <= '~';
    while (len > 0 && value[len - 1] == '/')
        len--;
    if (!is_web || !is_visible || strpbrk(value, "?#@\\") || len <= strlen("https:")) {
        buf_text(why, "--url must be an address such as http://127.0.0.1:8080 or "
                      "https://herald.example.com, without user and query.");
        return ERR_VALIDATION;
    }
    input->url = arena_str(arena, (struct str){value, len});
    return ERR_OK;
}

/* That it is at most 1, the service says. */
static bool is_share(const char *value)
{
    if (strcmp(value, ADMIN_SETTING) == 0) return true;
    if (value[0] != '0' && value[0] != '1') return false;
    if (value[1] == '\0') return true;
    return value[1] == '.' && value[2] && value[2 + strspn(value + 2, "0123456789")] == '\0';
}

static enum err take_value(struct admin_input *input, size_t index, const char *value,
                           struct buf *why)
{
    const struct admin_flag *flag = &admin_flags[index];
    long long number;

    if (input->values[index]) {
        buf_printf(why, "--%s is given twice.", flag->name);
        return ERR_VALIDATION;
    }
    if (flag->kind == ADMIN_NUMBER && !str_to_int64(str_of(value), &number)) {
        buf_printf(why, "--%s must be a whole number.", flag->name);
        return ERR_VALIDATION;
    }
    if (flag->kind == ADMIN_SHARE && !is_share(value)) {
        buf_printf(why, "--%s must be a number from 0 to 1 such as 0.5, or setting.", flag->name);
        return ERR_VALIDATION;
    }
    if (!is_utf8(value)) {
        buf_printf(why, "--%s must be UTF-8.", flag->name);
        return ERR_VALIDATION;
    }
    input->values[index] = value;
    return ERR_OK;
}

/* Every flag but --json and --help has a value: behind "=", or as the next argument. */
static const char *find_value(int arg_count, char **args, int *index)
{
    const char *equals = strchr(args[*index], '=');
    if (equals) return equals + 1;
    return *index + 1 < arg_count ? args[++*index] : NULL;
}

static void keep_setting(struct admin_input *input, const char *name, const char *value,
                         struct arena *arena)
{
    input->settings[input->setting_count++] = arena_printf(arena, "%s=%s", name, value);
}

static enum err take_flag(int arg_count, char **args, int *index, struct arena *arena,
                          struct admin_input *input, struct buf *why)
{
    const char *arg = args[*index];
    struct str name = {arg + 2, strcspn(arg + 2, "=")};

    if (strcmp(arg, "--json") == 0) input->wants_json = true;
    if (strcmp(arg, "--help") == 0) input->wants_help = true;
    if (strcmp(arg, "--json") == 0 || strcmp(arg, "--help") == 0) return ERR_OK;
    if (str_is(name, "erp-token")) {
        buf_text(why, "A secret that is given by a flag can be seen by others: put it into a file "
                      "and give --erp-token-file FILE, or - for stdin.");
        return ERR_VALIDATION;
    }
    const char *value = find_value(arg_count, args, index);
    if (!value) {
        buf_printf(why, "--%.*s needs a value." SEE_HELP, (int)name.len, name.data);
        return ERR_VALIDATION;
    }
    if (str_is(name, "url")) return take_url(input, value, arena, why);
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        if (str_is(name, admin_flags[i].name)) return take_value(input, i, value, why);
    }
    keep_setting(input, arena_str(arena, (struct str){arg, name.len + 2}), value, arena);
    return ERR_OK;
}

/* --- Words ------------------------------------------------------------------------------------ */

/* `is_literal`: behind `--`, where a word may begin with a dash. */
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

/* "list, show, ...": the second words of the commands that begin with `first`. */
static void list_second_words(const char *first, struct buf *why)
{
    size_t len = strlen(first);
    const char *separator = "";

    for (size_t i = 0; i < admin_command_count; i++) {
        const char *words = admin_commands[i].words;
        if (strncmp(words, first, len) != 0 || words[len] != ' ') continue;
        buf_printf(why, "%s%s", separator, words + len + 1);
        separator = ", ";
    }
}

static bool is_first_word(const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < admin_command_count; i++) {
        const char *words = admin_commands[i].words;
        if (strncmp(words, word, len) == 0 && words[len] == ' ') return true;
    }
    return false;
}

static enum err find_command(const struct parts *parts, struct arena *arena,
                             struct admin_input *input, struct buf *why)
{
    const char *first = parts->word_count > 0 ? parts->words[0] : "";
    const char *second = parts->word_count > 1 ? parts->words[1] : "";
    const char *words = arena_printf(arena, "%s %s", first, second);

    for (size_t i = 0; i < admin_command_count; i++) {
        if (strcmp(admin_commands[i].words, words) == 0) input->command = &admin_commands[i];
    }
    if (input->command) return ERR_OK;
    if (is_first_word(first)) {
        buf_printf(why, "`herald admin %s` needs one of these words: ", first);
        list_second_words(first, why);
        buf_text(why, "." SEE_HELP);
        return ERR_VALIDATION;
    }
    buf_text(why, "`herald admin` begins with integrations, clients, secrets, keys, packages or "
                  "orders." SEE_HELP);
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
        bool is_text = i == 1 && command->middle;
        enum err err = is_text ? take_text(command->ids[i], word, &input->ids[i], why)
                               : take_uuid(command->ids[i], word, arena, &input->ids[i], why);
        if (err) return err;
    }
    return ERR_OK;
}

/* --- What belongs together -------------------------------------------------------------------- */

static unsigned given_flags(const struct admin_input *input)
{
    unsigned given = 0;
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        if (input->values[i]) given |= 1U << i;
    }
    return given;
}

static void list_flags(unsigned set, struct buf *why)
{
    const char *separator = "";
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        if (!(set & 1U << i)) continue;
        buf_printf(why, "%s--%s", separator, admin_flags[i].name);
        separator = ", ";
    }
}

static enum err check_flags(const struct admin_input *input, struct arena *arena, struct buf *why)
{
    const struct admin_command *command = input->command;
    unsigned given = given_flags(input);
    unsigned foreign = given & ~(command->required | command->optional);
    unsigned missing = command->required & ~given;

    if (foreign) {
        buf_printf(why, "`herald admin %s` takes no ", command->words);
        list_flags(foreign, why);
        buf_printf(why, ". It is: herald admin %s", admin_usage(command, arena));
        return ERR_VALIDATION;
    }
    if (missing) {
        buf_printf(why, "`herald admin %s` needs ", command->words);
        list_flags(missing, why);
        buf_printf(why, ". It is: herald admin %s", admin_usage(command, arena));
        return ERR_VALIDATION;
    }
    if (command->is_change && !given) {
        buf_printf(why, "`herald admin %s` needs at least one of ", command->words);
        list_flags(command->optional, why);
        buf_char(why, '.');
        return ERR_VALIDATION;
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
            err = is_flag ? take_flag(arg_count, args, &i, arena, input, why)
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
    if (!err) err = check_flags(ret_input, arena, why);
    for (size_t i = 0; !err && i < ADMIN_FLAG_COUNT; i++) {
        bool is_proposed = ret_input->command->proposed & 1U << i;
        if (is_proposed && !ret_input->values[i]) ret_input->values[i] = admin_flags[i].proposal;
    }
    return err;
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
    setvbuf(file, NULL, _IONBF, 0); /* no copy of a secret in memory that nobody wipes */
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
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        const char *path = input->values[i];
        if (!path || admin_flags[i].kind != ADMIN_SECRET) continue;
        enum err err = read_secret(admin_flags[i].name, path, arena, &input->values[i], why);
        if (err) return err;
    }
    return ERR_OK;
}

/* --- The target ------------------------------------------------------------------------------- */

static bool is_get(const struct admin_command *command)
{
    return strcmp(command->method, "GET") == 0;
}

/* RFC 3986: all but the unreserved characters are encoded. */
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
    const struct admin_command *command = input->command;
    char separator = '?';
    AUTO_BUF target = {0};

    buf_init(&target, TARGET_MAX);
    buf_text(&target, command->path);
    if (input->ids[0]) buf_text(&target, input->ids[0]);
    if (command->middle) {
        buf_text(&target, command->middle);
        put_encoded(input->ids[1], &target);
    }
    if (command->tail) buf_text(&target, command->tail);
    for (size_t i = 0; i < ADMIN_FLAG_COUNT && is_get(command); i++) {
        if (!input->values[i]) continue;
        buf_printf(&target, "%c%s=", separator, admin_flags[i].path);
        put_encoded(input->values[i], &target);
        separator = '&';
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

static void write_value(enum admin_flag_kind kind, const char *value, struct json_writer *writer)
{
    long long number = 0;

    switch (kind) {
    case ADMIN_TEXT:
    case ADMIN_SECRET:
        json_text(writer, value);
        break;
    case ADMIN_NUMBER:
        (void)str_to_int64(str_of(value), &number); /* it was checked as it came */
        json_int(writer, number);
        break;
    case ADMIN_SHARE:
        if (strcmp(value, ADMIN_SETTING) == 0)
            json_null(writer);
        else
            json_raw(writer, str_of(value));
        break;
    case ADMIN_LIST:
        write_list(value, writer);
        break;
    }
}

/* The given fields whose path is `prefix` and one name more. */
static void write_fields(const struct admin_input *input, const char *prefix,
                         struct json_writer *writer)
{
    size_t len = strlen(prefix);

    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        const char *path = admin_flags[i].path;
        if (!input->values[i] || strncmp(path, prefix, len) != 0 || strchr(path + len, '.'))
            continue;
        json_key(writer, path + len);
        write_value(admin_flags[i].kind, input->values[i], writer);
    }
}

static bool has_erp_fields(const struct admin_input *input)
{
    for (size_t i = 0; i < ADMIN_FLAG_COUNT; i++) {
        if (input->values[i] && strncmp(admin_flags[i].path, "erp.", strlen("erp.")) == 0)
            return true;
    }
    return false;
}

void admin_write_body(const struct admin_input *input, struct buf *out)
{
    const struct admin_command *command = input->command;
    struct json_writer writer;

    if (command->body) buf_text(out, command->body);
    bool is_made = command->required || command->optional || command->id_field;
    if (command->body || !is_made || is_get(command)) return;

    json_writer_init(&writer, out);
    json_object_begin(&writer);
    write_fields(input, "", &writer);
    if (has_erp_fields(input)) {
        json_key(&writer, "erp");
        json_object_begin(&writer);
        write_fields(input, "erp.", &writer);
        json_object_end(&writer);
    }
    if (command->id_field) json_put_text(&writer, command->id_field, input->ids[1]);
    json_object_end(&writer);
}
