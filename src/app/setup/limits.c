/* The limits of a process are looked at, and raised as far as they can be. */
#include "app/setup/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int64_t limits_files_needed(const struct config *config, enum process_role role)
{
    return (role == PROCESS_WORKER ? 0 : config->connections_max) + LIMITS_FILES_BESIDE;
}

int64_t limits_raise_files(int64_t wanted)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files)) return wanted;
    rlim_t asked = (rlim_t)wanted;
    if (files.rlim_cur < asked) {
        struct rlimit raised = {files.rlim_max < asked ? files.rlim_max : asked, files.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) files.rlim_cur = raised.rlim_cur;
    }
    return files.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)files.rlim_cur;
}

void limits_explain_files(int64_t allowed, struct buf *why)
{
    buf_printf(why,
               "Only %lld file descriptors are allowed, and herald needs %d at the very least: "
               "raise the limit (ulimit -n, LimitNOFILE).",
               (long long)allowed, LIMITS_FILES_LEAST);
}

int64_t limits_memory_allowed(void)
{
    struct rlimit space;
    char line[32] = "";
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");

    if (file && !fgets(line, sizeof(line), file)) line[0] = '\0';
    if (file) fclose(file);
    int64_t allowed = strtoll(line, NULL, 10); /* 0 for "max" */
    bool has_space = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    if (has_space && (allowed == 0 || (int64_t)space.rlim_cur < allowed))
        allowed = (int64_t)space.rlim_cur;
    return allowed;
}
