/* A path that is no readable file is refused with a sentence, and never waited for. */
#include "app/setup/config_file.h"

#include "kit/base/secret.h"
#include "kit/base/text_file.h"
#include "kit/json/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 * 1024 };

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "it is a folder";
    case S_IFIFO:
        return "it is a pipe (FIFO), which may never say anything";
    case S_IFSOCK:
        return "it is a socket";
    default:
        return "it is a device";
    }
}

enum err config_open_file(const char *path, int *ret_fd, struct buf *why)
{
    struct stat status;
    /* Without O_NONBLOCK, this would wait for a pipe without a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *fault = fd < 0 ? strerror(errno) : NULL;
    bool is_missing = fd < 0 && errno == ENOENT;

    if (is_missing && lstat(path, &status)) return ERR_NOT_FOUND;
    if (is_missing)
        fault = "it is a link that leads to nothing";
    else if ((fd < 0 ? stat(path, &status) : fstat(fd, &status)) == 0 && !S_ISREG(status.st_mode))
        fault = kind_of(status.st_mode);
    if (!fault) {
        *ret_fd = fd;
        return ERR_OK;
    }
    if (fd >= 0) close(fd);
    buf_printf(why, "The file %s cannot be read: %s.", path, fault);
    return ERR_VALIDATION;
}

/* Reads the file and closes it. */
static enum err read_all(int fd, const char *path, struct arena *arena, struct str *ret_text,
                         struct buf *why)
{
    AUTO_BUF text = {0};

    buf_init(&text, FILE_BYTES_MAX);
    bool is_read = text_file_read(fd, &text);
    const char *fault = errno == EFBIG ? "it is larger than 64 KiB" : strerror(errno);
    close(fd);
    if (is_read) {
        *ret_text = (struct str){arena_str(arena, buf_view(&text)), text.len};
        return ERR_OK;
    }
    buf_printf(why, "The file %s cannot be read: %s.", path, fault);
    return ERR_VALIDATION;
}

enum err config_read_file(const char *path, struct arena *arena, struct str *ret_text,
                          struct buf *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return read_all(fd, path, arena, ret_text, why);
    buf_printf(why, "The file %s cannot be read: %s.", path, strerror(errno));
    return ERR_VALIDATION;
}

enum err config_read_value(const char *path, struct arena *arena, char **ret_value, struct buf *why)
{
    struct str text;
    int fd;
    enum err err = config_open_file(path, &fd, why);
    if (!err) err = read_all(fd, path, arena, &text, why);
    if (err) return err;

    bool is_text =
        !memchr(text.data, '\0', text.len) && utf8_is_valid(text.data, text.data + text.len);
    size_t len = text.len;
    while (len > 0 && isspace((unsigned char)text.data[len - 1]))
        len--;
    *ret_value = arena_str(arena, str_trim((struct str){text.data, len}));
    secret_wipe((char *)text.data, text.len);
    if (is_text && len > 0) return ERR_OK;
    secret_wipe(*ret_value, len);
    buf_printf(why, "The file %s %s.", path, is_text ? "is empty" : "holds bytes that are no text");
    return ERR_VALIDATION;
}
