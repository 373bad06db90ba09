/* Files with keys that herald makes: whole or not there, and never over another one. */
#include "app/setup/key_file.h"

#include "app/setup/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static void sync_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd); /* a folder that cannot be synced is no reason not to start */
    close(fd);
}

/* The name of the draft cannot be guessed, and a file that has it all the same is not written to.
 */
enum err key_file_write(const char *dir, const char *path, const char *text, struct arena *arena,
                        struct buf *why)
{
    const char *draft = arena_printf(arena, "%s.%s", path, secret_new_token(arena, ""));
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const struct iovec line[] = {{(void *)text, strlen(text)}, {(void *)"\n", 1}};
    ssize_t len = (ssize_t)line[0].iov_len + 1;

    bool is_written = fd >= 0 && writev(fd, line, 2) == len && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    bool is_there = is_written && (link(draft, path) == 0 || errno == EEXIST);
    if (!is_there) buf_printf(why, "The file %s cannot be written: %s.", path, strerror(errno));
    if (fd >= 0) (void)unlink(draft);
    sync_folder(dir);
    return is_there ? ERR_OK : ERR_VALIDATION;
}

enum err key_file_read(const char *path, const char *name, struct arena *arena, char **ret_line,
                       struct buf *why)
{
    char *text;
    enum err err = config_read_value(path, arena, &text, why);
    if (err == ERR_VALIDATION)
        buf_printf(why, " It must hold %s: put it back from a backup, or give %s_FILE.", name,
                   name);
    if (err) return err;
    size_t len = strcspn(text, "\r\n");
    secret_wipe(text + len, strlen(text + len));
    *ret_line = text;
    return ERR_OK;
}

const char *key_file_next(const char *path, struct arena *arena)
{
    return arena_printf(arena, "%s.new", path);
}

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_printf(arena, "%.*s", (int)(slash - path), path) : ".";
}

enum err key_file_make_next(const char *path, struct arena *arena, char **ret_key, struct buf *why)
{
    const char *next = key_file_next(path, arena);
    char *made = secret_new_token(arena, "");

    enum err err = key_file_write(folder_of(path, arena), next, made, arena, why);
    secret_wipe(made, SECRET_TOKEN_LEN);
    return err ? err : key_file_read(next, "HERALD_SECRET_KEY", arena, ret_key, why);
}

bool key_file_replace(const char *path)
{
    struct arena arena;

    arena_init(&arena);
    bool is_replaced = rename(key_file_next(path, &arena), path) == 0;
    sync_folder(folder_of(path, &arena));
    arena_done(&arena);
    return is_replaced;
}
