/* An embedded database has its keys in files beside it (contract, sections 7 and 10.4). */
#pragma once

#include "kit/base/secret.h"

/* Writes a line into a file that only its owner can read, all or nothing, and never over another
 * one: of two first starts at one moment, the second finds the key of the first. */
enum err key_file_write(const char *dir, const char *path, const char *text, struct arena *arena,
                        struct buf *why) MUST_CHECK;
/* Gives the first line of the file of the setting `name`; wipe it. Returns ERR_NOT_FOUND if there
 * is no file. Any other failure has a sentence, since a key that cannot be read must not be
 * replaced. */
enum err key_file_read(const char *path, const char *name, struct arena *arena, char **ret_line,
                       struct buf *why) MUST_CHECK;

/* The secret key that comes lies beside the one in the file `path`, and replaces it at the end. */
const char *key_file_next(const char *path, struct arena *arena);
/* Makes it, or finds the one that lies there already; wipe it. */
enum err key_file_make_next(const char *path, struct arena *arena, char **ret_key,
                            struct buf *why) MUST_CHECK;
/* Lets it take the place of the other. False: it could not, or there is none. */
bool key_file_replace(const char *path);
