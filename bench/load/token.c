/*
 * The identity service, and what its tokens open: `tokens` fetches one after the other, `bearer`
 * shows the same token again and again, `bearer_new` shows each one once. Every connection is a
 * workload client.
 *
 * What the tokens open is the status of a package that was never sent: the check of the token, that
 * of the integration, and one row that is not found.
 */
#include "bench.h"
#include "kit/base/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { TOKENS_PER_CONNECTION = 256 };

struct token {
    size_t len;
    char text[TOKEN_MAX];
};

/* Tokens in rows: connection c has those with the numbers c, c + connections, and so on. */
struct purse {
    struct bench *bench;
    struct token *tokens;
    size_t per_connection;
    size_t turns[WIRE_CONNECTIONS_MAX]; /* how many each connection has fetched or shown */
    int64_t count;                      /* answers as they should be */
};

static const struct fetch_client *client_of(const struct bench *bench, const struct connection *of)
{
    return &bench->clients[of->index % bench->client_count];
}

static struct token *token_of(const struct purse *purse, const struct connection *of)
{
    size_t turn = purse->turns[of->index] % purse->per_connection;
    return &purse->tokens[turn * purse->bench->connections + of->index];
}

static bool is_time_up(const struct purse *purse)
{
    return purse->bench->unexpected > 0 || clock_monotonic_us() >= purse->bench->end_us;
}

static bool is_turn_over(const struct purse *purse, const struct connection *of)
{
    return purse->bench->unexpected > 0 || purse->turns[of->index] == purse->per_connection;
}

static void count_answer(struct purse *purse, struct connection *connection, int64_t us)
{
    purse->turns[connection->index]++;
    purse->count++;
    samples_add(&purse->bench->latency, us);
}

/* ------------------------------------------------------------------------------------ fetch */

static void ask_token(const struct bench *bench, const struct connection *connection,
                      struct buf *request)
{
    const struct fetch_client *client = client_of(bench, connection);
    char body[512];

    int len = snprintf(body, sizeof body,
                       "grant_type=client_credentials&client_id=%s&client_secret=%s"
                       "&scope=erp.catalog.write+erp.changes.write+erp.events.read",
                       client->id, client->secret);
    buf_printf(request,
               "POST %s HTTP/1.1\r\nHost: herald\r\n"
               "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
               bench->token_path, len, body);
}

/* False, and the run is spoiled: there is none, or the same one came again, which a check would
 * know without a look at its signature. */
static bool keep_token(struct bench *bench, struct token *token, struct str text)
{
    bool is_again = token->len == text.len && memcmp(token->text, text.data, text.len) == 0;

    if (text.len > 0 && text.len < TOKEN_MAX && !is_again) {
        token->len = text.len;
        memcpy(token->text, text.data, text.len);
        return true;
    }
    fprintf(stderr, "load: an answer has no token, or one that came before\n");
    bench->unexpected++;
    return false;
}

static void on_token(void *context, struct connection *connection, const struct answer *answer)
{
    struct purse *purse = context;

    if (!bench_expect(purse->bench, answer, 200)) return;
    struct str text = bench_property(answer->body, "access_token");
    if (keep_token(purse->bench, token_of(purse, connection), text))
        count_answer(purse, connection, answer->us);
}

static bool next_token_for_a_time(void *context, struct connection *connection, struct buf *request)
{
    struct purse *purse = context;

    if (is_time_up(purse)) return false;
    ask_token(purse->bench, connection, request);
    return true;
}

static bool next_token_of_turn(void *context, struct connection *connection, struct buf *request)
{
    struct purse *purse = context;

    if (is_turn_over(purse, connection)) return false;
    ask_token(purse->bench, connection, request);
    return true;
}

/* ------------------------------------------------------------------------------------- show */

static void show_token(const struct purse *purse, const struct connection *connection,
                       struct buf *request)
{
    const struct token *token = token_of(purse, connection);

    buf_printf(request,
               "GET /api/v1/integrations/erp/%s/events/bench HTTP/1.1\r\nHost: herald\r\n"
               "Authorization: Bearer %.*s\r\n\r\n",
               client_of(purse->bench, connection)->integration_id, (int)token->len, token->text);
}

