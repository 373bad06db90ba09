/* The commands of `herald admin` are a table, and a command line is read by it. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

enum { ADMIN_IDS_MAX = 2, ADMIN_FLAGS_MAX = 24 };

struct admin_input;
struct admin_service;
struct admin_view;

/* A command is an operation as people type it. Its method, path, flags, body and answer are those
 * of the tables of routes and records: a field of the body or a parameter of the query is a flag.
 */
struct admin_command {
    const char *words;     /* "clients create", or one word */
    const char *operation; /* "createClient" */
    const char *doc;       /* NULL: the summary of the operation */
    /* The words for the {ids} of its path, such as "INTEGRATION", and behind them for required
     * fields of the body. NULL: there are fewer. */
    const char *ids[ADMIN_IDS_MAX];
    const char *optional;       /* path of the parameter that the first id stands for, which may be
                                   left out; or NULL */
    const char *body;           /* a fixed body; NULL: it is made of the flags */
    const char *proposed_path;  /* path of the flag that has a default, or NULL; and */
    const char *proposed_value; /* that value */
    bool is_body_file;          /* the body is a file of JSON, --body FILE */
    const char *missing;        /* the thing that a 404 is about: "integration" */
    const char *columns;        /* of show_record, for a list: the fields to show; or NULL */
    bool is_log;                /* it is the log, which may be followed (admin_log.h) */
    bool is_paged; /* all pages are shown as one struct integration_list, unless --limit or
                       --cursor asks for one of them */
    const struct record *flags; /* in place of the parameters of the operation; NULL: those */
    /* Does it all, and returns the exit status; NULL: one request, whose answer is shown. */
    int (*run)(const struct admin_input *input, const struct admin_service *service,
               struct arena *arena, struct buf *out, struct buf *why);
    void (*show)(const struct admin_view *view); /* NULL: the answer is printed byte for byte */
};

extern const struct admin_command admin_commands[];
extern const size_t admin_command_count;

/* Such records go by a name where an id is wanted (admin_names.h). */
struct admin_noun {
    const char *word;      /* for an id of a command */
    const char *path;      /* of a flag that is such an id; NULL: none is */
    const char *operation; /* lists them */
    const char *member;    /* what people call one */
    const char *one, *many;
};

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

/* These stand for what no record has: a file with the body, and the header of a create. */
extern const struct field admin_body_file, admin_idempotency_key;

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
    const char *first, *second; /* the words that help is wanted about; "": none */
    bool wants_json;
    bool wants_follow;
    const char *url;                     /* without a slash at its end; NULL: not given */
    const char *ids[ADMIN_IDS_MAX];      /* or names, where admin_find_noun */
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

/* Tells whether the words of the command begin with these; "" is any. */
bool admin_begins_with(const struct admin_command *command, const char *first, const char *second);
/* Prints from the tables the commands that begin with these words ("": all), and their flags. */
void admin_print_help(const char *first, const char *second, struct buf *out);
/* Returns a command with its ids and flags, "clients create INTEGRATION [--name TEXT]", in the
 * arena. */
const char *admin_usage(const struct admin_command *command, struct arena *arena);
/* Writes the words with which commands begin, "integrations, clients or orders", or go on behind
 * `first`. */
void admin_list_words(const char *first, struct buf *out);
/* Returns the one of these words that was probably meant, in the arena; NULL: none is near. */
const char *admin_nearest_word(const char *first, const char *typed, struct arena *arena);

/* Reads a command line. Returns ERR_VALIDATION, and `why` in a sentence, if it is wrong. */
enum err admin_parse(int arg_count, char **args, struct arena *arena, struct admin_input *ret_input,
                     struct buf *why) MUST_CHECK;
/* Replaces the paths that were given for secrets by the content of the files. */
enum err admin_read_secrets(struct admin_input *input, struct arena *arena,
                            struct buf *why) MUST_CHECK;
/* Returns the noun of an id with this word, such as "INTEGRATION", or with NULL of the flag with
 * this path; NULL: no name may be typed for it. */
const struct admin_noun *admin_find_noun(const char *word, const char *path);
/* Writes the text percent-encoded, for a path or a query. */
void admin_put_encoded(const char *text, struct buf *out);
/* Returns the path of the request with its query, in the arena. */
const char *admin_make_target(const struct admin_input *input, struct arena *arena);
/* Writes the body of the request; empty if it has none. ERR_VALIDATION: its file cannot be read. */
enum err admin_write_body(const struct admin_input *input, struct arena *arena, struct buf *out,
                          struct buf *why) MUST_CHECK;
