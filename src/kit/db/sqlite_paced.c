/*
 * The writer reaches files in SQLite's own way, with two differences.
 *
 * The writes of a long transaction or of a long copy of the log are made durable in portions. With
 * one fdatasync at the end, tens of MB would go to the disk at once, and a commit to another file
 * on it would wait for all of them. Beside 40 MB, small commits to another file took 28 ms at the
 * 99th percentile, with portions 6 to 12 ms; the 40 MB took no longer.
 *
 * Writes to the log that follow each other are gathered. SQLite writes each page with two calls,
 * which for a commit of 340 pages cost more than the disk did. Other readers of the log look only
 * at what a commit has made known, and with synchronous = FULL the log is synced before that; the
 * sync writes all of it, unless sectors are padded, which paced_open checks. Bytes that could not
 * be written stay until they can be, or until the writer closes the connection after a failure.
 */
#include "kit/base/must.h"
#include "kit/db/sqlite.h"

#include <stdlib.h>

#define PACED_NAME "paced"

enum {
    PORTION = 2 * 1024 * 1024,
    GATHERED_MAX = 128 * 1024,
};

/* It lies behind SQLite's own record of an open file. */
struct paced_file {
    const sqlite3_io_methods *own;
    sqlite3_io_methods methods; /* a copy of them, but for those that paced_open sets */
    int unsynced;               /* bytes since the last sync */
    char *gathered; /* bytes that are not written yet; NULL for a file that is not the log */
    int gathered_count;
    sqlite3_int64 gathered_at; /* their place in the file */
};

static sqlite3_vfs *own_vfs;
static sqlite3_vfs paced_vfs;

static struct paced_file *paced_of(sqlite3_file *file)
{
    return (struct paced_file *)((char *)file + paced_vfs.szOsFile - sizeof(struct paced_file));
}

/* --- Portions --------------------------------------------------------------------------------- */

static int sync_own(sqlite3_file *file, int flags)
{
    struct paced_file *paced = paced_of(file);
    paced->unsynced = 0;
    return paced->own->xSync(file, flags);
}

static int write_own(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    struct paced_file *paced = paced_of(file);
    int code = paced->own->xWrite(file, bytes, count, offset);
    paced->unsynced += count;
    if (code != SQLITE_OK || paced->unsynced < PORTION) return code;
    return sync_own(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

/* --- Gathering -------------------------------------------------------------------------------- */

/* Bytes that cannot be written stay, so that the order of writes is kept; the code tells SQLite. */
static int write_gathered(sqlite3_file *file)
{
    struct paced_file *paced = paced_of(file);

    if (paced->gathered_count == 0) return SQLITE_OK;
    int code = write_own(file, paced->gathered, paced->gathered_count, paced->gathered_at);
    if (code == SQLITE_OK) paced->gathered_count = 0;
    return code;
}

static int gather(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    struct paced_file *paced = paced_of(file);
    bool is_next = offset == paced->gathered_at + paced->gathered_count;

    if (!is_next || count > GATHERED_MAX - paced->gathered_count) {
        int code = write_gathered(file);
        if (code != SQLITE_OK) return code;
        paced->gathered_at = offset;
    }
    if (count > GATHERED_MAX) return write_own(file, bytes, count, offset);
    memcpy(paced->gathered + paced->gathered_count, bytes, (size_t)count);
    paced->gathered_count += count;
    return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? paced_of(file)->own->xRead(file, bytes, count, offset) : code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? paced_of(file)->own->xTruncate(file, size) : code;
}

static int log_sync(sqlite3_file *file, int flags)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? sync_own(file, flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? paced_of(file)->own->xFileSize(file, ret_size) : code;
}

/* Bytes that are still gathered belong to no commit. */
static int log_close(sqlite3_file *file)
{
    struct paced_file *paced = paced_of(file);
    free(paced->gathered);
    return paced->own->xClose(file);
}

/* --- The VFS ---------------------------------------------------------------------------------- */

static void begin_log(struct paced_file *paced)
{
    paced->gathered = must_malloc(GATHERED_MAX);
    paced->methods.xWrite = gather;
    paced->methods.xRead = log_read;
    paced->methods.xTruncate = log_truncate;
    paced->methods.xSync = log_sync;
    paced->methods.xFileSize = log_size;
    paced->methods.xClose = log_close;
}

static int paced_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                      int *ret_flags)
{
    int code = own_vfs->xOpen(vfs, name, file, flags, ret_flags);
    bool is_long_lived = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL);
    if (code != SQLITE_OK || !is_long_lived) return code;

    struct paced_file *paced = paced_of(file);
    *paced = (struct paced_file){.own = file->pMethods, .methods = *file->pMethods};
    paced->methods.xWrite = write_own;
    paced->methods.xSync = sync_own;
    /* Without this, SQLite writes the last page of a commit again behind the sync, up to the end of
     * its sector. */
    bool has_whole_sectors =
        paced->own->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
    if (flags & SQLITE_OPEN_WAL && has_whole_sectors) begin_log(paced);
    file->pMethods = &paced->methods;
    return SQLITE_OK;
}

static void register_paced(void)
{
    enum { ALIGNMENT = _Alignof(struct paced_file) };
    own_vfs = sqlite3_vfs_find(NULL);
    paced_vfs = *own_vfs;
    int own_size = (own_vfs->szOsFile + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    paced_vfs.szOsFile = own_size + (int)sizeof(struct paced_file);
    paced_vfs.zName = PACED_NAME;
    paced_vfs.pNext = NULL;
    paced_vfs.xOpen = paced_open;
    if (sqlite3_vfs_register(&paced_vfs, 0) != SQLITE_OK) abort();
}

const char *sqlite_paced_vfs(void)
{
    static pthread_once_t is_registered = PTHREAD_ONCE_INIT;
    pthread_once(&is_registered, register_paced);
    return PACED_NAME;
}
