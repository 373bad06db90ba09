/*
 * Tells the process that preloads it how much room its disks have.
 *
 * SCENARIO_DISK_ROOM names a file of one number of eight bytes, in MiB, which the test may change
 * while the server runs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MIB = 1024 * 1024 };

static const volatile int64_t *free_mib;

__attribute__((constructor)) static void disk_room_open(void)
{
    const char *path = getenv("SCENARIO_DISK_ROOM");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *page = mmap(NULL, sizeof *free_mib, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) free_mib = page;
    close(fd);
}

int statvfs(const char *restrict path, struct statvfs *restrict ret_room)
{
    (void)path;
    memset(ret_room, 0, sizeof *ret_room);
    ret_room->f_bsize = ret_room->f_frsize = MIB;
    ret_room->f_bavail = ret_room->f_bfree = (fsblkcnt_t)(free_mib ? *free_mib : 0);
    ret_room->f_blocks = ret_room->f_bfree;
    return 0;
}

/* The same where files may be larger than 2 GiB. */
int statvfs64(const char *restrict path, struct statvfs64 *restrict ret_room)
{
    return statvfs(path, (struct statvfs *)ret_room);
}
