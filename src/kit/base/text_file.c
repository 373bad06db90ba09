/* Text is read as people write it: with a byte order mark, ends of lines of either kind, quotes. */
#include "kit/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_LEN = 4096 };

struct str text_behind_mark(struct str text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t len = sizeof(mark) - 1;
    bool has_mark = text.len >= len && memcmp(text.data, mark, len) == 0;

    return has_mark ? str_behind(text, len) : text;
}

bool text_file_read(int fd, struct buf *out)
{
    char piece[PIECE_LEN];
    ssize_t got = 0;

    while (!out->is_full && (got = read(fd, piece, sizeof(piece))) > 0)
        buf_append(out, piece, (size_t)got);
    explicit_bzero(piece, sizeof(piece));
    if (out->is_full) errno = EFBIG;
    if (out->is_full || got < 0) return false;
    buf_consume(out, out->len - text_behind_mark(buf_view(out)).len);
    return true;
}

bool text_file_read_marked(const char *path, struct buf *out)
{
    char begin[3];
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) return false;
    ssize_t len = pread(fd, begin, sizeof(begin), 0);
    bool has_mark = len > 0 && text_behind_mark((struct str){begin, (size_t)len}).len == 0;
    bool is_read = has_mark && text_file_read(fd, out);
    close(fd);
    return is_read;
}

bool text_is_quoted(struct str value)
{
    bool has_pair = value.len >= 2 && value.data[0] == value.data[value.len - 1];
    return has_pair && (value.data[0] == '"' || value.data[0] == '\'');
}

static void split(struct str line, struct text_setting *setting)
{
    struct str name = str_until(line, '=');

    setting->name = str_trim(name);
    setting->value = (struct str){0};
    if (name.len == line.len) return;
    setting->value = str_trim(str_behind(line, name.len + 1));
    if (text_is_quoted(setting->value))
        setting->value = (struct str){setting->value.data + 1, setting->value.len - 2};
}

bool text_next_setting(struct str *rest, struct text_setting *setting)
{
    while (rest->len > 0) {
        struct str raw = str_until(*rest, '\n'), line = raw;
        *rest = str_behind(*rest, raw.len < rest->len ? raw.len + 1 : raw.len);
        setting->line++;
        while (line.len > 0 && line.data[line.len - 1] == '\r')
            line.len--;
        line = str_trim(line);
        if (line.len == 0 || line.data[0] == '#') continue;
        split(line, setting);
        return true;
    }
    return false;
}
