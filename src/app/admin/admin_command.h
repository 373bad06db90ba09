/* The commands of `herald admin` as a table, and a command line that was read by it. */
#pragma once

#include "app/setup/config.h"
#include "kit/json/record.h"

enum { ADMIN_IDS_MAX = 2 };

enum admin_flag_kind {
    ADMIN_TEXT,
    ADMIN_NUMBER,
    ADMIN_SHARE,  /* a number from 0 to 1, or the word `setting` for null */
    ADMIN_LIST,   /* words, separated by spaces */
    ADMIN_SECRET, /* the path of a file that holds it, - for stdin: a flag could be seen by others
                   */
};

/* A value that goes into the body of a request, or into the query of a GET. */
struct admin_flag {
    const char *name;  /* "erp-url" */
    const char *value; /* "URL": what stands for it in the help */
    enum admin_flag_kind kind;
    const char *path;     /* of its field, as in faults: "name", "erp.base_url" */
    const char *proposal; /* its value where a command proposes one; or NULL */
    const char *doc;
};

enum admin_flag_index {
    ADMIN_TENANT,
    ADMIN_POINT,
    ADMIN_ENVIRONMENT,
    ADMIN_NAME,
    ADMIN_ERP_URL,
    ADMIN_ERP_TOKEN_FILE,
    ADMIN_ERP_PATH,
    ADMIN_ERP_TIMEOUT,
    ADMIN_SHARE_MAX,
    ADMIN_ABSENT,
    ADMIN_SCOPES,
    ADMIN_OVERLAP,
    ADMIN_STATUS,
    ADMIN_TYPE,
    ADMIN_INTEGRATION,
    ADMIN_STATE,
    ADMIN_LIMIT,
    ADMIN_CURSOR,
    ADMIN_FLAG_COUNT,
};

struct admin_view;

struct admin_command {
    const char *words; /* "clients create" */
    const char *doc;
    const char *ids[ADMIN_IDS_MAX]; /* "INTEGRATION": what stands for them; NULL: fewer */
    unsigned required;              /* bit 1 << enum admin_flag_index */
    unsigned optional;
    unsigned proposed; /* of the optional ones: without a word it is what the flag proposes */
    bool is_change;    /* at least one of the optional ones is wanted */

    const char *method;
    const char *path;     /* the first id follows, */
    const char *middle;   /* then this and the second id, which is any text; NULL: neither */
    const char *tail;     /* then this; NULL: nothing */
    const char *id_field; /* of the body, for a second id that is a UUID */
    const char *body;     /* always the same; NULL: made of the flags */
    const char *missing;  /* what a 404 is about: "integration" */

    const struct record *answer;                 /* NULL: none */
    bool is_paged;                               /* struct integration_list */
    bool is_raw;                                 /* the answer is printed byte for byte */
    void (*show)(const struct admin_view *view); /* NULL: is_raw */
};

extern const struct admin_flag admin_flags[ADMIN_FLAG_COUNT];
extern const struct admin_command admin_commands[];
extern const size_t admin_command_count;

/* A command line that was understood. */
struct admin_input {
    const struct admin_command *command;
    bool wants_help;
    bool wants_json;
    const char *url; /* without a slash at its end; NULL: not given */
    const char *ids[ADMIN_IDS_MAX];
    const char *values[ADMIN_FLAG_COUNT]; /* NULL: not given */
    char **settings;                      /* the flags that are herald's own, for config_load */
    int setting_count;
};

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

/* ERR_VALIDATION: `why` says in a sentence what is wrong. */
enum err admin_parse(int arg_count, char **args, struct arena *arena, struct admin_input *ret_input,
                     struct buf *why) MUST_CHECK;
/* Puts the content of the files that were named for secrets in the place of their paths. */
enum err admin_read_secrets(struct admin_input *input, struct arena *arena,
                            struct buf *why) MUST_CHECK;
/* The path of the request with its query, in the arena. */
const char *admin_make_target(const struct admin_input *input, struct arena *arena);
/* The body of the request; empty if it has none. */
void admin_write_body(const struct admin_input *input, struct buf *out);
