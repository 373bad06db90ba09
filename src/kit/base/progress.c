/* A thread draws the line, since what it tells of is at work. */
#include "kit/base/progress.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/terminal.h"
#include "kit/base/thread.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SILENT_MS = 1000, REDRAWN_MS = 200, LINE_MAX_BYTES = 1024, COLUMNS_DEFAULT = 80 };

#define CLEAR_LINE "\r\033[K"

struct progress {
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    pthread_t thread;
    const char *doing;
    int64_t bytes; /* -1: they are not counted */
    int64_t began_ms;
    bool is_over;
};

/* One column stays free, since some terminals go to the next line behind the last one. */
static void draw(const struct progress *progress)
{
    long long seconds = (long long)(clock_monotonic_ms() - progress->began_ms) / 1000;
    size_t columns = terminal_columns(STDERR_FILENO);
    AUTO_BUF text = {0}, line = {0};

    buf_init(&text, LINE_MAX_BYTES);
    buf_init(&line, LINE_MAX_BYTES);
    buf_printf(&text, "herald %s: %lld s", progress->doing, seconds);
    if (progress->bytes >= 0)
        buf_printf(&text, ", %.1f MB", (double)progress->bytes / (1024.0 * 1024.0));
    terminal_cut(buf_view(&text), (columns > 1 ? columns : COLUMNS_DEFAULT) - 1, &line);
    fprintf(stderr, CLEAR_LINE "%.*s", (int)line.len, line.data);
    fflush(stderr);
}

static void *draw_until_over(void *arg)
{
    struct progress *progress = arg;
    struct timespec due = thread_deadline(SILENT_MS);
    bool is_drawn = false;

    pthread_mutex_lock(&progress->lock);
    while (!progress->is_over) {
        if (pthread_cond_timedwait(&progress->is_woken, &progress->lock, &due) == 0) continue;
        draw(progress);
        is_drawn = true;
        due = thread_deadline(REDRAWN_MS);
    }
    pthread_mutex_unlock(&progress->lock);
    if (is_drawn) fputs(CLEAR_LINE, stderr);
    return NULL;
}

struct progress *progress_begin(const char *doing)
{
    if (!isatty(STDERR_FILENO)) return NULL;
    struct progress *progress = must_calloc(1, sizeof(*progress));
    progress->doing = doing;
    progress->bytes = -1;
    progress->began_ms = clock_monotonic_ms();
    pthread_mutex_init(&progress->lock, NULL);
    thread_cond_init(&progress->is_woken);
    thread_start(&progress->thread, "progress", draw_until_over, progress);
    return progress;
}

void progress_say(struct progress *progress, const char *doing)
{
    if (!progress) return;
    pthread_mutex_lock(&progress->lock);
    progress->doing = doing;
    pthread_mutex_unlock(&progress->lock);
}

void progress_count(struct progress *progress, int64_t bytes)
{
    if (!progress) return;
    pthread_mutex_lock(&progress->lock);
    progress->bytes = bytes;
    pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress)
{
    if (!progress) return;
    pthread_mutex_lock(&progress->lock);
    progress->is_over = true;
    pthread_cond_signal(&progress->is_woken);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->is_woken);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}
