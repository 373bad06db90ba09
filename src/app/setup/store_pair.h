/*
 * The two files of an embedded service belong together. Each holds the id of their pair, so that a
 * start notices a file that was lost, or came from elsewhere, and does not make it anew.
 */
#pragma once

#include "app/setup/config.h"

enum store_file { STORE_FILE_MISSING, STORE_FILE_EMPTY, STORE_FILE_FILLED };

/* Looks at the file of an embedded database. Returns ERR_STORAGE_UNAVAILABLE, and says `why`, if
 * something else lies there or it may not look. */
enum err store_file_look(const char *url, enum store_file *ret_file, struct buf *why) MUST_CHECK;

/* Refuses an exchange store whose verification store is gone. Call it before any store is opened.
 */
enum err store_pair_check_files(const char *url, const char *exchange_url,
                                struct buf *why) MUST_CHECK;

/* Tells with a sentence which of the files is missing or empty. It makes none. */
enum err store_pair_check_filled(const char *url, const char *exchange_url,
                                 struct buf *why) MUST_CHECK;
/* Refuses open stores that are no pair, or not yet one. It writes nothing. */
enum err store_pair_check(const struct service *service, const char *url, const char *exchange_url,
                          struct buf *why) MUST_CHECK;

/* Opens both stores, makes the files if both are new, and refuses files that are no pair. If the
 * first start was cut off, the next one completes the pair. After a refusal, close the stores that
 * were opened. */
enum err store_pair_open(const struct db_options *verification, const struct db_options *exchange,
                         struct service *service, struct buf *why) MUST_CHECK;
