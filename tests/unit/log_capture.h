/* The process's own log, kept in a file while a test runs. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct log_capture {
    int kept, file;
};

static inline struct log_capture log_capture_begin(void)
{
    char path[] = "/tmp/herald-log-XXXXXX";
    struct log_capture capture = {.kept = dup(STDERR_FILENO), .file = mkstemp(path)};
    assert_true(capture.kept >= 0 && capture.file >= 0);
    unlink(path);
    dup2(capture.file, STDERR_FILENO);
    return capture;
}

/* Returns what was written so far; the caller frees it. */
static inline char *log_capture_read(const struct log_capture *capture)
{
    struct stat status;
    assert_int_equal(fstat(capture->file, &status), 0);
    char *text = calloc(1, (size_t)status.st_size + 1);
    assert_non_null(text);
    assert_int_equal(pread(capture->file, text, (size_t)status.st_size, 0), status.st_size);
    return text;
}

/* Returns what was written; the caller frees it. */
static inline char *log_capture_end(struct log_capture capture)
{
    dup2(capture.kept, STDERR_FILENO);
    close(capture.kept);
    char *text = log_capture_read(&capture);
    close(capture.file);
    return text;
}
