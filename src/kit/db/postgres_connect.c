/*
 * How PostgreSQL is connected to: the URL's own parameters, and those of a session of ours. Of
 * several hosts one is tried at a time, and first the one that was found last: libpq would begin
 * with the first of the list each time, also while that one hangs.
 */
#include "kit/base/must.h"
#include "kit/db/postgres.h"

#include <stdlib.h>

enum {
    PARAMS_MAX = 64, /* of libpq's connection */
    OPTIONS_MAX = 1024,
    HOST_MAX_LEN = 255, /* a name, an address or the folder of a socket */
    TIMEOUT_DEFAULT_MS = 5000,
};

/* --- How to connect --- */

static const char *url_value(const struct pg_params *params, const char *keyword)
{
    for (const PQconninfoOption *option = params->url; option->keyword; option++)
        if (strcmp(option->keyword, keyword) == 0) return option->val ? option->val : "";
    return "";
}

static unsigned item_count(const char *list)
{
    unsigned count = 1;
    for (const char *c = list; *c; c++)
        count += *c == ',';
    return count;
}

/* Lists that do not fit each other are left to libpq, which says so. */
static unsigned count_hosts(const struct pg_params *params)
{
    const char *host = url_value(params, "host"), *address = url_value(params, "hostaddr");
    unsigned hosts = item_count(*address ? address : host);
    unsigned ports = item_count(url_value(params, "port"));
    bool fits = !*address || !*host || item_count(host) == hosts;

    return fits && (ports == 1 || ports == hosts) ? hosts : 1;
}

