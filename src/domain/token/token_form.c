/* The form is read strictly: whatever could be read in two ways is refused. */
#include "domain/token/token_form.h"

#include "kit/base/macros.h"
#include "kit/http/media.h"
#include "kit/http/path.h"

#include <sodium.h>

#define MEDIA_TYPE "application/x-www-form-urlencoded"
#define BASIC      "Basic "

/* The parameters that mean something here. */
static const struct {
    const char *name;
    size_t offset; /* of its text in struct token_request */
} params[] = {
    {"grant_type", offsetof(struct token_request, grant_type)},
    {"scope", offsetof(struct token_request, scope)},
    {"client_id", offsetof(struct token_request, client_id)},
    {"client_secret", offsetof(struct token_request, client_secret)},
};
enum { PARAMS = COUNT_OF(params) };

/* NULL: the text is malformed. */
static char *decode(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.len + 1);
    size_t len;
    return http_percent_decode(text, HTTP_DECODE_QUERY, out, &len) ? out : NULL;
}

/* Finds the row of a parameter; PARAMS: we do not know it. */
static size_t find_param(const char *name)
{
    size_t i = 0;
    while (i < PARAMS && strcmp(params[i].name, name) != 0)
        i++;
    return i;
}

/* Each name may stand once, known or not (contract, section 4). */
static bool read_body(struct str body, struct arena *arena, struct token_request *request)
{
    const char *names[TOKEN_FORM_PARAMS_MAX];
    struct str raw_name, raw_value;

    for (int count = 0; http_query_next(&body, &raw_name, &raw_value); count++) {
        const char *name = decode(raw_name, arena), *value = decode(raw_value, arena);
        if (count == TOKEN_FORM_PARAMS_MAX || !name || !value) return false;
        for (int i = 0; i < count; i++) {
            if (strcmp(names[i], name) == 0) return false;
        }
        names[count] = name;
        size_t row = find_param(name);
        if (row < PARAMS && *value) *(const char **)((char *)request + params[row].offset) = value;
    }
    return true;
}

/* Decodes base64 with its padding, and adds a NUL; NULL: it is none. */
static char *decode_base64(struct str text, struct arena *arena, size_t *ret_len)
{
    size_t max = text.len / 4 * 3;
    char *out = arena_alloc(arena, max + 1);

    /* libsodium 1.0.18 takes some bytes beyond ASCII for characters. */
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~') return NULL;
    }
    bool is_good = sodium_base642bin((uint8_t *)out, max, text.data, text.len, NULL, ret_len, NULL,
                                     sodium_base64_VARIANT_ORIGINAL) == 0;
    return is_good ? out : NULL;
}

/* Reads the id and the secret of "Basic base64(id:secret)", each encoded like a parameter. */
static bool read_basic(struct str authorization, struct arena *arena, const char **ret_id,
                       const char **ret_secret)
{
    size_t scheme = sizeof(BASIC) - 1, len;

    if (authorization.len <= scheme) return false;
    if (!str_is_nocase((struct str){authorization.data, scheme}, BASIC)) return false;
    struct str rest = {authorization.data + scheme, authorization.len - scheme};
    char *pair = decode_base64(str_trim(rest), arena, &len);
    if (!pair) return false;

    const char *colon = memchr(pair, ':', len);
    if (colon) {
        size_t id_len = (size_t)(colon - pair);
        *ret_id = decode((struct str){pair, id_len}, arena);
        *ret_secret = decode((struct str){colon + 1, len - id_len - 1}, arena);
    }
    secret_wipe(pair, len);
    return colon && *ret_id && *ret_secret && **ret_id && **ret_secret;
}

static enum err apply_basic(struct str authorization, struct arena *arena,
                            struct token_request *request)
{
    const char *id = NULL, *secret = NULL;

    if (request->client_secret) return ERR_INVALID_REQUEST;
    if (!read_basic(authorization, arena, &id, &secret)) return ERR_INVALID_CLIENT;
    request->client_secret = secret;
    if (request->client_id && strcmp(request->client_id, id) != 0) return ERR_INVALID_REQUEST;
    request->client_id = id;
    return ERR_OK;
}

static enum err read_all(struct str authorization, struct str content_type, struct str body,
                         struct arena *arena, struct token_request *request)
{
    if (!http_media_is(content_type, MEDIA_TYPE) || !http_media_is_utf8(content_type))
        return ERR_INVALID_REQUEST;
    if (!read_body(body, arena, request)) return ERR_INVALID_REQUEST;
    return authorization.data ? apply_basic(authorization, arena, request) : ERR_OK;
}

enum err token_form_read(struct str authorization, struct str content_type, struct str body,
                         struct arena *arena, struct token_request *ret_request)
{
    struct token_request request = {0};
    enum err err = read_all(authorization, content_type, body, arena, &request);
    if (err)
        token_form_wipe(&request);
    else
        *ret_request = request;
    return err;
}

void token_form_wipe(const struct token_request *request)
{
    char *secret = (char *)request->client_secret;
    if (secret) secret_wipe(secret, strlen(secret));
}
