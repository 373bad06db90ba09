/* HTTP of the control API: finds the route, runs it, answers. One loop, one request at a time. */
#include "control.h"

#include "wire_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASK_BODY_MAX = 1024 * 1024, ASK_ANSWER_MAX = 64 * 1024 * 1024 };

struct control {
    struct control_options options;
    struct http_server *server;
};

/* ---- what routes use ---- */

int ask_refuse(struct ask *ask, int status, const char *format, ...)
{
    va_list arguments;
    char sentence[512];

    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    buf_clear(&ask->answer);
    json_writer_init(&ask->json, &ask->answer);
    json_object_begin(&ask->json);
    wire_text_put(&ask->json, "error", str_of(sentence), &ask->arena);
    json_object_end(&ask->json);
    return status;
}

int ask_decode(struct ask *ask, const struct record *record, void *ret_value)
{
    struct str body = ask->body.len > 0 ? buf_view(&ask->body) : STR("{}");
    struct record_faults *faults = ARENA_NEW(&ask->arena, struct record_faults);

    record_faults_init(faults, &ask->arena);
    if (!record_decode(record, body, true, &ask->arena, ret_value, faults)) return 0;
    return ask_refuse(ask, 422, "%s: %s", faults->rows[0].path, faults->rows[0].message);
}

const char *ask_param(const struct ask *ask, const char *name)
{
    return params_text(&ask->query, name);
}

int ask_flag(struct ask *ask, const char *name, int *ret_flag)
{
    const char *text = ask_param(ask, name);

    *ret_flag = -1;
    if (!text) return 0;
    *ret_flag = strcmp(text, "true") == 0;
    if (*ret_flag || strcmp(text, "false") == 0) return 0;
    return ask_refuse(ask, 422, "%s: true or false", name);
}

int ask_count(struct ask *ask, const char *name, int64_t max, int64_t *ret_count)
{
    if (!params_has(&ask->query, name)) return 0;
    if (params_integer(&ask->query, name, 0, max, ret_count)) return 0;
    return ask_refuse(ask, 422, "%s: a number from 0 to %lld", name, (long long)max);
}

/* ---- the exchange ---- */

static void reply(struct ask *ask, int status)
{
    static const struct http_header type = {{"Content-Type", 12}, {"application/json", 16}};

    http_reply(ask->x, status, &type, 1, &ask->answer);
}

static void reply_held(struct http_exchange *x)
{
    struct ask *ask = http_user(x);

    reply(ask, ask->held_status);
    http_release(x);
}

void ask_finish(struct ask *ask, int status, struct buf *take_json)
{
    buf_done(&ask->answer);
    ask->answer = *take_json;
    ask->held_status = status;
    http_defer(ask->x, reply_held);
}

static const struct route *find_route(const struct ask *ask, bool *ret_is_known)
{
    const struct route *const *tables = ask->control->options.tables;

    *ret_is_known = false;
    for (size_t i = 0; tables[i]; i++) {
        for (const struct route *route = tables[i]; route->verb; route++) {
            if (!str_is(http_path(ask->x), route->path)) continue;
            *ret_is_known = true;
            if (str_is(http_method(ask->x), route->verb)) return route;
        }
    }
    return NULL;
}

static int run(struct ask *ask)
{
    bool is_known;
    const struct route *route = find_route(ask, &is_known);

    if (ask->body.is_full) return ask_refuse(ask, 413, "The body is too large");
    if (ask->query.is_malformed) return ask_refuse(ask, 422, "The query cannot be read");
    if (route) return route->run(ask);
    return ask_refuse(ask, is_known ? 405 : 404, "%s --help lists the control API",
                      ask->control->options.program);
}

static void on_head(void *arg, struct http_exchange *x)
{
    struct control *control = arg;
    struct ask *ask = calloc(1, sizeof(*ask));

    if (!ask) abort();
    ask->control = control;
    ask->sim = control->options.sim;
    ask->x = x;
    arena_init(&ask->arena);
    buf_init(&ask->body, ASK_BODY_MAX);
    buf_init(&ask->answer, ASK_ANSWER_MAX);
    json_writer_init(&ask->json, &ask->answer);
    params_add_query(&ask->query, http_query(x), &ask->arena);
    http_set_user(x, ask);
}

static void on_body(void *arg, struct http_exchange *x, struct str bytes)
{
    struct ask *ask = http_user(x);

    (void)arg;
    buf_str(&ask->body, bytes);
}

static void on_end(void *arg, struct http_exchange *x)
{
    struct ask *ask = http_user(x);

    (void)arg;
    int status = run(ask);
    if (status == ANSWER_LATER) return;
    if (ask->answer.is_full) status = ask_refuse(ask, 413, "The answer is too large: ask for less");
    reply(ask, status);
}

static void on_close(void *arg, struct http_exchange *x)
{
    struct ask *ask = http_user(x);

    (void)arg;
    buf_done(&ask->body);
    buf_done(&ask->answer);
    arena_done(&ask->arena);
    free(ask);
}

static void on_drain(void *arg, struct http_exchange *x)
{
    (void)arg, (void)x;
}

static void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg, (void)request_id;
    buf_printf(body, "{\"error\":\"%s\"}", err_info(err)->sentence);
}

/* A first request may come before this returns: from its first one on, `control` is whole. */
static enum err start_listening(struct control *control, struct buf *why)
{
    struct http_options options = {
        .listen = control->options.listen,
        .loops = 1,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, on_drain, render_error, control},
    };
    enum err err = http_server_open(&options, &control->server, why);

    return err ? err : http_server_run(control->server, why);
}

struct control *control_start(const struct control_options *options)
{
    struct control *control = calloc(1, sizeof(*control));
    AUTO_BUF why;

    if (!control) abort();
    control->options = *options;
    buf_init(&why, 4096);
    if (!start_listening(control, &why)) return control;
    fprintf(stderr, "%s: %.*s\n", options->program, (int)why.len, why.data);
    if (control->server) http_server_stop(control->server, 0);
    free(control);
    return NULL;
}

struct http_server *control_server(struct control *control)
{
    return control->server;
}

void control_stop(struct control *control)
{
    if (!control) return;
    http_server_stop(control->server, 1000);
    free(control);
}
