/* Each change appends the whole row to the file, as a line of JSON; of two the later one counts. */
#include "memory.h"

#include "kit/base/macros.h"
#include "sim/common/say.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MAX = 10000 };

const char *const state_words[] = {"Pending",   "Processed", "Sent",
                                   "Delivered", "Failed",    "Cancelled"};

struct memory {
    FILE *file; /* NULL: nothing outlives the app */
    struct arena arena;
    struct remembered *rows[ROWS_MAX];
    size_t count;
};

/* A line of the file. */
struct line {
    struct uuid id;
    int64_t state, slot, valid_until;
    const char *error, *recipient, *text;
};
static const struct field line_fields[] = {
    FIELD(struct line, id, FIELD_UUID, FIELD_REQUIRED, NULL),
    FIELD(struct line, state, FIELD_INTEGER, FIELD_REQUIRED, NULL, .max = STATE_CANCELLED),
    FIELD(struct line, slot, FIELD_INTEGER, FIELD_REQUIRED, NULL),
    FIELD(struct line, valid_until, FIELD_INTEGER, FIELD_REQUIRED, NULL),
    FIELD(struct line, error, FIELD_STRING, 0, NULL),
    FIELD(struct line, recipient, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct line, text, FIELD_STRING, FIELD_REQUIRED, NULL),
};
static const struct record line_record = {.size = sizeof(struct line), RECORD_FIELDS(line_fields)};

static struct remembered *find_or_make(struct memory *memory, const struct uuid *id)
{
    struct remembered *row = memory_find(memory, id);

    if (row || memory->count == ROWS_MAX) return row;
    row = ARENA_NEW(&memory->arena, struct remembered);
    *row = (struct remembered){.id = *id};
    memory->rows[memory->count++] = row;
    return row;
}

/* A line that was cut off when the app died counts for nothing. */
static void take_line(struct memory *memory, const char *text)
{
    struct line line = {0};

    if (!wire_decode(&line_record, str_of(text), &memory->arena, &line)) return;
    struct remembered *row = find_or_make(memory, &line.id);
    if (!row) return;
    *row = (struct remembered){
        .id = line.id,
        .state = (enum state)line.state,
        .error = arena_text(&memory->arena, line.error),
        .recipient = arena_text(&memory->arena, line.recipient),
        .text = arena_text(&memory->arena, line.text),
        .slot = line.slot,
        .valid_until = line.valid_until,
    };
}

struct memory *memory_new(const char *path)
{
    struct memory *memory = calloc(1, sizeof(*memory));
    char *line = NULL;
    size_t size = 0;

    if (!memory) abort();
    arena_init(&memory->arena);
    if (!path) return memory;
    memory->file = fopen(path, "a+e");
    if (!memory->file) {
        memory_free(memory);
        return NULL;
    }
    rewind(memory->file);
    while (getline(&line, &size, memory->file) > 0)
        take_line(memory, line);
    free(line);
    return memory;
}

void memory_free(struct memory *memory)
{
    if (memory->file) fclose(memory->file);
    arena_done(&memory->arena);
    free(memory);
}

size_t memory_count(const struct memory *memory)
{
    return memory->count;
}

struct remembered *memory_at(const struct memory *memory, size_t i)
{
    return memory->rows[i];
}

struct remembered *memory_find(const struct memory *memory, const struct uuid *id)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (uuid_equal(&memory->rows[i]->id, id)) return memory->rows[i];
    }
    return NULL;
}

static bool write_row(const struct memory *memory, const struct remembered *row)
{
    char id[UUID_TEXT_LEN + 1];
    char *text = say_quote(str_of(row->text)),
         *error = row->error ? say_quote(str_of(row->error)) : NULL;

    uuid_format(&row->id, id);
    bool is_written =
        !memory->file ||
        (fprintf(memory->file,
                 "{\"id\":\"%s\",\"state\":%d,\"slot\":%" PRId64 ",\"valid_until\":%" PRId64
                 ",\"recipient\":\"%s\",\"text\":%s%s%s}\n",
                 id, (int)row->state, row->slot, row->valid_until, row->recipient, text,
                 error ? ",\"error\":" : "", error ? error : "") > 0 &&
         fflush(memory->file) == 0);
    free(text);
    free(error);
    return is_written;
}

struct remembered *memory_add(struct memory *memory, const struct message *message)
{
    struct remembered *row = find_or_make(memory, &message->id);

    if (!row) return NULL;
    row->recipient = arena_text(&memory->arena, *(const char *const *)message->recipients.items);
    row->text = arena_text(&memory->arena, message->text->text);
    row->slot = message->slot;
    row->valid_until = message->valid_until;
    return write_row(memory, row) ? row : NULL;
}

bool memory_set(struct memory *memory, struct remembered *row, enum state state, const char *error)
{
    row->state = state;
    row->error = arena_text(&memory->arena, error);
    return write_row(memory, row);
}
