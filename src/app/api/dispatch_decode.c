/* Query, headers and body are decoded by the tables of the route, with all faults at once. */
#include "app/api/auth.h"
#include "app/api/dispatch.h"
#include "kit/http/path.h"
#include "kit/json/utf8.h"

enum { NAME_SHOWN_MAX = 100 };

/* `seen` has one bit for each field. */
static void decode_param(struct dispatch *ex, const struct field *field, struct str value,
                         void *query, uint64_t *seen)
{
    uint64_t bit = 1ULL << (field - ex->rq.route->query->fields);
    char *text = arena_alloc(&ex->arena, value.len + 1);
    const char *fault, *bad;
    size_t len;

    if (*seen & bit)
        fault = "Must be given once.";
    else if (!http_percent_decode(value, HTTP_DECODE_QUERY, text, &len))
        fault = "Is not well-formed percent-encoding.";
    else if ((bad = utf8_find_fault(text, text + len)))
        fault = arena_printf(&ex->arena, "Has a byte that is no UTF-8: %%%02X.", (uint8_t)*bad);
    else
        fault = record_take_text(field, (struct str){text, len}, &ex->arena, query);
    *seen |= bit;
    if (fault && field->type == FIELD_TIME)
        fault = arena_printf(&ex->arena, "%s In a query, a + is written %%2B.", fault);
    if (fault) error_add_fault(&ex->rq, field->name, fault);
}

static void add_missing(struct dispatch *ex, uint64_t seen)
{
    const struct record *record = ex->rq.route->query;

    for (size_t i = 0; record && i < record->field_count; i++) {
        bool is_missing = record->fields[i].flags & FIELD_REQUIRED && !(seen & 1ULL << i);
        if (is_missing) error_add_fault(&ex->rq, record->fields[i].name, "Required.");
    }
}

static void decode_query(struct dispatch *ex)
{
    const struct record *record = ex->rq.route->query;
    void *query = record ? arena_alloc(&ex->arena, record->size) : NULL;
    struct str rest = http_query(ex->x);
    struct str raw_name, value;
    uint64_t seen = 0;

    if (record) record_clear(record, query);
    ex->rq.query = query;
    while (http_query_next(&rest, &raw_name, &value)) {
        struct str name = {.data = arena_alloc(&ex->arena, raw_name.len + 1)};
        bool is_good =
            http_percent_decode(raw_name, HTTP_DECODE_QUERY, (char *)name.data, &name.len);
        const struct field *field = is_good && record ? record_find(record, name) : NULL;
        if (field)
            decode_param(ex, field, value, query, &seen);
        else if (auth_of(ex->rq.route)->is_query_strict)
            error_add_fault(&ex->rq, arena_str(&ex->arena, utf8_cut(raw_name, NAME_SHOWN_MAX)),
                            "This operation has no query parameter of that name.");
    }
    add_missing(ex, seen);
}

/* A header that comes twice counts as absent, since either could be meant. */
static void take_headers(struct dispatch *ex)
{
    const struct field *headers = ex->rq.route->headers;

    for (int i = 0; headers && headers[i].name; i++) {
        assert(i < ROUTE_HEADERS_MAX);
        bool is_one = http_header_count(ex->x, headers[i].name) == 1;
        ex->rq.headers[i] = is_one ? http_header_get(ex->x, headers[i].name) : (struct str){0};
    }
}

/* A key is any string of that length without control characters of ASCII and U+0080 to U+009F. */
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

/* A body without a byte is one that is left out, whatever its Content-Type (contract, section 1
 * "Bodies"). */
static struct str body_of(const struct dispatch *ex)
{
    bool is_left_out = ex->body.len == 0 && auth_may_omit_body(ex->rq.route);
    return is_left_out ? STR("{}") : buf_view(&ex->body);
}

/* In a change, null may mean that a value goes; elsewhere it is a member that is left out
 * (contract, section 1 "Bodies"). */
static unsigned body_rules(const struct route *route)
{
    unsigned rules = auth_of(route)->is_body_strict ? BODY_IS_STRICT : 0;
    bool is_change = strcmp(route->method, "PATCH") == 0;

    return is_change ? rules : rules | BODY_NULL_IS_ABSENT;
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
    /* The faults are checked below; the error adds nothing to them. */
    enum err err = record_decode_body(record, body_of(ex), body_rules(ex->rq.route), &ex->arena,
                                      ex->rq.body, ex->rq.faults);
    assert(!err || ex->rq.faults->count > 0);
}

/* Codes and texts can be guessed, so the stored fingerprint is keyed. */
static void take_fingerprint(struct dispatch *ex)
{
    uint8_t plain[SECRET_HASH_LEN];
    json_fingerprint(body_of(ex), STR("herald idempotency"), plain);
    vault_fingerprint(ex->api->service->vault, (struct str){(const char *)plain, sizeof(plain)},
                      ex->idem.fingerprint);
}

enum err dispatch_decode(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    bool is_raw = auth_of(route)->has_raw_body || route->taker;

    take_headers(ex);
    ex->rq.raw_body = is_raw ? buf_view(&ex->body) : body_of(ex);
    /* A signature covers the body as it came, so it is checked before the body is decoded. */
    enum err err = route->authenticate ? route->authenticate(&ex->rq) : ERR_OK;
    if (err) return err;
    decode_query(ex);
    decode_idem_key(ex);
    if (!is_raw) decode_body(ex);
    if (ex->rq.faults && ex->rq.faults->count > 0) return ERR_VALIDATION;
    if (ex->idem.family) take_fingerprint(ex);
    return ERR_OK;
}
