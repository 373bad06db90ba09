/* HTTP of the control API: finds the route, runs it, answers. One loop, one request at a time. */
#include "control.h"

#include "memory.h"
#include "server.h"
#include "wire_text.h"

#include <stdarg.h>
#include <stdio.h>

enum { CONTROL_BODY_MAX = 1024 * 1024, CONTROL_ANSWER_MAX = 64 * 1024 * 1024 };

struct control {
    struct server *server; /* whose it is */
    struct http_server *http;
};

/* ---- what routes use ---- */

int control_word(const char *const *words, const char *word)
{
    int i = 0;

    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

int control_refuse(struct control_request *request, int status, const char *format, ...)
{
    va_list arguments;
    char sentence[512];

    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    buf_clear(&request->answer);
    json_writer_init(&request->json, &request->answer);
    json_object_begin(&request->json);
    wire_text_put(&request->json, "error", str_of(sentence), &request->arena);
    json_object_end(&request->json);
    return status;
}

int control_decode(struct control_request *request, const struct record *record, void *ret_value)
{
    struct str body = request->body.len > 0 ? buf_view(&request->body) : STR("{}");
    struct record_faults *faults = ARENA_NEW(&request->arena, struct record_faults);

    record_faults_init(faults, &request->arena);
    if (!record_decode(record, body, true, &request->arena, ret_value, faults)) return 0;
    return control_refuse(request, 422, "%s: %s", faults->rows[0].path, faults->rows[0].message);
}

const char *control_param(const struct control_request *request, const char *name)
{
    return params_text(&request->query, name);
}

int control_flag(struct control_request *request, const char *name, int *ret_flag)
{
    const char *text = control_param(request, name);

    *ret_flag = -1;
    if (!text) return 0;
    *ret_flag = strcmp(text, "true") == 0;
    if (*ret_flag || strcmp(text, "false") == 0) return 0;
    return control_refuse(request, 422, "%s: true or false", name);
}

int control_count(struct control_request *request, const char *name, int64_t max,
                  int64_t *ret_count)
{
    if (!params_has(&request->query, name)) return 0;
    if (params_integer(&request->query, name, 0, max, ret_count)) return 0;
    return control_refuse(request, 422, "%s: a number from 0 to %lld", name, (long long)max);
}

/* ---- the exchange ---- */

static void reply(struct control_request *request, int status)
{
    static const struct http_header type = {{"Content-Type", 12}, {"application/json", 16}};

    http_reply(request->x, status, &type, 1, &request->answer);
}

static void reply_held(struct http_request *x)
{
    struct control_request *request = http_user(x);

    reply(request, request->held_status);
    http_release(x);
}

void control_finish(struct control_request *request, int status, struct buf *take_json)
{
    buf_done(&request->answer);
    request->answer = *take_json;
    request->held_status = status;
    http_defer(request->x, reply_held);
}

static const struct route *find_route(const struct control_request *request, bool *ret_is_known)
{
    const struct route *const *tables = request->server->options.routes;

    *ret_is_known = false;
    for (size_t i = 0; tables[i]; i++) {
        for (const struct route *route = tables[i]; route->verb; route++) {
            if (!str_is(http_path(request->x), route->path)) continue;
            *ret_is_known = true;
            if (str_is(http_method(request->x), route->verb)) return route;
        }
    }
    return NULL;
}

static int run(struct control_request *request)
{
    bool is_known;
    const struct route *route = find_route(request, &is_known);

    if (request->body.is_full) return control_refuse(request, 413, "The body is too large");
    if (request->query.is_malformed)
        return control_refuse(request, 422, "The query cannot be read");
    if (route) return route->run(request);
    return control_refuse(request, is_known ? 405 : 404, "%s --help lists the control API",
                          request->server->options.program);
}

static void on_head(void *arg, struct http_request *x)
{
    struct control *control = arg;
    struct control_request *request = memory_new(sizeof(*request));

    request->control = control;
    request->server = control->server;
    request->sim = control->server->options.sim;
    request->x = x;
    arena_init(&request->arena);
    buf_init(&request->body, CONTROL_BODY_MAX);
    buf_init(&request->answer, CONTROL_ANSWER_MAX);
    json_writer_init(&request->json, &request->answer);
    params_add_query(&request->query, http_query(x), &request->arena);
    http_set_user(x, request);
}

static void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct control_request *request = http_user(x);

    (void)arg;
    buf_str(&request->body, bytes);
}

static void on_end(void *arg, struct http_request *x)
{
    struct control_request *request = http_user(x);

    (void)arg;
    int status = run(request);
    if (status == ANSWER_LATER) return;
    if (request->answer.is_full)
        status = control_refuse(request, 413, "The answer is too large: ask for less");
    reply(request, status);
}

static void on_close(void *arg, struct http_request *x)
{
    struct control_request *request = http_user(x);

    (void)arg;
    buf_done(&request->body);
    buf_done(&request->answer);
    arena_done(&request->arena);
    free(request);
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
        .listen = control->server->options.control,
        .loops = 1,
        .limits = http_limits_default,
        .handler = {on_head, on_body, on_end, on_close, NULL, render_error, control},
    };
    enum err err = http_server_open(&options, &control->http, why);

    return err ? err : http_server_run(control->http, why);
}

struct control *control_start(struct server *server)
{
    struct control *control = memory_new(sizeof(*control));
    AUTO_BUF why = {0};

    control->server = server;
    buf_init(&why, 4096);
    if (!start_listening(control, &why)) return control;
    fprintf(stderr, "%s: %.*s\n", server->options.program, (int)why.len, why.data);
    if (control->http) http_server_stop(control->http, 0);
    free(control);
    return NULL;
}

const char *control_address(struct control *control)
{
    return http_server_address(control->http);
}

struct http_server *control_http(struct control *control)
{
    return control->http;
}

void control_stop(struct control *control)
{
    if (!control) return;
    http_server_stop(control->http, 1000);
    free(control);
}
