/* There is a state for each place in a chunked body where the bytes at hand can end. */
#include "kit/http/body.h"

#include "kit/http/head.h"

/* 15 digits of hex stay far inside int64. */
enum { SIGNIFICANT_DIGITS_MAX = 15 };

void http_body_init(struct http_body *body, int64_t length)
{
    *body = (struct http_body){.state = HTTP_BODY_WHOLE};
    if (length < 0) body->state = HTTP_BODY_SIZE_START;
    if (length > 0) {
        body->state = HTTP_BODY_LENGTH;
        body->left = length;
    }
}

static enum err take_digit(struct http_body *body, char c)
{
    if (++body->digits > HTTP_CHUNK_DIGITS_MAX) return ERR_BAD_REQUEST;
    if (body->left >> (4 * (SIGNIFICANT_DIGITS_MAX - 1)) != 0) return ERR_BAD_REQUEST;
    body->left = body->left * 16 + str_hex_value(c);
    body->state = HTTP_BODY_SIZE;
    return ERR_OK;
}

/* Counts a byte between size and CR against both of its limits. */
static enum err count_extension(struct http_body *body, enum http_body_state next)
{
    if (++body->extension > HTTP_CHUNK_EXTENSION_MAX) return ERR_BAD_REQUEST;
    if (++body->extensions_all > HTTP_EXTENSIONS_MAX) return ERR_BAD_REQUEST;
    body->state = next;
    return ERR_OK;
}

static enum err take_size(struct http_body *body, char c)
{
    if (body->state == HTTP_BODY_SIZE && http_char_is(c, HTTP_CHAR_HEX)) return take_digit(body, c);
    if (c == ';') return count_extension(body, HTTP_BODY_EXTENSION);
    if (c == ' ' || c == '\t') return count_extension(body, HTTP_BODY_SIZE_BLANK);
    if (c != '\r' || body->state == HTTP_BODY_SIZE_BLANK) return ERR_BAD_REQUEST;
    body->state = HTTP_BODY_SIZE_LF;
    return ERR_OK;
}

/* herald knows no extensions, so their bytes are checked, counted and dropped. */
static enum err take_extension(struct http_body *body, char c)
{
    if (http_char_is(c, HTTP_CHAR_VALUE)) return count_extension(body, HTTP_BODY_EXTENSION);
    if (c != '\r') return ERR_BAD_REQUEST;
    body->state = HTTP_BODY_SIZE_LF;
    return ERR_OK;
}

static enum err take_exactly(struct http_body *body, char c, char expected,
                             enum http_body_state next)
{
    if (c != expected) return ERR_BAD_REQUEST;
    body->state = next;
    return ERR_OK;
}

static enum err take_trailer(struct http_body *body, char c)
{
    if (++body->trailer > HTTP_TRAILER_MAX) return ERR_BAD_REQUEST;
    if (body->state == HTTP_BODY_TRAILER_VALUE) {
        if (http_char_is(c, HTTP_CHAR_VALUE)) return ERR_OK;
        return take_exactly(body, c, '\r', HTTP_BODY_TRAILER_LF);
    }
    if (http_char_is(c, HTTP_CHAR_TOKEN)) {
        body->state = HTTP_BODY_TRAILER_NAME;
        return ERR_OK;
    }
    if (body->state == HTTP_BODY_TRAILER_NAME)
        return take_exactly(body, c, ':', HTTP_BODY_TRAILER_VALUE);
    return take_exactly(body, c, '\r', HTTP_BODY_END_LF);
}

static enum err take_framing(struct http_body *body, char c)
{
    switch (body->state) {
    case HTTP_BODY_SIZE_START:
        body->left = 0;
        body->digits = body->extension = 0;
        return http_char_is(c, HTTP_CHAR_HEX) ? take_digit(body, c) : ERR_BAD_REQUEST;
    case HTTP_BODY_SIZE:
    case HTTP_BODY_SIZE_BLANK:
        return take_size(body, c);
    case HTTP_BODY_EXTENSION:
        return take_extension(body, c);
    case HTTP_BODY_SIZE_LF:
        return take_exactly(body, c, '\n',
                            body->left > 0 ? HTTP_BODY_CHUNK : HTTP_BODY_TRAILER_START);
    case HTTP_BODY_CHUNK_CR:
        return take_exactly(body, c, '\r', HTTP_BODY_CHUNK_LF);
    case HTTP_BODY_CHUNK_LF:
        return take_exactly(body, c, '\n', HTTP_BODY_SIZE_START);
    case HTTP_BODY_TRAILER_START:
    case HTTP_BODY_TRAILER_NAME:
    case HTTP_BODY_TRAILER_VALUE:
        return take_trailer(body, c);
    case HTTP_BODY_TRAILER_LF:
        return take_exactly(body, c, '\n', HTTP_BODY_TRAILER_START);
    case HTTP_BODY_END_LF:
        return take_exactly(body, c, '\n', HTTP_BODY_WHOLE);
    case HTTP_BODY_WHOLE:
    case HTTP_BODY_LENGTH:
    case HTTP_BODY_CHUNK:
        break;
    }
    return ERR_INTERNAL; /* these are payload, which http_body_take reads by the run */
}

static struct str take_payload(struct http_body *body, struct str *in)
{
    size_t len = (uint64_t)body->left < in->len ? (size_t)body->left : in->len;
    struct str payload = {in->data, len};

    in->data += len;
    in->len -= len;
    body->left -= (int64_t)len;
    if (body->left > 0) return payload;
    body->state = body->state == HTTP_BODY_LENGTH ? HTTP_BODY_WHOLE : HTTP_BODY_CHUNK_CR;
    return payload;
}

enum err http_body_take(struct http_body *body, struct str *in, struct str *ret_payload)
{
    *ret_payload = (struct str){in->data, 0};
    while (in->len > 0 && !http_body_is_whole(body)) {
        if (body->state == HTTP_BODY_LENGTH || body->state == HTTP_BODY_CHUNK) {
            *ret_payload = take_payload(body, in);
            return ERR_OK;
        }
        enum err err = take_framing(body, in->data[0]);
        if (err) return err;
        in->data++;
        in->len--;
    }
    return ERR_OK;
}
