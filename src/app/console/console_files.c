/* Nothing of it needs a session: the files hold no data, and whoever wants some logs in. */
#include "app/console/console_files.h"

#include "app/api/console.h"
#include "app/api/dispatch.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

/* No script, style or picture from elsewhere or within the page; nobody may frame it; and no text
 * becomes markup (Trusted Types). */
#define POLICY                                                                              \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " \
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "                 \
    "require-trusted-types-for 'script'; trusted-types 'none'"
#define IMMUTABLE "public, max-age=31536000, immutable"
/* Of this name alone: what else is below it is not herald's to say. */
#define HTTPS_ONLY "max-age=31536000"

enum { ERROR_MAX = 1024 };

#define HEADER(name, value)            \
    {                                  \
        {(name), sizeof(name) - 1},    \
        {                              \
            (value), sizeof(value) - 1 \
        }                              \
    }
static const struct http_header security[] = {
    HEADER("Content-Security-Policy", POLICY),
    HEADER("X-Content-Type-Options", "nosniff"),
    HEADER("Referrer-Policy", "no-referrer"),
    HEADER("Cross-Origin-Opener-Policy", "same-origin"),
    HEADER("Cross-Origin-Resource-Policy", "same-origin"),
    HEADER("X-Frame-Options", "DENY"),
};

static void refuse(struct http_request *x, enum err err, const char *sentence)
{
    struct uuid id = uuid_new(clock_now_ms());
    char request_id[UUID_TEXT_LEN + 1];
    const struct http_header headers[] = {{STR("X-Request-Id"), {request_id, UUID_TEXT_LEN}},
                                          {STR("Allow"), STR("GET, HEAD")},
                                          {STR("Content-Type"), STR("application/json")},
                                          {STR("Cache-Control"), STR("no-store")},
                                          {STR("X-Content-Type-Options"), STR("nosniff")}};
    struct request rq = {.sentence = sentence};
    AUTO_BUF body = {0};

    uuid_format(&id, request_id);
    buf_init(&body, ERROR_MAX);
    error_encode(err, str_of(request_id), &rq, &body);
    http_reply(x, err_info(err)->http_status, headers, COUNT_OF(headers), &body);
}

static const struct console_file *find(struct str path)
{
    size_t len = strlen(CONSOLE_PATH);

    if (path.len < len || memcmp(path.data, CONSOLE_PATH, len) != 0) return NULL;
    for (size_t i = 0; i < console_file_count; i++) {
        if (str_is((struct str){path.data + len, path.len - len}, console_files[i].path))
            return &console_files[i];
    }
    return NULL;
}

/* "gzip" or "*" without a q of 0; browsers send no more than a list of names. */
static bool takes_gzip(const struct http_request *x)
{
    struct str rest = http_header_get(x, "Accept-Encoding"), item;

    while (rest.len > 0 && str_next_item(&rest, &item)) {
        if (str_is_nocase(str_trim(item), "gzip")) return true;
    }
    return false;
}

/* A proxy that ends TLS knows by itself what else it has under the name. The machine's own name has
 * other services, so nothing is said of that. */
static bool is_https_only(const struct http_request *x)
{
    return http_is_tls(x) && !console_is_own_host(http_header_get(x, "Host"));
}

static void reply_file(struct http_request *x, const struct console_file *file)
{
    struct http_header headers[COUNT_OF(security) + 6];
    bool is_page = file->path[0] == '\0';
    bool is_zipped = file->gzip.data && takes_gzip(x);
    bool is_known = str_is(http_header_get(x, "If-None-Match"), file->tag);
    size_t count = COUNT_OF(security);

    memcpy(headers, security, sizeof(security));
    headers[count++] = (struct http_header){STR("Content-Type"), str_of(file->type)};
    headers[count++] = (struct http_header){STR("ETag"), str_of(file->tag)};
    headers[count++] =
        (struct http_header){STR("Cache-Control"), str_of(is_page ? "no-cache" : IMMUTABLE)};
    headers[count++] = (struct http_header){STR("Vary"), STR("Accept-Encoding")};
    if (is_zipped && !is_known)
        headers[count++] = (struct http_header){STR("Content-Encoding"), STR("gzip")};
    if (is_https_only(x))
        headers[count++] = (struct http_header){STR("Strict-Transport-Security"), STR(HTTPS_ONLY)};
    struct str body = is_zipped ? file->gzip : file->bytes;
    http_reply_shared(x, is_known ? 304 : 200, headers, count, is_known ? STR("") : body);
}

void console_take_head(struct api *api, struct http_request *x)
{
    const char *api_path = CONSOLE_API_PATH "/";
    struct str path = http_path(x), method = http_method(x);

    http_set_user(x, NULL);
    if (path.len > strlen(api_path) && memcmp(path.data, api_path, strlen(api_path)) == 0) {
        dispatch_begin(api, x, true);
        return;
    }
    const struct console_file *file = find(path);
    if (!file)
        refuse(x, ERR_NOT_FOUND, "There is nothing here: the console is at /console/.");
    else if (!str_is(method, "GET") && !str_is(method, "HEAD"))
        refuse(x, ERR_METHOD_NOT_ALLOWED, "A file of the console takes GET.");
    else
        reply_file(x, file);
}
