/*
 * Rows that are written into files that were moved away or deleted would be gone at the next start,
 * and SQLite does not notice it. It opens a file, its log and the log's index by the path behind
 * all links, and keeps them open, so that all goes on once they are put back.
 */
#include "kit/base/must.h"
#include "kit/db/sqlite.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_LEN = 100, PAGE_SIZE_AT = 16, PAGE_COUNT_AT = 28 };

static void learn(struct sqlite_file *file, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    struct stat found;

    file->path = must_malloc(size);
    snprintf(file->path, size, "%s%s", path, suffix);
    if (lstat(file->path, &found)) return;
    file->device = found.st_dev;
    file->inode = found.st_ino;
}

void sqlite_files_done(struct sqlite_files *files)
{
    for (size_t i = 0; i < SQLITE_FILES; i++)
        free(files->rows[i].path);
}

const char *sqlite_files_missing(const struct sqlite_files *files)
{
    struct stat found;

    for (size_t i = 0; i < SQLITE_FILES; i++) {
        const struct sqlite_file *file = &files->rows[i];
        if (!file->inode) continue;
        if (lstat(file->path, &found) || found.st_ino != file->inode ||
            found.st_dev != file->device)
            return file->path;
    }
    return NULL;
}

static uint32_t big_endian(const uint8_t *bytes, size_t count)
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* The header counts the pages that the file has, and a size of 1 stands for 64 KiB. Another
 * program may have made the file smaller and told so there. */
static bool is_cut_to(const struct sqlite_files *files, off_t size)
{
    uint8_t header[HEADER_LEN];

    if (size >= files->size) return false;
    if (pread(files->fd, header, sizeof header, 0) != sizeof header) return true;
    uint32_t page_size = big_endian(header + PAGE_SIZE_AT, 2);
    uint64_t pages = big_endian(header + PAGE_COUNT_AT, 4);
    return pages * (page_size == 1 ? 0x10000 : page_size) > (uint64_t)size;
}

bool sqlite_files_are_cut(const struct sqlite_files *files)
{
    struct stat found;
    return fstat(files->fd, &found) == 0 && is_cut_to(files, found.st_size);
}

/* The size of a file that is cut off is not learned, or nobody would ever notice. */
void sqlite_files_measure(struct sqlite_files *files)
{
    struct stat found;
    if (fstat(files->fd, &found) || is_cut_to(files, found.st_size)) return;
    files->size = found.st_size;
}

void sqlite_files_learn(struct sqlite_files *files, const char *path, int fd)
{
    char *behind_links = realpath(path, NULL);
    const char *real = behind_links ? behind_links : path;

    files->fd = fd;
    sqlite_files_measure(files);
    learn(&files->rows[0], path, "");
    learn(&files->rows[1], real, "");
    learn(&files->rows[2], real, "-wal");
    learn(&files->rows[3], real, "-shm");
    free(behind_links);
}
