/* Files that people write are read here, and nowhere else. Some editors put a byte order mark
 * (UTF-8) before the text; it is no part of it. */
#pragma once

#include "kit/base/buf.h"

/* Returns the text behind a byte order mark, if it begins with one. */
struct str text_behind_mark(struct str text);

/* Appends what can be read from `fd` to the empty buffer, without a byte order mark, and leaves no
 * copy of it elsewhere. Returns false where that fails, and `errno` says why: EFBIG means that it
 * has more than the buffer may hold. */
bool text_file_read(int fd, struct buf *out);

/* Does so with a file that others read by themselves, if it begins with a byte order mark; returns
 * false for any other. */
bool text_file_read_marked(const char *path, struct buf *out);

/* A line of a file of settings, NAME=VALUE. */
struct text_setting {
    int line;         /* from 1 on */
    struct str name;  /* trimmed; the whole line, where it has no '=' */
    struct str value; /* trimmed, and without the quotes around it; no data: the line has no '=' */
};

/* Takes the next setting off the text; `setting` is zeroed before the first. Empty lines and those
 * that begin with '#' are passed over. Returns false at the end. */
bool text_next_setting(struct str *rest, struct text_setting *setting);

/* Tells whether a value stands within a pair of quotes, "" or ''. */
bool text_is_quoted(struct str value);
