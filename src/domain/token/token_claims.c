/* One table writes and reads the claims. */
#include "domain/token/token_claims.h"

#include "domain/integration/integration.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/json/number.h"
#include "kit/json/pointer.h"

/* Seconds since the epoch to the end of the year 9999: as milliseconds they still fit. */
#define DATE_MAX INT64_C(253402300799)

struct claims {
    const char *aud;
    int64_t iat, nbf, exp;
    const char *iss, *sub, *client_id;
    const char *scope; /* NULL: none */
    struct uuid tenant_id, integration_id, point_id;
    const char *jti;
};

/* Client ids are of these characters (contract, section 4), also those of another service. */
static bool is_client_id(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!is_letter && (c < '0' || c > '9') && c != '_' && c != '-') return false;
    }
    return text.len >= 1 && text.len <= TOKEN_CLIENT_ID_MAX;
}

static const struct field_format format_client_id = {
    .is_valid = is_client_id,
    .message = "Must be 1 to 128 letters, digits, underscores and hyphens.",
};

#define CLAIM(claim, kind, ...)                                                               \
    {                                                                                         \
        .name = #claim, .type = (kind), .offset = offsetof(struct claims, claim), __VA_ARGS__ \
    }

/* nbf and jti are optional in RFC 7519; ours have them. */
static const struct field claims_fields[] = {
    CLAIM(aud, FIELD_STRING, .flags = FIELD_REQUIRED),
    CLAIM(iat, FIELD_INTEGER, .flags = FIELD_REQUIRED),
    CLAIM(nbf, FIELD_INTEGER),
    CLAIM(exp, FIELD_INTEGER, .flags = FIELD_REQUIRED),
    CLAIM(iss, FIELD_STRING, .flags = FIELD_REQUIRED),
    CLAIM(sub, FIELD_STRING, .flags = FIELD_REQUIRED),
    CLAIM(client_id, FIELD_STRING, .flags = FIELD_REQUIRED, .format = &format_client_id),
    CLAIM(scope, FIELD_STRING),
    CLAIM(tenant_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(integration_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(point_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(jti, FIELD_STRING),
};
enum {
    CLAIM_COUNT = COUNT_OF(claims_fields),
    WRITTEN_OTHERWISE = 4, /* the first ones */
};

static const struct record claims_written = {
    .name = "Claims", .size = sizeof(struct claims), RECORD_FIELDS(claims_fields)};

/* An audience that is read may be a list, too, and a date may have a fraction. */
static const struct record claims_read = {.name = "Claims",
                                          .size = sizeof(struct claims),
                                          .fields = claims_fields + WRITTEN_OTHERWISE,
                                          .field_count = CLAIM_COUNT - WRITTEN_OTHERWISE};

struct audiences {
    struct record_list aud;
};

static const struct field audiences_fields[] = {
    FIELD(struct audiences, aud, FIELD_STRINGS, FIELD_REQUIRED, NULL),
};

static const struct record audiences_record = {
    .name = "Audiences", .size = sizeof(struct audiences), RECORD_FIELDS(audiences_fields)};

/* --- Writing ---------------------------------------------------------------------------------- */

struct str token_claims_write(const char *issuer, const struct client_identity *client,
                              unsigned scopes, int64_t now_ms, struct arena *arena)
{
    int64_t now_s = clock_to_own_wall(now_ms) / 1000;
    const char *client_id = uuid_text(&client->client_id, arena);
    struct uuid token_id = uuid_new(now_ms);
    struct claims claims = {
        .aud = TOKEN_AUDIENCE,
        .iss = issuer,
        .sub = client_id,
        .client_id = client_id,
        .scope = scopes_text(arena, scopes),
        .tenant_id = client->tenant_id,
        .integration_id = client->integration_id,
        .point_id = client->point_id,
        .iat = now_s,
        .nbf = now_s,
        .exp = now_s + TOKEN_LIFE_S,
        .jti = uuid_text(&token_id, arena),
    };
    AUTO_BUF json = {0};
    struct json_writer writer;

    buf_init(&json, JOSE_TOKEN_MAX);
    json_writer_init(&writer, &json);
    record_encode(&claims_written, &claims, &writer);
    assert(!json.is_full);
    return (struct str){arena_str(arena, buf_view(&json)), json.len};
}

/* --- Reading ---------------------------------------------------------------------------------- */

static bool read_record(const struct record *record, struct str json, struct arena *arena,
                        void *ret_value)
{
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    record_faults_init(faults, arena);
    return record_decode(record, json, false, arena, ret_value, faults) == ERR_OK;
}

static bool is_for_us(struct str json, struct arena *arena)
{
    struct json_value aud;
    struct audiences audiences;

    if (!json_find(json, "/aud", arena, &aud)) return false;
    if (aud.type == JSON_STRING) return str_is(aud.text, TOKEN_AUDIENCE);
    if (aud.type != JSON_ARRAY_BEGIN) return false;
    if (!read_record(&audiences_record, json, arena, &audiences)) return false;
    const char *const *items = audiences.aud.items;
    for (size_t i = 0; i < audiences.aud.count; i++) {
        if (strcmp(items[i], TOKEN_AUDIENCE) == 0) return true;
    }
    return false;
}

/* A token is good between these times, in ms. A NumericDate may have a fraction (RFC 7519,
 * section 2); what is finer than a millisecond only ever shortens the token's life. */
struct dates {
    int64_t iat, nbf, exp;
};

static const struct {
    const char *pointer;
    size_t offset;
    bool is_up, is_optional;
} dates_read[] = {
    {"/iat", offsetof(struct dates, iat), true, false},
    {"/nbf", offsetof(struct dates, nbf), true, true},
    {"/exp", offsetof(struct dates, exp), false, false},
};

static bool read_dates(struct str json, struct arena *arena, struct dates *ret_dates)
{
    struct dates dates = {0};

    for (size_t i = 0; i < COUNT_OF(dates_read); i++) {
        struct json_value value;
        int64_t *date = (int64_t *)(void *)((char *)&dates + dates_read[i].offset);
        if (!json_find(json, dates_read[i].pointer, arena, &value)) return false;
        if (value.type == JSON_END && dates_read[i].is_optional) continue;
        if (value.type != JSON_NUMBER) return false;
        if (!number_to_units(value.text, 3, dates_read[i].is_up, date)) return false;
        if (*date >= (DATE_MAX + 1) * 1000) return false;
    }
    *ret_dates = dates;
    return true;
}

/* The clock that a token was made by may be ahead of ours. */
static int64_t good_from(const struct dates *dates)
{
    int64_t begin = dates->nbf > dates->iat ? dates->nbf : dates->iat;
    return begin - TOKEN_SKEW_S * INT64_C(1000);
}

/* A token without a scope, or with an empty one, is good for nothing, but not faulty. */
static bool read_scopes(const char *text, unsigned *ret_scopes)
{
    bool has_unknown;

    *ret_scopes = 0;
    return !text || !*text || scopes_read(str_of(text), ret_scopes, &has_unknown);
}

/* Finds the first fault of a token whose dates and scopes were read; false: there is none. A token
 * is dead from its exp on. */
static bool find_fault(const struct claims *claims, const struct dates *dates, struct str json,
                       const char *issuer, int64_t now_ms, struct arena *arena,
                       enum token_fault *ret_fault)
{
    bool has_ids = strcmp(claims->sub, claims->client_id) == 0 &&
                   !uuid_is_nil(&claims->tenant_id) && !uuid_is_nil(&claims->integration_id) &&
                   !uuid_is_nil(&claims->point_id);
    const struct {
        bool is_there;
        enum token_fault fault;
    } rows[] = {
        {strcmp(claims->iss, issuer) != 0, TOKEN_WRONG_ISSUER},
        {!is_for_us(json, arena), TOKEN_WRONG_AUDIENCE},
        {now_ms >= dates->exp, TOKEN_EXPIRED},
        {now_ms < good_from(dates), TOKEN_NOT_YET_VALID},
        {!has_ids, TOKEN_BAD_CLAIMS},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!rows[i].is_there) continue;
        *ret_fault = rows[i].fault;
        return true;
    }
    return false;
}

static void fill_claims(const struct claims *claims, const struct dates *dates, unsigned scopes,
                        struct token_claims *ret_claims)
{
    *ret_claims = (struct token_claims){
        .integration_id = claims->integration_id,
        .tenant_id = claims->tenant_id,
        .point_id = claims->point_id,
        .scope_set = scopes,
        .good_from = good_from(dates),
        .expires_at = dates->exp,
    };
    memcpy(ret_claims->client_id, claims->client_id, strlen(claims->client_id));
}

bool token_claims_hold(const struct token_claims *claims, int64_t now_ms)
{
    return claims->good_from <= now_ms && now_ms < claims->expires_at;
}

enum err token_claims_read(struct str json, const char *issuer, int64_t now_ms, struct arena *arena,
                           struct token_claims *ret_claims, struct token_refusal *ret_refusal)
{
    struct claims claims;
    struct dates dates;
    struct token_refusal refusal = {.fault = TOKEN_BAD_CLAIMS};
    unsigned scopes;

    bool is_read = read_record(&claims_read, json, arena, &claims);
    if (is_read) refusal.client_id = claims.client_id;
    if (!is_read || !read_scopes(claims.scope, &scopes) || !read_dates(json, arena, &dates) ||
        find_fault(&claims, &dates, json, issuer, now_ms, arena, &refusal.fault)) {
        *ret_refusal = refusal;
        return ERR_UNAUTHORIZED;
    }
    fill_claims(&claims, &dates, scopes, ret_claims);
    return ERR_OK;
}
