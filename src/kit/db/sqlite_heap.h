/*
 * SQLite's memory. Debian builds SQLite without its lookaside (OMIT_LOOKASIDE), so one code asks
 * for memory some hundred times, and the threads of the database and of HTTP wait for each other in
 * malloc. Here each thread keeps small blocks that it has freed for its next statement.
 */
#ifndef KIT_DB_SQLITE_HEAP_H
#define KIT_DB_SQLITE_HEAP_H

#include <sqlite3.h>
#include <stddef.h>

enum {
    SQLITE_HEAP_BLOCK_MAX = 1032,      /* bytes; larger blocks go back to malloc at once */
    SQLITE_HEAP_KEPT_MAX = 128 * 1024, /* bytes that a thread keeps at most */
};

/* For sqlite3_config(SQLITE_CONFIG_MALLOC). Any thread may free what another has allocated. What a
 * thread keeps is freed when it ends. */
extern const sqlite3_mem_methods sqlite_heap_methods;

/* Returns how many bytes the calling thread keeps. */
size_t sqlite_heap_kept(void);

#endif
