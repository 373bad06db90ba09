/* Whole answers come from handlers, or are refusals of HTTP itself. */
#include "kit/base/clock.h"
#include "kit/base/uuid.h"
#include "kit/http/connection.h"

enum {
    STATUS_MIN = 200,
    STATUS_OF_REFUSALS = 400,
    STATUS_MAX = 599,
    ERROR_BODY_MAX = 16 * 1024,
    REQUEST_ID_MAX = 128,
};

/* RFC 9110, section 15; a status without a phrase is sent without one. */
static const char *const reasons[STATUS_MAX + 1] = {
    [200] = "OK",
    [201] = "Created",
    [202] = "Accepted",
    [203] = "Non-Authoritative Information",
    [204] = "No Content",
    [205] = "Reset Content",
    [206] = "Partial Content",
    [300] = "Multiple Choices",
    [301] = "Moved Permanently",
    [302] = "Found",
    [303] = "See Other",
    [304] = "Not Modified",
    [307] = "Temporary Redirect",
    [308] = "Permanent Redirect",
    [400] = "Bad Request",
    [401] = "Unauthorized",
    [402] = "Payment Required",
    [403] = "Forbidden",
    [404] = "Not Found",
    [405] = "Method Not Allowed",
    [406] = "Not Acceptable",
    [408] = "Request Timeout",
    [409] = "Conflict",
    [410] = "Gone",
    [411] = "Length Required",
    [412] = "Precondition Failed",
    [413] = "Content Too Large",
    [414] = "URI Too Long",
    [415] = "Unsupported Media Type",
    [416] = "Range Not Satisfiable",
    [417] = "Expectation Failed",
    [421] = "Misdirected Request",
    [422] = "Unprocessable Content",
    [425] = "Too Early",
    [428] = "Precondition Required",
    [429] = "Too Many Requests",
    [431] = "Request Header Fields Too Large",
    [500] = "Internal Server Error",
    [501] = "Not Implemented",
    [502] = "Bad Gateway",
    [503] = "Service Unavailable",
    [504] = "Gateway Timeout",
    [505] = "HTTP Version Not Supported",
    [507] = "Insufficient Storage",
};

/* ---- the head of an answer ---- */

static void append_number(struct buf *out, size_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    buf_append(out, digits + at, sizeof(digits) - at);
}

/* Text from outside must not end the line, so a byte that a value may not have becomes a space. */
static void append_value(struct buf *out, struct str value)
{
    char *room = value.len > 0 ? buf_reserve(out, value.len) : NULL;

    if (!room) return;
    for (size_t i = 0; i < value.len; i++)
        room[i] = http_char_is(value.data[i], HTTP_CHAR_VALUE) ? value.data[i] : ' ';
}

void http_answer_begin_head(struct http_request *x, int status, const struct http_header *headers,
                            size_t header_count)
{
    struct http_loop *loop = x->connection->loop;
    struct buf *out = &loop->head;

    assert(status >= STATUS_MIN && status <= STATUS_MAX);
    buf_clear(out);
    buf_str(out, STR("HTTP/1.1 "));
    append_number(out, (size_t)status);
    buf_char(out, ' ');
    if (reasons[status]) buf_text(out, reasons[status]);
    buf_str(out, STR("\r\n"));
    buf_str(out, http_loop_date(loop));
    for (size_t i = 0; i < header_count; i++) {
        buf_str(out, headers[i].name);
        buf_str(out, STR(": "));
        append_value(out, headers[i].value);
        buf_str(out, STR("\r\n"));
    }
}

void http_answer_end_head(struct http_request *x)
{
    struct buf *out = &x->connection->loop->head;

    if (!x->is_keep_alive)
        buf_str(out, STR("Connection: close\r\n"));
    else if (x->head.minor_version == 0)
        buf_str(out, STR("Connection: keep-alive\r\n"));
    buf_str(out, STR("\r\n"));
    assert(!out->is_full); /* the headers of an answer are ours, and few */
}

