/*
 * A connection to PostgreSQL has the parameters of the URL and those of a session of ours. Several
 * hosts are tried one at a time, beginning with the one that was found last: libpq would begin with
 * the first of the list each time, also while that one hangs.
 */
#include "kit/base/must.h"
#include "kit/db/postgres.h"

#include <stdlib.h>

enum {
    PARAMS_MAX = 64, /* parameters of a connection of libpq */
    OPTIONS_MAX = 1024,
    HOST_MAX_LEN = 255, /* a name, an address or the folder of a socket */
    TIMEOUT_DEFAULT_MS = 5000,
    SILENCE_DEFAULT_MS = 1500,
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

/* Lists of different lengths are left to libpq, which refuses them. */
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
    *params = (struct pg_params){
        .url = PQconninfoParse(options->url, &message),
        .timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : TIMEOUT_DEFAULT_MS,
        .watch.silence_ms = options->silence_ms > 0 ? options->silence_ms : SILENCE_DEFAULT_MS};
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

/* Server settings come with the connection, since a pooler would not keep a later SET. The search
 * path is fixed to where our tables were found, whatever is set for a role or a database later. A
 * server that looks whether its client is still there ends statements that were given up, and frees
 * their locks. Compiling a plan (jit) takes longer than any statement of ours. */
#define SESSION                                                        \
    "-c statement_timeout=15s -c client_connection_check_interval=2s " \
    "-c default_transaction_isolation=read\\ committed -c jit=off "

/* Every statement of ours finds its rows by keys, one after the other. A planner that has seen
 * empty tables thinks that reading, joining and sorting all of them is as cheap, and keeps that
 * plan when they have grown. */
#define BY_KEYS                                       \
    "-c enable_seqscan=off -c enable_bitmapscan=off " \
    "-c enable_mergejoin=off -c random_page_cost=1.1"

static const char *const role_settings[] = {
    [PG_POOL] = SESSION BY_KEYS,
    /* With these, a server that does not hang answers any question before its answer is missed. */
    [PG_LOOKOUT] = SESSION BY_KEYS " -c statement_timeout=800ms -c lock_timeout=500ms",
    [PG_MIGRATION] = "-c statement_timeout=0 -c lock_timeout=0",
    /* A hint need not wait for a disk. */
    [PG_LISTENER] = "-c statement_timeout=15s -c synchronous_commit=off",
};

/* Writes it as an identifier in double quotes, with backslashes for the parser of `options`. */
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

static void build_options(const struct pg_params *params, enum pg_role role, struct buf *out)
{
    buf_text(out, role_settings[role]);
    buf_char(out, ' ');
    /* A wait for a lock ends before the request that waits is given up, so that its connection
     * lasts. A transaction whose client has vanished ends as soon as a request would, since its
     * locks hold up others. */
    if (role == PG_POOL)
        buf_printf(out, " -c lock_timeout=%lldms -c idle_in_transaction_session_timeout=%lldms ",
                   (long long)(params->timeout_ms * 4 / 5), (long long)params->timeout_ms);
    buf_text(out, url_value(params, "options"));
    if (params->schema) append_search_path(out, params->schema);
    buf_char(out, '\0');
}

/* They hold for each host of the URL. A start has time; a request has not, and soon tries the next
 * host, or the same one when it is back. libpq takes no less than 2 s. */
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

/* Puts one item of a list; a single item is taken for every index. */
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

/* The last value of a keyword counts: so the values that the URL may change come first, and the
 * others last. A server that vanished is noticed within some 10 s, also without a deadline.
 * Encryption by Kerberos waits until the URL asks for it: to look for credentials, libpq calls a
 * library that crashes where memory lacks. */
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
    put(list, "gssencmode", "disable");
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
    PQsetNoticeReceiver(pg, pg_take_notice, NULL);
    return pg;
}

static bool is_connected(const PGconn *pg)
{
    return PQstatus(pg) == CONNECTION_OK;
}

/* Poolers may refuse `options`, each in words of its own. A server that takes a connection without
 * them, and refuses one with them again (so it was not just starting up), is such a pooler. This is
 * found out once, at the start, while there is only one thread. */
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
        bool may_be_pooler = role == PG_MIGRATION && !params->is_pooled;
        PGconn *pg = try_connect(params, role, host, !params->is_pooled);
        if (may_be_pooler) pg = try_without_options(params, host, pg);
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
