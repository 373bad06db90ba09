/* Fields are found by their names here, and faults get their rows; some formats of strings are at
 * home here, too. */
#include "kit/json/record.h"

#include "kit/json/record_value.h"

#include <stdarg.h>
#include <stdio.h>

void record_faults_init(struct record_faults *faults, struct arena *arena)
{
    *faults = (struct record_faults){.arena = arena};
}

/* Returns the path as seen from the body: that of the record under check, then its own. */
static const char *full_path(const struct record_faults *faults, const char *path)
{
    if (!faults->prefix || !faults->prefix[0]) return arena_text(faults->arena, path);
    bool has_dot = path[0] && path[0] != '[';
    return arena_printf(faults->arena, "%s%s%s", faults->prefix, has_dot ? "." : "", path);
}

static bool has_fault_at(const struct record_faults *faults, const char *path)
{
    for (size_t i = 0; i < faults->count; i++) {
        if (strcmp(faults->rows[i].path, path) == 0) return true;
    }
    return false;
}

__attribute__((format(printf, 2, 0))) static char *print_message(struct arena *arena,
                                                                 const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert(len >= 0);
    char *message = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(message, (size_t)len + 1, format, args);
    return message;
}

void record_fault(struct record_faults *faults, const char *path, const char *format, ...)
{
    if (faults->count == FAULTS_MAX) {
        faults->is_truncated = true;
        return;
    }
    const char *full = full_path(faults, path);
    if (has_fault_at(faults, full)) return;

    va_list args;
    va_start(args, format);
    const char *message = print_message(faults->arena, format, args);
    va_end(args);
    faults->rows[faults->count++] = (struct record_fault){.path = full, .message = message};
}

const struct field *record_find(const struct record *record, struct str name)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (field_is_named(field, name)) return field;
    }
    return NULL;
}

static bool is_visible(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '!' || text.data[i] > '~') return false;
    }
    return true;
}

const struct field_format format_visible = {
    .is_valid = is_visible,
    .message = "Must hold visible ASCII characters only: no spaces, no other letters.",
    .pattern = "^[!-~]*$",
};
