/*
 * Writes down what the process that preloads it does to the files of a folder, for the scenarios
 * about power cuts: harness/disk.py then says what a disk may have kept of it.
 *
 * SCENARIO_DISK names the folder, SCENARIO_DISK_JOURNAL the file of records: a head, the path and
 * the bytes of a write. Syncs reach no disk; each takes as long as on a quick one, so that a cut
 * may come before its end. What comes in the time of a sync is not covered by it, so its record
 * stands where it began, and counts only if a second one says that it ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILES = 4096, SYNC_US = 1000 };
enum op { WRITE, TRUNCATE, SYNC_BEGAN, SYNC_ENDED, UNLINK };

struct head {
    uint32_t op, path_len;
    uint64_t offset, len; /* offset: of a sync its number; len: of the bytes behind the path */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int journal = -1;
static uint64_t syncs;
static char *paths[FILES]; /* by descriptor; NULL: not in the folder */

__attribute__((constructor)) static void disk_journal_open(void)
{
    const char *path = getenv("SCENARIO_DISK_JOURNAL");
    folder = getenv("SCENARIO_DISK");
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    if (path && folder) journal = real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(enum op op, const char *path, uint64_t offset, const void *bytes, uint64_t len)
{
    struct head head = {op, (uint32_t)strlen(path), offset, len};
    struct iovec parts[] = {
        {&head, sizeof head}, {(void *)path, head.path_len}, {(void *)bytes, bytes ? len : 0}};
    if (writev(journal, parts, 3) < 0) abort();
}

static const char *path_of(int fd)
{
    return journal >= 0 && fd >= 0 && fd < FILES ? paths[fd] : NULL;
}

static int open_noted(const char *path, int flags, mode_t mode)
{
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    int fd = real(path, flags, mode);
    if (journal >= 0 && fd >= 0 && fd < FILES && strncmp(path, folder, strlen(folder)) == 0) {
        pthread_mutex_lock(&lock);
        free(paths[fd]);
        paths[fd] = strdup(path);
        pthread_mutex_unlock(&lock);
    }
    return fd;
}

#define OPEN(name)                             \
    int name(const char *path, int flags, ...) \
    {                                          \
        va_list rest;                          \
        va_start(rest, flags);                 \
        mode_t mode = va_arg(rest, mode_t);    \
        va_end(rest);                          \
        return open_noted(path, flags, mode);  \
    }
OPEN(open)
OPEN(open64)

int close(int fd)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    if (path_of(fd)) {
        pthread_mutex_lock(&lock);
        free(paths[fd]);
        paths[fd] = NULL;
        pthread_mutex_unlock(&lock);
    }
    return real(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    const char *path = path_of(fd);
    if (!path) return real(fd, bytes, len, offset);
    pthread_mutex_lock(&lock);
    ssize_t written = real(fd, bytes, len, offset);
    if (written > 0) note(WRITE, path, (uint64_t)offset, bytes, (uint64_t)written);
    pthread_mutex_unlock(&lock);
    return written;
}

int ftruncate64(int fd, off64_t len)
{
    int (*real)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
    const char *path = path_of(fd);
    if (!path) return real(fd, len);
    pthread_mutex_lock(&lock);
    int rc = real(fd, len);
    if (rc == 0) note(TRUNCATE, path, (uint64_t)len, NULL, 0);
    pthread_mutex_unlock(&lock);
    return rc;
}

static int sync_noted(int fd, const char *name)
{
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    const char *path = path_of(fd);
    if (!path) return real(fd);
    pthread_mutex_lock(&lock);
    uint64_t number = ++syncs;
    note(SYNC_BEGAN, path, number, NULL, 0);
    pthread_mutex_unlock(&lock);
    usleep(SYNC_US);
    pthread_mutex_lock(&lock);
    note(SYNC_ENDED, path, number, NULL, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int fd)
{
    return sync_noted(fd, "fsync");
}

int fdatasync(int fd)
{
    return sync_noted(fd, "fdatasync");
}

int unlink(const char *path)
{
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    int rc = real(path);
    if (rc == 0 && journal >= 0 && strncmp(path, folder, strlen(folder)) == 0) {
        pthread_mutex_lock(&lock);
        note(UNLINK, path, 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    return rc;
}
