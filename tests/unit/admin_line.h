/* Command lines of `herald admin` as they are typed, for tests. */
#pragma once

#include "app/admin/admin.h"
#include "app/admin/admin_command.h"
#include "config_start.h"

#define ID          "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"
#define OTHER_ID    "0192f0c8-8888-7d3e-8f00-3b2a1c0d9e8f"
#define TENANT      "5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4"
#define COMMAND_MAX 20

/* Parses words that are separated by '|'. */
static inline enum err parse(struct start *start, const char *line, struct admin_input *ret_input)
{
    char *args[COMMAND_MAX];
    int count = 0;
    char *text = arena_text(&start->arena, line);

    while (text) {
        assert_true(count < COMMAND_MAX);
        args[count++] = strsep(&text, "|");
    }
    buf_clear(&start->why);
    return admin_parse(count, args, &start->arena, ret_input, &start->why);
}

static inline struct admin_input parse_well(struct start *start, const char *line)
{
    struct admin_input input;
    if (parse(start, line, &input)) fail_msg("%s: %s", line, text_of(start, &start->why));
    return input;
}
