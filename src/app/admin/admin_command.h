/* The commands of `herald admin` as a table, and a command line that was read by it. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

enum { ADMIN_IDS_MAX = 2, ADMIN_FLAGS_MAX = 24 };

struct admin_view;

/* An operation as people type it. Its method, path, flags, body and answer are those of the tables
 * of routes and records: a field of the body or a parameter of the query is a flag. */
struct admin_command {
    const char *words;     /* "clients create" */
    const char *operation; /* "createClient" */
    const char *doc;       /* NULL: the summary of the operation */
    /* What stands for the {ids} of its path: "INTEGRATION"; those behind them are of the fields
     * that the body must have. NULL: fewer. */
    const char *ids[ADMIN_IDS_MAX];
    const char *body;           /* always the same; NULL: made of the flags */
    const char *proposed_path;  /* of the flag that has a value without a word, or NULL; and */
    const char *proposed_value; /* that value */
    const char *missing;        /* what a 404 is about: "integration" */
    bool is_paged;              /* all pages are one answer: struct integration_list */
    void (*show)(const struct admin_view *view); /* NULL: the answer is printed byte for byte */
};

extern const struct admin_command admin_commands[];
extern const size_t admin_command_count;

/* A value that goes into the body of a request, or into the query of a GET. */
struct admin_flag {
    const struct field *field;
    const char *path; /* of its field, as in faults: "name", "erp.base_url" */
    const char *name; /* "erp-url" */
    bool is_required;
    int id; /* of the command, by which it is typed; -1: it is a flag */
};
struct admin_flags {
    struct admin_flag rows[ADMIN_FLAGS_MAX];
    size_t count;
};

/* The row of its operation. */
const struct route *admin_route(const struct admin_command *command);
/* All values that the command takes, in the order of the records. Texts in the arena. */
struct admin_flags admin_flags_of(const struct admin_command *command, struct arena *arena);

/* A command line that was understood. */
struct admin_input {
    const struct admin_command *command;
    const struct route *route;
    struct admin_flags flags;
    bool wants_help;
    bool wants_json;
    const char *url; /* without a slash at its end; NULL: not given */
    const char *ids[ADMIN_IDS_MAX];
    const char *values[ADMIN_FLAGS_MAX]; /* of `flags`; NULL: not given */
    char **settings;                     /* the flags that are herald's own, for config_load */
    int setting_count;
};

/* The value of the flag for that field; NULL: not given. */
static inline const char *admin_value(const struct admin_input *input, const char *path)
{
    for (size_t i = 0; i < input->flags.count; i++) {
        if (strcmp(input->flags.rows[i].path, path) == 0) return input->values[i];
    }
    return NULL;
}

/* An answer to show. */
struct admin_view {
    const struct admin_input *input;
    const void *value; /* as its record was decoded; NULL: none came */
    struct arena *arena;
    struct buf *out;
};

/* All commands and flags, made from the tables. */
void admin_print_help(struct buf *out);
/* One command with its ids and flags: "clients create INTEGRATION [--name TEXT]". In the arena. */
const char *admin_usage(const struct admin_command *command, struct arena *arena);
/* "integrations, clients or orders": how commands begin; or go on, behind `first`. */
void admin_list_words(const char *first, struct buf *out);

/* ERR_VALIDATION: `why` says in a sentence what is wrong. */
enum err admin_parse(int arg_count, char **args, struct arena *arena, struct admin_input *ret_input,
                     struct buf *why) MUST_CHECK;
/* Puts the content of the files that were named for secrets in the place of their paths. */
enum err admin_read_secrets(struct admin_input *input, struct arena *arena,
                            struct buf *why) MUST_CHECK;
/* The path of the request with its query, in the arena. */
const char *admin_make_target(const struct admin_input *input, struct arena *arena);
/* The body of the request; empty if it has none. */
void admin_write_body(const struct admin_input *input, struct arena *arena, struct buf *out);
