/* Query, headers and body against the tables of the route, with all faults at once. */
#include "app/api/auth.h"
#include "app/api/exchange.h"
#include "kit/base/clock.h"
#include "kit/http/path.h"
#include "kit/json/utf8.h"

enum { NAME_SHOWN_MAX = 100 };

static bool has_min_max(const struct field *field)
{
    return field->min != 0 || field->max != 0;
}

static void check_integer(struct dispatch *ex, const struct field *field, const char *value)
{
    long long number;
    if (str_to_int64(str_of(value), &number) &&
        (!has_min_max(field) || (number >= field->min && number <= field->max)))
        return;
    error_add_fault(&ex->rq, field->name,
                    arena_printf(&ex->arena, "Must be a whole number from %lld to %lld.",
                                 (long long)field->min, (long long)field->max));
}

static void check_word(struct dispatch *ex, const struct field *field, const char *value)
{
    const char *all = "";
    for (int i = 0; field->words[i]; i++) {
        if (strcmp(field->words[i], value) == 0) return;
        all = arena_printf(&ex->arena, "%s%s%s", all, i > 0 ? ", " : "", field->words[i]);
    }
    error_add_fault(&ex->rq, field->name, arena_printf(&ex->arena, "Must be one of: %s.", all));
}

static void check_length(struct dispatch *ex, const struct field *field, const char *value)
{
    int64_t length = (int64_t)utf8_length(str_of(value));
    if (!has_min_max(field) || (length >= field->min && length <= field->max)) return;
    error_add_fault(&ex->rq, field->name,
                    arena_printf(&ex->arena, "Must have %lld to %lld characters.",
                                 (long long)field->min, (long long)field->max));
}

static void check_uuid(struct dispatch *ex, const struct field *field, const char *value)
{
    struct uuid id;
    if (uuid_parse(str_of(value), &id)) return;
    error_add_fault(&ex->rq, field->name, "Must be a UUID, as an earlier answer gave it.");
}

static void check_boolean(struct dispatch *ex, const struct field *field, const char *value)
{
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) return;
    error_add_fault(&ex->rq, field->name, "Must be true or false.");
}

static void check_time(struct dispatch *ex, const struct field *field, const char *value)
{
    int64_t ms;
    if (clock_parse(str_of(value), &ms)) return;
    error_add_fault(&ex->rq, field->name,
                    "Must be a time with a time zone (RFC 3339), such as "
                    "2026-11-21T04:33:00.123Z; a + is written %2B.");
}

static void check_param(struct dispatch *ex, const struct field *field, const char *value)
{
    if (field->type == FIELD_INTEGER)
        check_integer(ex, field, value);
    else if (field->type == FIELD_BOOLEAN)
        check_boolean(ex, field, value);
    else if (field->type == FIELD_TIME)
        check_time(ex, field, value);
    else if (field->type == FIELD_ENUM)
        check_word(ex, field, value);
    else if (field->type == FIELD_UUID)
        check_uuid(ex, field, value);
    else
        check_length(ex, field, value);
}

/* The row of the query parameter `name`; -1: the operation takes no such one. */
static int find_param(const struct field *params, const char *name)
{
    for (int i = 0; params && params[i].name; i++) {
        if (strcmp(name, params[i].name) == 0) return i;
    }
    return -1;
}

static void decode_pair(struct dispatch *ex, int index, struct str value)
{
    const struct field *field = &ex->rq.route->params[index];
    char *text = arena_alloc(&ex->arena, value.len + 1);
    size_t len;

    if (ex->rq.params[index]) {
        error_add_fault(&ex->rq, field->name, "Must be given once.");
        return;
    }
    if (!http_percent_decode(value, HTTP_DECODE_QUERY, text, &len)) {
        error_add_fault(&ex->rq, field->name, "Is not well-formed percent-encoding.");
        return;
    }
    if (!utf8_is_valid(text, text + len)) {
        error_add_fault(&ex->rq, field->name, "Is not UTF-8.");
        return;
    }
    ex->rq.params[index] = text;
    check_param(ex, field, text);
}

