/* A file of lines: the key, the id of the phone, milliseconds between pings, "sse" or "auto". */
#include "kept.h"

#include "kit/base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_line(FILE *file, char *ret_text, size_t size)
{
    char line[KEPT_KEY_MAX];

    if (!fgets(line, sizeof(line), file)) return;
    size_t len = strcspn(line, "\r\n");
    if (len >= size) len = size - 1;
    memcpy(ret_text, line, len);
    ret_text[len] = '\0';
}

void kept_read(const char *path, struct kept *ret_kept)
{
    char ping[24] = "", channel[8] = "";
    long long ping_ms;
    FILE *file = path ? fopen(path, "re") : NULL;

    *ret_kept = (struct kept){0};
    if (!file) return;
    read_line(file, ret_kept->key, sizeof(ret_kept->key));
    read_line(file, ret_kept->device_id, sizeof(ret_kept->device_id));
    read_line(file, ping, sizeof(ping));
    read_line(file, channel, sizeof(channel));
    fclose(file);
    if (str_to_int64(str_of(ping), &ping_ms)) ret_kept->ping_ms = ping_ms;
    ret_kept->is_sse_only = strcmp(channel, "sse") == 0;
}

bool kept_write(const char *path, const struct kept *kept)
{
    if (!path) return true;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_written = dprintf(file, "%s\n%s\n%lld\n%s\n", kept->key, kept->device_id,
                              (long long)kept->ping_ms, kept->is_sse_only ? "sse" : "auto") > 0;
    close(file);
    return is_written;
}
