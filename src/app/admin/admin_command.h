/* The commands of `herald admin` are a table, and a command line is read by it. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

enum { ADMIN_IDS_MAX = 2, ADMIN_FLAGS_MAX = 24 };

struct admin_view;

/* A command is an operation as people type it. Its method, path, flags, body and answer are those
 * of the tables of routes and records: a field of the body or a parameter of the query is a flag.
 */
struct admin_command {
    const char *words;     /* "clients create" */
    const char *operation; /* "createClient" */
    const char *doc;       /* NULL: the summary of the operation */
    /* The words for the {ids} of its path, such as "INTEGRATION", and behind them for required
     * fields of the body. NULL: there are fewer. */
    const char *ids[ADMIN_IDS_MAX];
    const char *body;           /* a fixed body; NULL: it is made of the flags */
    const char *proposed_path;  /* path of the flag that has a default, or NULL; and */
    const char *proposed_value; /* that value */
    const char *missing;        /* the thing that a 404 is about: "integration" */
    bool is_paged;              /* all pages are shown as one struct integration_list */
    void (*show)(const struct admin_view *view); /* NULL: the answer is printed byte for byte */
};

extern const struct admin_command admin_commands[];
extern const size_t admin_command_count;

/* A value that goes into the body of a request, or into the query of a GET. */
struct admin_flag {
    const struct field *field;
    const char *path; /* path of its field, as in faults: "name", "erp.base_url" */
    const char *name; /* "erp-url" */
    bool is_required;
    int id; /* index of the id by which it is typed; -1: it is a flag */
};
struct admin_flags {
    struct admin_flag rows[ADMIN_FLAGS_MAX];
    size_t count;
};

/* Returns the row of its operation. */
const struct route *admin_route(const struct admin_command *command);
/* Lists all values that the command takes, in the order of the records; texts are in the arena. */
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
    char **settings;                     /* the flags that are settings, for config_load */
    int setting_count;
};

/* Returns the value of the flag for that field; NULL: it was not given. */
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
    const void *value; /* the decoded record; NULL: none came */
    struct arena *arena;
    struct buf *out;
};

/* Prints all commands and flags from the tables. */
void admin_print_help(struct buf *out);
/* Returns a command with its ids and flags, "clients create INTEGRATION [--name TEXT]", in the
 * arena. */
const char *admin_usage(const struct admin_command *command, struct arena *arena);
/* Writes the words with which commands begin, "integrations, clients or orders", or go on behind
 * `first`. */
void admin_list_words(const char *first, struct buf *out);

/* Reads a command line. Returns ERR_VALIDATION, and `why` in a sentence, if it is wrong. */
enum err admin_parse(int arg_count, char **args, struct arena *arena, struct admin_input *ret_input,
                     struct buf *why) MUST_CHECK;
/* Replaces the paths that were given for secrets by the content of the files. */
enum err admin_read_secrets(struct admin_input *input, struct arena *arena,
                            struct buf *why) MUST_CHECK;
/* Returns the path of the request with its query, in the arena. */
const char *admin_make_target(const struct admin_input *input, struct arena *arena);
/* Writes the body of the request; empty if it has none. */
void admin_write_body(const struct admin_input *input, struct arena *arena, struct buf *out);
