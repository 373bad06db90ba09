/*
 * Writes typed log fields and the process's own log. It escapes as JSON does, but without kit/json,
 * so that the lowest room stands on nothing.
 */
#include "kit/base/log.h"

#include "kit/base/clock.h"
#include "kit/base/log_names.h"
#include "kit/base/mask.h"
#include "kit/base/terminal.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8192 };

const char *const log_level_words[LOG_LEVEL_COUNT + 1] = {"debug", "info", "warning", "error",
                                                          NULL};

/* The least level that the operator wants to see; it is set once at the start. */
static _Atomic int level_shown = LOG_INFO;

/* It says whether systemd's journal reads the lines, and is set once at the start. */
static _Atomic bool is_journal;

/* systemd reads the number in front of a line as its priority (sd-daemon(3)). */
static const int priorities[LOG_LEVEL_COUNT] = {
    [LOG_DEBUG] = 7, [LOG_INFO] = 6, [LOG_WARNING] = 4, [LOG_ERROR] = 3};

struct log_field log_length(const char *name, const char *words)
{
    return words ? log_int(name, (int64_t)strlen(words)) : log_plain(name, NULL);
}

void log_set_level(enum log_level level)
{
    atomic_store_explicit(&level_shown, (int)level, memory_order_relaxed);
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Returns the length of the character, of which `p` has the first byte. */
static int put_special(struct buf *out, const char *p, const char *end)
{
    int len;
    unsigned danger = terminal_danger(p, end, &len);

    if (danger) {
        buf_printf(out, "\\u%04x", danger);
        return len;
    }
    if (*p == '"' || *p == '\\') buf_char(out, '\\');
    buf_char(out, *p);
    return 1;
}

/* Nearly all characters are plain, and those in a row are copied at once. */
static void put_string(struct buf *out, struct str text)
{
    const char *end = text.data + text.len;

    buf_char(out, '"');
    for (const char *p = text.data; p < end;) {
        const char *from = p;
        while (p < end && is_plain(*p))
            p++;
        buf_append(out, from, (size_t)(p - from));
        if (p < end) p += put_special(out, p, end);
    }
    buf_char(out, '"');
}

static bool is_shown(const struct log_field *field, bool is_sensitive)
{
    switch (field->type) {
    case LOG_FIELD_PLAIN:
    case LOG_FIELD_ID:
    case LOG_FIELD_WORDS:
    case LOG_FIELD_PHONE:
        return field->text != NULL;
    case LOG_FIELD_SECRET:
        return field->text && is_sensitive;
    case LOG_FIELD_INT:
    case LOG_FIELD_BOOL:
    case LOG_FIELD_UUID:
    case LOG_FIELD_NAMED:
        return true;
    }
    return false;
}

/* Nearly all texts may be shown as they are, and then nothing is copied. */
static void put_masked(struct buf *out, mask_fn mask, struct str text)
{
    AUTO_BUF masked = {0};

    buf_init(&masked, text.len + MASK_LEN_MAX);
    put_string(out, mask(text, &masked) ? buf_view(&masked) : text);
}

static void put_words(struct buf *out, struct str words, bool is_sensitive)
{
    put_masked(out, is_sensitive ? mask_secrets : mask_words, words);
}

static void put_id(struct buf *out, const struct uuid *id)
{
    char text[UUID_TEXT_LEN + 1];
    uuid_format(id, text);
    put_string(out, str_of(text));
}

/* Puts the id, and behind it the field with its name. */
static void put_named(struct buf *out, const struct log_field *field, bool is_sensitive)
{
    AUTO_BUF name = {0};

    put_id(out, &field->id);
    buf_init(&name, LINE_MAX_BYTES);
    if (!log_copy_name(&field->id, &name)) return;
    buf_char(out, ',');
    put_string(out, str_of(field->name_field));
    buf_char(out, ':');
    put_words(out, buf_view(&name), is_sensitive);
}

static void put_value(struct buf *out, const struct log_field *field, bool is_sensitive)
{
    switch (field->type) {
    case LOG_FIELD_INT:
        buf_printf(out, "%" PRId64, field->number);
        return;
    case LOG_FIELD_BOOL:
        buf_text(out, field->number ? "true" : "false");
        return;
    case LOG_FIELD_UUID:
        put_id(out, &field->id);
        return;
    case LOG_FIELD_NAMED:
        put_named(out, field, is_sensitive);
        return;
    case LOG_FIELD_PHONE:
        if (is_sensitive) {
            put_string(out, str_of(field->text));
            return;
        }
        buf_char(out, '"');
        mask_number(str_of(field->text), out); /* a mask itself has nothing to escape */
        buf_char(out, '"');
        return;
    case LOG_FIELD_ID:
        put_masked(out, is_sensitive ? mask_secrets : mask_id, str_of(field->text));
        return;
    case LOG_FIELD_WORDS:
        put_words(out, str_of(field->text), is_sensitive);
        return;
    case LOG_FIELD_PLAIN:
    case LOG_FIELD_SECRET:
        put_string(out, str_of(field->text));
        return;
    }
}

void log_encode_fields(struct buf *out, const struct log_field *fields, size_t count,
                       bool is_sensitive)
{
    bool is_first = true;

    buf_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(&fields[i], is_sensitive)) continue;
        if (!is_first) buf_char(out, ',');
        is_first = false;
        put_string(out, str_of(fields[i].name));
        buf_char(out, ':');
        put_value(out, &fields[i], is_sensitive);
    }
    buf_char(out, '}');
}

/* systemd names the socket that it gave as stderr (systemd.exec(5), JOURNAL_STREAM). */
void log_find_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char here[2 * 20 + 2];
    struct stat err;

    if (!stream || fstat(STDERR_FILENO, &err)) return;
    snprintf(here, sizeof(here), "%ju:%ju", (uintmax_t)err.st_dev, (uintmax_t)err.st_ino);
    atomic_store_explicit(&is_journal, strcmp(stream, here) == 0, memory_order_relaxed);
}

bool log_is_for_journal(void)
{
    return atomic_load_explicit(&is_journal, memory_order_relaxed);
}

bool log_is_for_people(void)
{
    return !log_is_for_journal() && isatty(STDERR_FILENO);
}

void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count)
{
    if ((int)level < atomic_load_explicit(&level_shown, memory_order_relaxed)) return;

    char at[CLOCK_TEXT_LEN + 1];
    clock_format(clock_wall_ms(), at);
    AUTO_BUF line = {0};
    buf_init(&line, LINE_MAX_BYTES);
    if (log_is_for_journal()) buf_printf(&line, "<%d>", priorities[level]);
    buf_printf(&line, "{\"at\":\"%s\",\"level\":\"%s\",\"message\":", at, log_level_words[level]);
    put_string(&line, str_of(message));
    buf_text(&line, ",\"fields\":");
    log_encode_fields(&line, fields, count, false);
    buf_text(&line, "}\n");
    if (line.is_full) return; /* half a line would be no JSON */

    /* A line is one write, so that lines of several threads do not mix; if it fails, nobody is left
     * to be told. */
    ssize_t written = write(STDERR_FILENO, line.data, line.len);
    (void)written;
}

enum err log_broken(const char *what, const char *file, int line)
{
    log_write(LOG_ERROR, "herald made a mistake, or its data are damaged",
              LOG_FIELDS(log_plain("what", what), log_plain("file", file), log_int("line", line)));
    return ERR_INTERNAL;
}