static void decode_query(struct dispatch *ex)
{
    bool is_strict = auth_of(ex->rq.route)->is_query_strict;
    struct str rest = http_query(ex->x);
    struct str raw_name, value;
    size_t len;

    while (http_query_next(&rest, &raw_name, &value)) {
        char *name = arena_alloc(&ex->arena, raw_name.len + 1);
        bool is_good = http_percent_decode(raw_name, HTTP_DECODE_QUERY, name, &len);
        int index = is_good ? find_param(ex->rq.route->params, name) : -1;
        if (index >= 0)
            decode_pair(ex, index, value);
        else if (is_strict)
            error_add_fault(&ex->rq, arena_str(&ex->arena, utf8_cut(raw_name, NAME_SHOWN_MAX)),
                            "This operation has no query parameter of that name.");
    }
}

/* A header that comes twice says nothing that could be relied on. */
static void take_headers(struct dispatch *ex)
{
    const struct field *headers = ex->rq.route->headers;

    for (int i = 0; headers && headers[i].name; i++) {
        assert(i < ROUTE_HEADERS_MAX);
        bool is_one = http_header_count(ex->x, headers[i].name) == 1;
        ex->rq.headers[i] = is_one ? http_header_get(ex->x, headers[i].name) : (struct str){0};
    }
}

/* Any string of that length but for control characters: those of ASCII, and U+0080 to U+009F. */
static bool is_idem_key(struct str key)
{
    if (key.len < 1 || key.len > IDEM_KEY_BYTES_MAX) return false;
    if (!utf8_is_valid(key.data, key.data + key.len) || utf8_length(key) > IDEM_KEY_MAX)
        return false;
    while (key.len > 0) {
        uint32_t point = utf8_take(&key);
        if (point < ' ' || (point >= 0x7f && point < 0xa0)) return false;
    }
    return true;
}

static void decode_idem_key(struct dispatch *ex)
{
    struct str key = http_header_get(ex->x, "Idempotency-Key");

    if (!ex->rq.route->idem_family) return;
    if (!is_idem_key(key) || http_header_count(ex->x, "Idempotency-Key") != 1) {
        error_add_fault(
            &ex->rq, "Idempotency-Key",
            "This header is required, once: 1 to 200 characters of UTF-8, none of them a "
            "control character.");
        return;
    }
    ex->idem.family = ex->rq.route->idem_family;
    ex->idem.key = arena_str(&ex->arena, key);
}

/* Who says that it is JSON has not left it out. */
static struct str body_of(const struct dispatch *ex)
{
    bool is_left_out = ex->body.len == 0 && !http_header_get(ex->x, "Content-Type").data &&
                       auth_may_omit_body(ex->rq.route);
    return is_left_out ? STR("{}") : buf_view(&ex->body);
}

static void decode_body(struct dispatch *ex)
{
    const struct record *record = ex->rq.route->body;
    if (!record) return;

    if (!ex->rq.faults) {
        ex->rq.faults = ARENA_NEW(&ex->arena, struct record_faults);
        record_faults_init(ex->rq.faults, &ex->arena);
    }
    ex->rq.body = arena_alloc(&ex->arena, record->size);
    /* The faults count below; the error says no more than they do. */
    enum err err = record_decode(record, body_of(ex), auth_of(ex->rq.route)->is_body_strict,
                                 &ex->arena, ex->rq.body, ex->rq.faults);
    assert(!err || ex->rq.faults->count > 0);
}

/* Codes and texts are guessable, so that the stored fingerprint is keyed. */
static void take_fingerprint(struct dispatch *ex)
{
    uint8_t plain[SECRET_HASH_LEN];
    json_fingerprint(body_of(ex), STR("herald idempotency"), plain);
    vault_fingerprint(ex->app->vault, (struct str){(const char *)plain, sizeof(plain)},
                      ex->idem.fingerprint);
}

enum err dispatch_decode(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    bool is_raw = auth_of(route)->has_raw_body || route->taker;

    take_headers(ex);
    if (is_raw) ex->rq.raw_body = buf_view(&ex->body);
    /* A signature covers the body as it came: it is looked at before anything is read into it. */
    enum err err = route->authenticate ? route->authenticate(&ex->rq) : ERR_OK;
    if (err) return err;
    decode_query(ex);
    decode_idem_key(ex);
    if (!is_raw) decode_body(ex);
    if (ex->rq.faults && ex->rq.faults->count > 0) return ERR_VALIDATION;
    if (ex->idem.family) take_fingerprint(ex);
    return ERR_OK;
}
