/* Requests to providers have a URL, headers and a body, each with its own way of escaping. */
#include "domain/channel/driver_request.h"

#include <assert.h>

void request_begin(struct fetch *fetch, const char *method, const char *url)
{
    fetch->method = method;
    fetch->url = url;
    fetch->body = (struct str){0};
    memset(fetch->headers, 0, sizeof(fetch->headers));
    request_header(fetch, "Accept", "application/json");
}

/* Settings and templates are checked when they are read, so anything else here is a bug. */
static bool is_printable(const char *value)
{
    for (; *value; value++) {
        if (*value < ' ' || *value > '~') return false;
    }
    return true;
}

void request_header(struct fetch *fetch, const char *name, const char *value)
{
    size_t count = 0;

    while (fetch->headers[count].name)
        count++;
    assert(count < FETCH_HEADERS_MAX - 1 && is_printable(value));
    fetch->headers[count] = (struct fetch_header){.name = name, .value = value};
}

void request_bearer(struct fetch *fetch, const struct secret *token, const char *suffix,
                    struct arena *arena)
{
    request_header(fetch, "Authorization",
                   arena_printf(arena, "Bearer %.*s%s", (int)token->len, token->data, suffix));
}

void request_body(struct fetch *fetch, const char *media_type, const struct buf *body,
                  struct arena *arena)
{
    assert(!body->is_full);
    fetch->body = (struct str){arena_str(arena, buf_view(body)), body->len};
    request_header(fetch, "Content-Type", media_type);
}

void request_escape(struct buf *out, struct str value, const char *also_plain)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-._~";

    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        if (c && (strchr(unreserved, c) || strchr(also_plain, c)))
            buf_char(out, c);
        else
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

const char *request_phone_digits(const struct channel_content *content)
{
    assert(content->recipient && content->recipient[0] == '+');
    return content->recipient + 1;
}

void request_json_begin(struct request_json *json)
{
    buf_init(&json->body, REQUEST_MAX);
    json_writer_init(&json->writer, &json->body);
    json_object_begin(&json->writer);
}

void request_json_end(struct request_json *json, struct fetch *fetch, struct arena *arena)
{
    json_object_end(&json->writer);
    request_body(fetch, "application/json", &json->body, arena);
    buf_done(&json->body);
}
