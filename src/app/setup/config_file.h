/* Files that settings lie in. */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"

/* Opens what is a file for reading, and waits for nothing: a folder, a pipe, a socket, a device and
 * a link to nothing are ERR_VALIDATION and told in `why`. ERR_NOT_FOUND: nothing has this path;
 * `why` says nothing yet. */
enum err config_open_file(const char *path, int *ret_fd, struct buf *why) MUST_CHECK;
/* The text of such a file without the space around it, in the arena; wipe it where it is a secret.
 * Also ERR_VALIDATION: it is empty, holds bytes that are no text, or more than 64 KiB. */
enum err config_read_value(const char *path, struct arena *arena, char **ret_value,
                           struct buf *why) MUST_CHECK;
/* A file of settings, which may be a pipe, as a shell makes one of a command's output: up to 64 KiB
 * of it. Wipe the text when it was read. */
enum err config_read_file(const char *path, struct arena *arena, struct str *ret_text,
                          struct buf *why) MUST_CHECK;
