/* Settings may lie in files. */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"

/* Opens a file for reading without waiting. Returns ERR_VALIDATION, with a sentence in `why`, for a
 * folder, a pipe, a socket, a device or a link to nothing, and ERR_NOT_FOUND, without one, for a
 * path that does not exist. */
enum err config_open_file(const char *path, int *ret_fd, struct buf *why) MUST_CHECK;
/* Gives the text of such a file without the space around it, in the arena; wipe it if it is a
 * secret. Returns ERR_VALIDATION also for a file that is empty, is no text, or has more than 64
 * KiB. */
enum err config_read_value(const char *path, struct arena *arena, char **ret_value,
                           struct buf *why) MUST_CHECK;
/* Reads a file of settings, up to 64 KiB; it may be a pipe, as a shell makes one from the output of
 * a command. Wipe the text once it is parsed. */
enum err config_read_file(const char *path, struct arena *arena, struct str *ret_text,
                          struct buf *why) MUST_CHECK;