enum err pg_params_init(struct pg_params *params, const struct db_options *options, struct buf *why)
{
    char *message = NULL;
    *params = (struct pg_params){.url = PQconninfoParse(options->url, &message),
                                 .timeout_ms = options->timeout_ms > 0 ? options->timeout_ms
                                                                       : TIMEOUT_DEFAULT_MS};
    if (params->url) {
        params->host_count = count_hosts(params);
        return ERR_OK;
    }
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
 * fixed to where our tables were found, whatever a role or a database is told later. A server that
 * looks whether its client is still there ends what was given up, and its locks with it. Compiling
 * a plan (jit) takes longer than any statement of ours. */
#define SESSION                                                        \
    "-c statement_timeout=15s -c client_connection_check_interval=2s " \
    "-c default_transaction_isolation=read\\ committed -c jit=off "

/* Every statement of ours finds its rows by keys, one after the other. A planner that knows of no
 * rows yet, or of no backlog, thinks that reading, joining and sorting whole tables is as cheap,
 * and goes on with that plan when they have grown. */
#define BY_KEYS                                       \
    "-c enable_seqscan=off -c enable_bitmapscan=off " \
    "-c enable_mergejoin=off -c random_page_cost=1.1"

static const char *const role_settings[] = {
    [PG_POOL] = SESSION BY_KEYS,
    /* Whatever it is asked for, a server that does not hang has an answer before it is missed. */
    [PG_LOOKOUT] = SESSION BY_KEYS " -c statement_timeout=800ms -c lock_timeout=500ms",
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

/* A wait for a lock ends before the request that waits is given up, so that its connection lasts. A
 * transaction whose client is gone without a word ends as soon as a request would: its locks hold
 * up others. */
static void append_timeouts(struct buf *out, const struct pg_params *params)
{
    buf_printf(out, " -c lock_timeout=%lldms -c idle_in_transaction_session_timeout=%lldms ",
               (long long)(params->timeout_ms * 4 / 5), (long long)params->timeout_ms);
}

static void build_options(const struct pg_params *params, enum pg_role role, struct buf *out)
{
    buf_text(out, role_settings[role]);
    buf_char(out, ' ');
    if (role == PG_POOL) append_timeouts(out, params);
    buf_text(out, url_value(params, "options"));
    if (params->schema) append_search_path(out, params->schema);
    buf_char(out, '\0');
}

/* For each host of the URL. A start has time; a request has not, and soon finds the next host, or
 * the same one when it is back. libpq knows no less than 2 s. */
static const char *const connect_timeouts_s[] = {
    [PG_POOL] = "2",
    [PG_LOOKOUT] = "2",
    [PG_MIGRATION] = "15",
    [PG_LISTENER] = "2",
};

struct keyword_list {
    const char *keywords[PARAMS_MAX];
    const char *values[PARAMS_MAX];
    size_t count;
    char user_timeout_ms[24];
    char host[HOST_MAX_LEN + 1], hostaddr[HOST_MAX_LEN + 1], port[16];
};

static void put(struct keyword_list *list, const char *keyword, const char *value)
{
    assert(list->count + 1 < PARAMS_MAX);
    list->keywords[list->count] = keyword;
    list->values[list->count++] = value;
}

/* An item of a list, which stays as it is where it has only one. */
static void put_item(struct keyword_list *list, const char *keyword, const char *items,
                     unsigned index, char *out, size_t size)
{
    if (!strchr(items, ',')) {
        put(list, keyword, items);
        return;
    }
    for (; index > 0; index--)
        items = strchr(items, ',') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(items, ","), items);
    put(list, keyword, out);
}

static void put_url(struct keyword_list *list, const struct pg_params *params, unsigned host)
{
    for (const PQconninfoOption *option = params->url; option->keyword; option++) {
        if (!option->val) continue;
        if (strcmp(option->keyword, "host") == 0)
            put_item(list, "host", option->val, host, list->host, sizeof list->host);
        else if (strcmp(option->keyword, "hostaddr") == 0)
            put_item(list, "hostaddr", option->val, host, list->hostaddr, sizeof list->hostaddr);
        else if (strcmp(option->keyword, "port") == 0)
            put_item(list, "port", option->val, host, list->port, sizeof list->port);
        else
            put(list, option->keyword, option->val);
    }
}

/* The last word on a keyword counts: first what the URL may change, last what it may not. A peer
 * that vanished is noticed within some 10 s, also by what has no deadline. */
static void fill_keywords(struct keyword_list *list, const struct pg_params *params,
                          enum pg_role role, unsigned host, const char *options)
{
    list->count = 0;
    memset(list->keywords, 0, sizeof list->keywords);
    snprintf(list->user_timeout_ms, sizeof list->user_timeout_ms, "%lld",
             (long long)params->timeout_ms);
    put(list, "connect_timeout", connect_timeouts_s[role]);
    put(list, "target_session_attrs", "read-write");
    put(list, "application_name", "herald");
    put(list, "tcp_user_timeout", list->user_timeout_ms);
    put(list, "keepalives_idle", "5");
    put(list, "keepalives_interval", "2");
    put(list, "keepalives_count", "3");
    put_url(list, params, host);
    put(list, "client_encoding", "UTF8");
    put(list, "options", options);
}

/* --- Connecting --- */

static PGconn *try_connect(const struct pg_params *params, enum pg_role role, unsigned host,
                           bool has_options)
{
    struct keyword_list list;
    AUTO_BUF options = {0};
    buf_init(&options, OPTIONS_MAX);
    build_options(params, role, &options);
    fill_keywords(&list, params, role, host, has_options && !options.is_full ? options.data : "");
    PGconn *pg = PQconnectdbParams(list.keywords, list.values, 0);
    if (!pg) {
        memory_give_reserve();
        pg = PQconnectdbParams(list.keywords, list.values, 0);
    }
    must_have(pg, "there is no memory for a connection to PostgreSQL.");
    PQsetNoticeReceiver(pg, pg_note_warning, NULL);
    return pg;
}

static bool is_connected(const PGconn *pg)
{
    return PQstatus(pg) == CONNECTION_OK;
}

/* A pooler may refuse `options`, each in words of its own: what is taken without them, and is
 * refused with them once more (so that the server was not just starting up), is one. Found out
 * once, at the start, while there is only one thread. */
static PGconn *try_without_options(struct pg_params *params, unsigned host, PGconn *refused)
{
    bool has_timed_out = strstr(PQerrorMessage(refused), "timeout expired");
    if (is_connected(refused) || has_timed_out) return refused;

    PGconn *plain = try_connect(params, PG_MIGRATION, host, false);
    if (!is_connected(plain)) {
        PQfinish(plain);
        return refused;
    }
    PQfinish(refused);
    PGconn *again = try_connect(params, PG_MIGRATION, host, true);
    if (is_connected(again)) {
        PQfinish(plain);
        return again;
    }
    db_log(false,
           "The pooler refuses connection options: statement_timeout and lock_timeout "
           "must be set for the role instead.",
           PQerrorMessage(again));
    PQfinish(again);
    params->is_pooled = true;
    return plain;
}

static PGconn *connect_to(struct pg_params *params, enum pg_role role, unsigned host)
{
    PGconn *pg = try_connect(params, role, host, !params->is_pooled);
    bool may_be_pooler = role == PG_MIGRATION && !params->is_pooled;
    return may_be_pooler ? try_without_options(params, host, pg) : pg;
}

static void explain_connection(const PGconn *pg, struct buf *why)
{
    const char *message = PQerrorMessage(pg);
    size_t len = strlen(message);
    while (len && message[len - 1] == '\n')
        len--;
    buf_printf(why, "%s%.*s", why->len ? "; " : "PostgreSQL cannot be reached: ", (int)len,
               message);
}

PGconn *pg_connect(struct pg_params *params, enum pg_role role, struct buf *why)
{
    unsigned first = atomic_load(&params->host);

    for (unsigned i = 0; i < params->host_count; i++) {
        unsigned host = (first + i) % params->host_count;
        PGconn *pg = connect_to(params, role, host);
        if (is_connected(pg)) {
            atomic_store(&params->host, host);
            pg_watch_hear_of_other(&params->watch);
            return pg;
        }
        explain_connection(pg, why);
        PQfinish(pg);
    }
    return NULL;
}

void pg_pass_host(struct pg_params *params)
{
    atomic_store(&params->host, (atomic_load(&params->host) + 1) % params->host_count);
}
