/* A ring of task ids, and a file with one id a line. */
#include "sent_list.h"

#include <stdio.h>
#include <stdlib.h>

struct sent_list {
    struct uuid ids[SENT_LIST_MAX];
    size_t count; /* of all that were ever added */
    FILE *file;
};

static void keep(struct sent_list *sent, const struct uuid *id)
{
    sent->ids[sent->count++ % SENT_LIST_MAX] = *id;
}

/* A last line that was cut off by a kill is no UUID and is read over; it is ended here, so that
 * the next id does not grow onto it. */
static void load(struct sent_list *sent)
{
    char line[64] = "";
    struct uuid id;
    bool is_cut = false;

    rewind(sent->file);
    while (fgets(line, sizeof line, sent->file)) {
        is_cut = !strchr(line, '\n');
        line[strcspn(line, "\n")] = '\0';
        if (uuid_parse(str_of(line), &id)) keep(sent, &id);
    }
    fseek(sent->file, 0, SEEK_END); /* C wants it between reading and writing */
    if (is_cut) fputc('\n', sent->file);
}

struct sent_list *sent_list_new(const char *path)
{
    struct sent_list *sent = calloc(1, sizeof *sent);

    if (!sent) abort();
    if (!path) return sent;
    sent->file = fopen(path, "a+e");
    if (!sent->file) {
        free(sent);
        return NULL;
    }
    load(sent);
    return sent;
}

void sent_list_free(struct sent_list *sent)
{
    if (!sent) return;
    if (sent->file) fclose(sent->file);
    free(sent);
}

bool sent_list_has(const struct sent_list *sent, const struct uuid *task_id)
{
    size_t held = sent->count < SENT_LIST_MAX ? sent->count : SENT_LIST_MAX;

    for (size_t i = 0; i < held; i++)
        if (uuid_equal(&sent->ids[i], task_id)) return true;
    return false;
}

bool sent_list_add(struct sent_list *sent, const struct uuid *task_id)
{
    char line[UUID_TEXT_LEN + 1];

    if (sent->file) {
        uuid_format(task_id, line);
        if (fprintf(sent->file, "%s\n", line) < 0 || fflush(sent->file) != 0) return false;
    }
    keep(sent, task_id);
    return true;
}
