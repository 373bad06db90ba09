/* A start for the tests of settings: its sources, a folder for its files, and what came of it. */
#pragma once

#include "app/setup/config.h"
#include "kit/base/macros.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

struct start {
    struct arena arena;
    struct config config;
    struct buf why, notes;
    char folder[64];
};

/* But for what the test program itself goes by, and one name that is not ours. */
static inline void empty_environment(void)
{
    const char *output = getenv("CMOCKA_MESSAGE_OUTPUT");
    char *kept = output ? strdup(output) : NULL;
    clearenv();
    setenv("LANG", "C", 1);
    if (kept) setenv("CMOCKA_MESSAGE_OUTPUT", kept, 1);
    free(kept);
}

static inline int set_up(void **state)
{
    struct start *start = calloc(1, sizeof *start);
    assert_non_null(start);
    arena_init(&start->arena);
    buf_init(&start->why, 8192);
    buf_init(&start->notes, 8192);
    snprintf(start->folder, sizeof start->folder, "/tmp/herald-config-XXXXXX");
    assert_non_null(mkdtemp(start->folder));
    empty_environment();
    *state = start;
    return 0;
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static inline int tear_down(void **state)
{
    struct start *start = *state;
    config_forget_secrets(&start->config);
    nftw(start->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    buf_done(&start->why);
    buf_done(&start->notes);
    arena_done(&start->arena);
    free(start);
    return 0;
}

static inline const char *write_file(struct start *start, const char *name, const char *text)
{
    const char *path = arena_printf(&start->arena, "%s/%s", start->folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    fclose(file);
    return path;
}

enum { ARGS_MAX = 8 };

/* Loads with up to ARGS_MAX arguments, of which the first NULL is the end. */
static inline enum err load(struct start *start, const char *const args[ARGS_MAX])
{
    char *copies[ARGS_MAX];
    int count = 0;
    for (; args && count < ARGS_MAX && args[count]; count++)
        copies[count] = arena_text(&start->arena, args[count]);
    buf_clear(&start->why);
    config_forget_secrets(&start->config);
    return config_load(count, copies, &start->arena, &start->config, &start->why);
}

static inline const char *text_of(struct start *start, const struct buf *buf)
{
    return arena_str(&start->arena, buf_view(buf));
}

static inline void assert_says(struct start *start, const char *words)
{
    const char *why = text_of(start, &start->why);
    if (!strstr(why, words)) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

static inline void assert_silent(struct start *start, const char *secret)
{
    const char *why = text_of(start, &start->why);
    if (strstr(why, secret)) fail_msg("\"%s\" tells the secret", why);
}

static inline const char *printed(struct start *start)
{
    AUTO_BUF out = {0};
    buf_init(&out, 65536);
    config_print(&start->config, NULL, &start->arena, &out);
    return text_of(start, &out);
}

struct value_row {
    const char *name, *value;
    bool is_taken;
};

/* Each value alone; a refusal names the setting, its source, and what is allowed. */
static inline void check_values(struct start *start, const struct value_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        empty_environment();
        setenv(rows[i].name, rows[i].value, 1);
        enum err err = load(start, NULL);
        if ((err == ERR_OK) != rows[i].is_taken) fail_msg("%s=%s", rows[i].name, rows[i].value);
        if (rows[i].is_taken) continue;
        assert_says(start, rows[i].name);
        assert_says(start, "the environment");
        assert_says(start, "must be");
    }
}
