/* How PostgreSQL is connected to: the URL's own parameters, and those of a session of ours. */
#include "kit/db/postgres.h"

#include <stdlib.h>

enum {
    PARAMS_MAX = 64, /* of libpq's connection */
    OPTIONS_MAX = 1024,
};

/* --- How to connect --- */

enum err pg_params_init(struct pg_params *params, const char *url, struct buf *why)
{
    char *message = NULL;
    *params = (struct pg_params){.url = PQconninfoParse(url, &message)};
    if (params->url) return ERR_OK;
    /* libpq's message may repeat the URL, and with it the password. */
    buf_text(why, "The database URL is not one that PostgreSQL understands: "
                  "postgresql://USER:PASSWORD@HOST:PORT/NAME, special characters percent-encoded.");
    PQfreemem(message);
    return ERR_STORAGE_UNAVAILABLE;
}

void pg_params_done(struct pg_params *params)
{
    PQconninfoFree(params->url);
    free(params->schema);
}

/* Server settings come with the connection: a pooler would not keep a later SET. The search path is
 * fixed to where our tables were found, whatever a role or a database is told later. Compiling a
 * plan (jit) takes longer than any statement of ours. */
#define SESSION                                    \
    "-c statement_timeout=15s -c lock_timeout=5s " \
    "-c idle_in_transaction_session_timeout=60s "  \
    "-c default_transaction_isolation=read\\ committed -c jit=off "

/* Every statement of ours finds its rows by keys, one after the other. A planner that knows of no
 * rows yet, or of no backlog, thinks that reading, joining and sorting whole tables is as cheap,
 * and goes on with that plan when they have grown. */
#define BY_KEYS                                       \
    "-c enable_seqscan=off -c enable_bitmapscan=off " \
    "-c enable_mergejoin=off -c random_page_cost=1.1"

static const char *const role_settings[] = {
    [PG_POOL] = SESSION BY_KEYS,
    [PG_MIGRATION] = "-c statement_timeout=0 -c lock_timeout=0",
    /* A hint need not wait for a disk. */
    [PG_LISTENER] = "-c statement_timeout=15s -c synchronous_commit=off",
};

/* As an identifier in double quotes, and with backslashes for the parser of `options`. */
static void append_search_path(struct buf *out, const char *schema)
{
    buf_text(out, " -c search_path=\"");
    for (const char *c = schema; *c; c++) {
        if (*c == '"') buf_char(out, '"');
        if (*c == ' ' || *c == '\\') buf_char(out, '\\');
        buf_char(out, *c);
    }
    buf_char(out, '"');
}

static const char *url_value(const struct pg_params *params, const char *keyword)
{
    for (const PQconninfoOption *option = params->url; option->keyword; option++)
        if (strcmp(option->keyword, keyword) == 0) return option->val ? option->val : "";
    return "";
}

static void build_options(const struct pg_params *params, enum pg_role role, struct buf *out)
{
    buf_text(out, role_settings[role]);
    buf_char(out, ' ');
    buf_text(out, url_value(params, "options"));
    if (params->schema) append_search_path(out, params->schema);
    buf_char(out, '\0');
}

/* For each host of the URL. A start has time, a request has not. */
static const char *const connect_timeouts_s[] = {
    [PG_POOL] = "5",
    [PG_MIGRATION] = "15",
    [PG_LISTENER] = "5",
};

struct keyword_list {
    const char *keywords[PARAMS_MAX];
    const char *values[PARAMS_MAX];
    size_t count;
};

static void put(struct keyword_list *list, const char *keyword, const char *value)
{
    assert(list->count + 1 < PARAMS_MAX);
    list->keywords[list->count] = keyword;
    list->values[list->count++] = value;
}

/* The last word on a keyword counts: first what the URL may change, last what it may not. */
static void fill_keywords(struct keyword_list *list, const struct pg_params *params,
                          enum pg_role role, const char *options)
{
    *list = (struct keyword_list){0};
    put(list, "connect_timeout", connect_timeouts_s[role]);
    put(list, "target_session_attrs", "read-write");
    put(list, "application_name", "herald");
    put(list, "tcp_user_timeout", "10000");
    put(list, "keepalives_idle", "10");
    put(list, "keepalives_interval", "5");
    put(list, "keepalives_count", "3");
    for (const PQconninfoOption *option = params->url; option->keyword; option++)
        if (option->val) put(list, option->keyword, option->val);
    put(list, "client_encoding", "UTF8");
    put(list, "options", options);
}

/* --- Connecting --- */

static PGconn *try_connect(const struct pg_params *params, enum pg_role role)
{
    struct keyword_list list;
    AUTO_BUF options = {0};
    buf_init(&options, OPTIONS_MAX);
    build_options(params, role, &options);
    fill_keywords(&list, params, role, params->is_pooled || options.is_full ? "" : options.data);
    PGconn *pg = PQconnectdbParams(list.keywords, list.values, 0);
    if (!pg) abort();
    PQsetNoticeReceiver(pg, pg_note_warning, NULL);
    return pg;
}

static bool is_refused_by_pooler(const PGconn *pg)
{
    return PQstatus(pg) == CONNECTION_BAD &&
           strstr(PQerrorMessage(pg), "unsupported startup parameter");
}

static void explain_connection(const PGconn *pg, struct buf *why)
{
    const char *message = PQerrorMessage(pg);
    size_t len = strlen(message);
    while (len && message[len - 1] == '\n')
        len--;
    buf_printf(why, "PostgreSQL cannot be reached: %.*s", (int)len, message);
}

PGconn *pg_connect(struct pg_params *params, enum pg_role role, struct buf *why)
{
    PGconn *pg = try_connect(params, role);
    /* Found out once, at the start, while there is only one thread. */
    if (role == PG_MIGRATION && !params->is_pooled && is_refused_by_pooler(pg)) {
        db_log(false,
               "The pooler refuses connection options: statement_timeout and lock_timeout "
               "must be set for the role instead.",
               NULL);
        params->is_pooled = true;
        PQfinish(pg);
        pg = try_connect(params, role);
    }
    if (PQstatus(pg) == CONNECTION_OK) return pg;
    explain_connection(pg, why);
    PQfinish(pg);
    return NULL;
}
