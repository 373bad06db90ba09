/*
 * The two files of an embedded service belong together. Each holds the id of their pair, so that a
 * file that was lost, or came from elsewhere, is told at the start instead of being made anew.
 */
#pragma once

#include "app/setup/config.h"

enum store_file { STORE_FILE_MISSING, STORE_FILE_EMPTY, STORE_FILE_FILLED };

/* Looks at the file of an embedded database. ERR_STORAGE_UNAVAILABLE if something else lies there,
 * or nobody may look: `why` tells. */
enum err store_file_look(const char *url, enum store_file *ret_file, struct buf *why) MUST_CHECK;

/* Before any store is opened: refuses an exchange store whose verification store is gone. */
enum err store_pair_check_files(const struct config *config, struct buf *why) MUST_CHECK;

/* Opens both, makes the files if both are new, and refuses whatever is no pair. Where the
 * very first start was cut off, the next one completes it. What was opened until a refusal is for
 * the caller to close. */
enum err store_pair_open(const struct db_options *verification, const struct db_options *exchange,
                         struct service *service, struct buf *why) MUST_CHECK;
