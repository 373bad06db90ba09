/*
 * Requests to the token endpoint. The first line of the input is the Authorization header (an empty
 * one: there is none), the rest is the body. What is taken is written as a form again, in the one
 * way and in the other, and must be read as the same; a parameter that is repeated, or a secret in
 * both places, must be refused.
 */
#include "domain/token/token_form.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 20000, FORM_MAX = 8 * INPUT_MAX };

static const char form_type[] = "application/x-www-form-urlencoded";

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void require_same(const struct token_request *a, const struct token_request *b)
{
    require(is_same(a->grant_type, b->grant_type), "another grant type");
    require(is_same(a->scope, b->scope), "another scope");
    require(is_same(a->client_id, b->client_id), "another client");
    require(is_same(a->client_secret, b->client_secret), "another secret");
}

static enum err read_form(struct str authorization, struct str body, struct arena *arena,
                          struct token_request *ret_request)
{
    return token_form_read(authorization, str_of(form_type), body, arena, ret_request);
}

static void put_encoded(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_printf(out, "%%%02X", (unsigned char)*text);
}

static void put_param(struct buf *out, const char *name, const char *value)
{
    if (!value) return;
    buf_printf(out, "&%s=", name);
    put_encoded(out, value);
}

static void check_body_again(const struct token_request *request, struct arena *arena)
{
    AUTO_BUF form = {0};
    struct token_request again;

    buf_init(&form, FORM_MAX);
    put_param(&form, "scope", request->scope);
    put_param(&form, "client_secret", request->client_secret);
    put_param(&form, "grant_type", request->grant_type);
    put_param(&form, "client_id", request->client_id);
    require(read_form((struct str){0}, buf_view(&form), arena, &again) == ERR_OK, "not read again");
    require_same(request, &again);
    put_param(&form, "scope", "");
    put_param(&form, "scope", "x");
    require(read_form((struct str){0}, buf_view(&form), arena, &again) == ERR_INVALID_REQUEST,
            "a repeated parameter is read");
}

static struct str write_basic(const struct token_request *request, struct arena *arena)
{
    AUTO_BUF pair = {0};

    buf_init(&pair, FORM_MAX);
    put_encoded(&pair, request->client_id);
    buf_char(&pair, ':');
    put_encoded(&pair, request->client_secret);
    size_t size = sodium_base64_ENCODED_LEN(pair.len, sodium_base64_VARIANT_ORIGINAL);
    char *base64 = arena_alloc(arena, size);
    sodium_bin2base64(base64, size, (const uint8_t *)pair.data, pair.len,
                      sodium_base64_VARIANT_ORIGINAL);
    return str_of(arena_printf(arena, "Basic %s", base64));
}

static void check_header_again(const struct token_request *request, struct arena *arena)
{
    AUTO_BUF form = {0};
    struct token_request again;

    struct str basic = write_basic(request, arena);
    buf_init(&form, FORM_MAX);
    put_param(&form, "scope", request->scope);
    put_param(&form, "grant_type", request->grant_type);
    require(read_form(basic, buf_view(&form), arena, &again) == ERR_OK, "Basic is not read again");
    require_same(request, &again);
    put_param(&form, "client_secret", request->client_secret);
    require(read_form(basic, buf_view(&form), arena, &again) == ERR_INVALID_REQUEST,
            "a secret in both places is read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = {(const char *)data, size}, authorization = {0};
    struct token_request request = {0};
    struct arena arena;
    const char *line = size > 0 ? memchr(data, '\n', size) : NULL;

    if (!line || size > INPUT_MAX) return 0;
    if (line > body.data) authorization = (struct str){body.data, (size_t)(line - body.data)};
    body = (struct str){line + 1, size - authorization.len - 1};
    arena_init(&arena);
    enum err err = read_form(authorization, body, &arena, &request);
    require(err == ERR_OK || err == ERR_INVALID_REQUEST || err == ERR_INVALID_CLIENT, "an error");
    if (err == ERR_OK) {
        require(!authorization.data || (request.client_id && request.client_secret), "nobody");
        check_body_again(&request, &arena);
        if (request.client_id && request.client_secret) check_header_again(&request, &arena);
    }
    arena_done(&arena);
    return 0;
}
