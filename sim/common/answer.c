/* Answers: whole, nonsense, or cut. */
#include "answer.h"

#include <stdlib.h>

enum { HUGE_BYTES = 8 * 1024 * 1024 };

const char *const shape_words[SHAPE_COUNT + 1] = {
    [SHAPE_HTML] = "html",   [SHAPE_TRUNCATED] = "truncated",   [SHAPE_HUGE] = "huge",
    [SHAPE_EMPTY] = "empty", [SHAPE_OTHER_JSON] = "other_json",
};

struct json_writer answer_begin(struct answer *answer, int status)
{
    struct json_writer json;

    answer->status = status;
    answer_set_body(answer, "application/json", "");
    json_writer_init(&json, &answer->body);
    json_object_begin(&json);
    return json;
}

void answer_add_header(struct answer *answer, const char *name, const char *value)
{
    if (answer->header_count == ANSWER_HEADERS_MAX) return;
    answer->headers[answer->header_count++] = (struct http_header){str_of(name), str_of(value)};
}

void answer_set_body(struct answer *answer, const char *content_type, const char *body)
{
    answer->content_type = content_type;
    answer->header_count = 0;
    buf_clear(&answer->body);
    buf_text(&answer->body, body);
}

void answer_set_html(struct answer *answer, int status, const char *title)
{
    answer->status = status;
    answer_set_body(answer, "text/html", "");
    buf_printf(&answer->body,
               "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%s</h1></center>"
               "\r\n</body>\r\n</html>\r\n",
               title, title);
}

void answer_pad(struct answer *answer, char c, size_t count)
{
    char *room = buf_reserve(&answer->body, count);

    if (room) memset(room, c, count);
}

static void set_huge(struct answer *answer, const char *members)
{
    answer_set_body(answer, "application/json", "");
    buf_printf(&answer->body, "{%s,\"filling\":\"", members);
    answer_pad(answer, 'x', HUGE_BYTES);
    buf_text(&answer->body, "\"}");
}

void answer_set_nonsense(struct answer *answer, enum shape shape, const char *members)
{
    switch (shape) {
    case SHAPE_HTML:
        answer_set_html(answer, 200, "Welcome");
        return;
    case SHAPE_TRUNCATED:
        answer->body.len /= 2;
        return;
    case SHAPE_HUGE:
        set_huge(answer, members);
        return;
    case SHAPE_EMPTY:
        answer_set_body(answer, "application/json", "");
        return;
    case SHAPE_OTHER_JSON:
        answer_set_body(answer, "application/json", "[1, \"two\", null]");
        return;
    case SHAPE_COUNT:
        break;
    }
    abort();
}

/* ---- sending ---- */

static size_t fill_headers(const struct answer *answer, struct http_header *ret_headers)
{
    ret_headers[0] = (struct http_header){STR("Content-Type"), str_of(answer->content_type)};
    memcpy(ret_headers + 1, answer->headers, answer->header_count * sizeof(*ret_headers));
    return answer->header_count + 1;
}

void answer_begin_stream(const struct answer *answer, struct http_request *x)
{
    struct http_header headers[ANSWER_HEADERS_MAX + 1];
    size_t count = fill_headers(answer, headers);

    http_stream_begin(x, answer->status, headers, count);
}

static void send_whole(struct answer *answer, struct http_request *x)
{
    struct http_header headers[ANSWER_HEADERS_MAX + 1];
    size_t count = fill_headers(answer, headers);

    http_reply(x, answer->status, headers, count, &answer->body);
}

static void send_half(const struct answer *answer, struct http_request *x)
{
    answer_begin_stream(answer, x);
    http_stream_write(x, (struct str){answer->body.data, answer->body.len / 2});
    http_cut(x);
}

void answer_send(struct answer *answer, struct http_request *x, enum ending ending)
{
    switch (ending) {
    case ENDING_ANSWER:
        send_whole(answer, x);
        return;
    case ENDING_CUT:
        http_cut(x);
        return;
    case ENDING_CUT_WITHIN:
        send_half(answer, x);
        return;
    }
}