static void on_shown(void *context, struct connection *connection, const struct answer *answer)
{
    struct purse *purse = context;

    if (bench_expect(purse->bench, answer, 404)) count_answer(purse, connection, answer->us);
}

static bool next_show_for_a_time(void *context, struct connection *connection, struct buf *request)
{
    struct purse *purse = context;

    if (is_time_up(purse)) return false;
    show_token(purse, connection, request);
    return true;
}

static bool next_show_of_turn(void *context, struct connection *connection, struct buf *request)
{
    struct purse *purse = context;

    if (is_turn_over(purse, connection)) return false;
    show_token(purse, connection, request);
    return true;
}

/* -------------------------------------------------------------------------------------- run */

static void open_purse(struct purse *purse, struct bench *bench, size_t per_connection)
{
    *purse = (struct purse){.bench = bench, .per_connection = per_connection};
    purse->tokens = calloc(bench->connections * per_connection, sizeof *purse->tokens);
    if (!purse->tokens) abort();
    bench->end_us = clock_monotonic_us() + bench->duration_us;
}

/* Runs the work from the first turn on and adds the time that it takes. */
static bool run_work(struct purse *purse, const struct work *work, int64_t *sum_us)
{
    int64_t start_us = clock_monotonic_us();

    memset(purse->turns, 0, sizeof purse->turns);
    if (!wire_run(&purse->bench->wire, work)) return false;
    *sum_us += clock_monotonic_us() - start_us;
    return purse->bench->unexpected == 0;
}

/* Fills the purse; nothing of this counts. */
static bool fetch_tokens(struct purse *purse)
{
    struct work fetch = {next_token_of_turn, on_token, purse};
    struct samples *latency = &purse->bench->latency;
    int64_t count = purse->count;
    size_t sample_count = latency->count;
    int64_t fetch_us = 0;

    bool is_good = run_work(purse, &fetch, &fetch_us);
    purse->count = count;
    latency->count = sample_count;
    return is_good;
}

static void close_purse(struct purse *purse, int64_t sum_us, struct result *ret_result)
{
    free(purse->tokens);
    ret_result->count = purse->count;
    ret_result->seconds = (double)sum_us / 1e6;
}

static bool run_tokens(struct bench *bench, struct result *ret_result)
{
    struct purse purse;
    struct work fetch = {next_token_for_a_time, on_token, &purse};
    int64_t sum_us = 0;

    open_purse(&purse, bench, 1);
    bool is_good = run_work(&purse, &fetch, &sum_us);
    close_purse(&purse, sum_us, ret_result);
    return is_good;
}

static bool run_bearer(struct bench *bench, struct result *ret_result)
{
    struct purse purse;
    struct work show = {next_show_for_a_time, on_shown, &purse};
    int64_t sum_us = 0;

    open_purse(&purse, bench, 1);
    bool is_good = fetch_tokens(&purse) && run_work(&purse, &show, &sum_us);
    close_purse(&purse, sum_us, ret_result);
    return is_good;
}

static bool run_bearer_new(struct bench *bench, struct result *ret_result)
{
    struct purse purse;
    struct work show = {next_show_of_turn, on_shown, &purse};
    int64_t sum_us = 0;

    open_purse(&purse, bench, TOKENS_PER_CONNECTION);
    bool is_good = true;
    while (is_good && !is_time_up(&purse))
        is_good = fetch_tokens(&purse) && run_work(&purse, &show, &sum_us);
    close_purse(&purse, sum_us, ret_result);
    return is_good;
}

const struct scenario scenario_tokens = {
    .name = "tokens",
    .help = "client credentials for a token, one after the other; any server of OAuth 2",
    .needs_clients = true,
    .run = run_tokens,
};
const struct scenario scenario_bearer = {
    .name = "bearer",
    .help = "the status of a package, each connection with the same token again and again",
    .needs_clients = true,
    .run = run_bearer,
};
const struct scenario scenario_bearer_new = {
    .name = "bearer_new",
    .help = "the same with each token once; the time in which they are fetched does not count",
    .needs_clients = true,
    .run = run_bearer_new,
};