void http_answer_decide_keep_alive(struct http_request *x, int status)
{
    struct http_connection *c = x->connection;
    bool is_stranger = status >= STATUS_OF_REFUSALS && !x->is_vouched;

    if (c->loop->is_stopping) x->is_keep_alive = false;
    /* Otherwise a peer that asks without a pause and without a key would always have a place
     * (contract, section 7 "Connections make room"). Requests that came behind this one are not
     * served, and a new connection has the place. */
    if (is_stranger && http_admission_is_short(&c->loop->server->admission))
        x->is_keep_alive = false;
    if (http_body_is_whole(&x->body)) return;
    /* A client that awaits "100 Continue" may now send its body or leave it out, so its next bytes
     * could be read in two ways. */
    if (x->head.is_chunked || x->is_continue_due || x->body.left > HTTP_DRAIN_MAX)
        x->is_keep_alive = false;
}

void http_answer_decide_reading(struct http_request *x)
{
    struct http_connection *c = x->connection;

    http_body_resume(x); /* a rest that is drained has its deadline again */
    if (!x->is_keep_alive) http_deadline_clear(&c->read_deadline);
    http_connection_touch(c);
}

bool http_status_has_content(int status)
{
    return status != 204 && status != 304;
}

/* ---- answers ---- */

static void send_answer(struct http_request *x, int status, const struct http_header *headers,
                        size_t header_count, struct http_content content)
{
    struct http_connection *c = x->connection;
    struct buf *head = &c->loop->head;

    http_answer_decide_keep_alive(x, status);
    http_answer_begin_head(x, status, headers, header_count);
    if (http_status_has_content(status)) {
        buf_str(head, STR("Content-Length: "));
        append_number(head, content.bytes.len);
        buf_str(head, STR("\r\n"));
    }
    http_answer_end_head(x);
    x->answer = HTTP_ANSWER_GIVEN;
    if (!http_status_has_content(status) || x->is_head_request) content = (struct http_content){0};
    http_output_send_content(c, buf_view(head), &content);
    http_answer_decide_reading(x);
}

void http_reply(struct http_request *x, int status, const struct http_header *headers,
                size_t header_count, struct buf *take_body)
{
    if (!http_is_closed(x)) {
        assert(x->answer == HTTP_ANSWER_NONE);
        struct http_content content = {buf_view(take_body), take_body};
        send_answer(x, status, headers, header_count, content);
    }
    buf_done(take_body);
}

void http_reply_shared(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count, struct str body)
{
    if (http_is_closed(x)) return;
    assert(x->answer == HTTP_ANSWER_NONE);
    send_answer(x, status, headers, header_count, (struct http_content){body, NULL});
}

/* Returns the client's own id if it is usable (contract, section 1), else a new one. */
static struct str request_id_of(const struct http_request *x, char *new_id)
{
    struct str own = http_header_get(x, "x-request-id");

    if (own.len <= REQUEST_ID_MAX && str_is_visible(own)) return own;
    struct uuid id = uuid_new(clock_now_ms());
    uuid_format(&id, new_id);
    return (struct str){new_id, UUID_TEXT_LEN};
}

void http_answer_refuse(struct http_connection *c, enum err err)
{
    const struct http_handler *handler = &c->loop->server->handler;
    struct http_request *x = &c->request;
    char new_id[UUID_TEXT_LEN + 1];
    char wait[16];
    struct buf body;

    snprintf(wait, sizeof(wait), "%d", HTTP_OVERLOADED_RETRY_S);
    x->is_given_up = x->is_refused = true;
    x->is_keep_alive = false;
    c->phase = HTTP_PHASE_REQUEST;
    struct str id = request_id_of(x, new_id);
    const struct http_header headers[] = {
        {STR("Content-Type"), STR("application/json")},
        {STR("X-Request-Id"), id},
        {STR("Retry-After"), str_of(wait)}, /* only with ERR_OVERLOADED */
    };
    buf_init(&body, ERROR_BODY_MAX);
    handler->render_error(handler->arg, err, id, &body);
    send_answer(x, err_info(err)->http_status, headers, err == ERR_OVERLOADED ? 3 : 2,
                (struct http_content){buf_view(&body), &body});
    buf_done(&body);
}
