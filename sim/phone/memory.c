/* A ring of task ids, and a file with one id a line. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

struct memory {
    struct uuid ids[MEMORY_TASKS_MAX];
    size_t count; /* of all that were ever added */
    FILE *file;
};

static void keep(struct memory *memory, const struct uuid *id)
{
    memory->ids[memory->count++ % MEMORY_TASKS_MAX] = *id;
}

/* A last line that was cut off by a kill is no UUID and is read over; it is ended here, so that
 * the next id does not grow onto it. */
static void load(struct memory *memory)
{
    char line[64] = "";
    struct uuid id;
    bool is_cut = false;

    rewind(memory->file);
    while (fgets(line, sizeof line, memory->file)) {
        is_cut = !strchr(line, '\n');
        line[strcspn(line, "\n")] = '\0';
        if (uuid_parse(str_of(line), &id)) keep(memory, &id);
    }
    fseek(memory->file, 0, SEEK_END); /* C wants it between reading and writing */
    if (is_cut) fputc('\n', memory->file);
}

struct memory *memory_new(const char *path)
{
    struct memory *memory = calloc(1, sizeof *memory);

    if (!memory) abort();
    if (!path) return memory;
    memory->file = fopen(path, "a+e");
    if (!memory->file) {
        free(memory);
        return NULL;
    }
    load(memory);
    return memory;
}

void memory_free(struct memory *memory)
{
    if (!memory) return;
    if (memory->file) fclose(memory->file);
    free(memory);
}

bool memory_has(const struct memory *memory, const struct uuid *task_id)
{
    size_t held = memory->count < MEMORY_TASKS_MAX ? memory->count : MEMORY_TASKS_MAX;

    for (size_t i = 0; i < held; i++)
        if (uuid_equal(&memory->ids[i], task_id)) return true;
    return false;
}

bool memory_add(struct memory *memory, const struct uuid *task_id)
{
    char line[UUID_TEXT_LEN + 1];

    if (memory->file) {
        uuid_format(task_id, line);
        if (fprintf(memory->file, "%s\n", line) < 0 || fflush(memory->file) != 0) return false;
    }
    keep(memory, task_id);
    return true;
}
