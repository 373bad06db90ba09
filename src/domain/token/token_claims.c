/* Claims: one table writes and reads them. */
#include "domain/token/token_claims.h"

#include "domain/token/token_scope.h"
#include "kit/json/pointer.h"

/* Seconds since the epoch to the end of the year 9999: as milliseconds they still fit. */
#define DATE_MAX INT64_C(253402300799)

struct claims {
    const char *aud, *iss;
    struct uuid sub, client_id;
    const char *scope; /* NULL: none */
    struct uuid tenant_id, integration_id, point_id;
    int64_t iat, nbf, exp;
    const char *jti;
};

#define CLAIM(claim, kind, ...)                                                               \
    {                                                                                         \
        .name = #claim, .type = (kind), .offset = offsetof(struct claims, claim), __VA_ARGS__ \
    }

/* nbf and jti are optional in RFC 7519; ours have them. */
static const struct field claims_fields[] = {
    CLAIM(aud, FIELD_STRING, .flags = FIELD_REQUIRED),
    CLAIM(iss, FIELD_STRING, .flags = FIELD_REQUIRED),
    CLAIM(sub, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(client_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(scope, FIELD_STRING),
    CLAIM(tenant_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(integration_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(point_id, FIELD_UUID, .flags = FIELD_REQUIRED),
    CLAIM(iat, FIELD_INTEGER, .flags = FIELD_REQUIRED, .max = DATE_MAX),
    CLAIM(nbf, FIELD_INTEGER, .max = DATE_MAX),
    CLAIM(exp, FIELD_INTEGER, .flags = FIELD_REQUIRED, .max = DATE_MAX),
    CLAIM(jti, FIELD_STRING),
};
enum { CLAIM_COUNT = sizeof(claims_fields) / sizeof(*claims_fields) };

static const struct record claims_written = {
    .name = "Claims", .size = sizeof(struct claims), RECORD_FIELDS(claims_fields)};

/* Without the first one: an audience that is read may be a list, too. */
static const struct record claims_read = {.name = "Claims",
                                          .size = sizeof(struct claims),
                                          .fields = claims_fields + 1,
                                          .field_count = CLAIM_COUNT - 1};

struct audiences {
    struct record_list aud;
};

static const struct field audiences_fields[] = {
    {.name = "aud",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct audiences, aud)},
};

static const struct record audiences_record = {
    .name = "Audiences", .size = sizeof(struct audiences), RECORD_FIELDS(audiences_fields)};

/* --- Writing ---------------------------------------------------------------------------------- */

static const char *new_jti(int64_t now_ms, struct arena *arena)
{
    struct uuid id = uuid_new(now_ms);
    char *text = arena_alloc(arena, UUID_TEXT_LEN + 1);
    uuid_format(&id, text);
    return text;
}

struct str token_claims_write(const char *issuer, const struct client_identity *client,
                              unsigned scopes, int64_t now_ms, struct arena *arena)
{
    int64_t now_s = now_ms / 1000;
    struct claims claims = {
        .aud = TOKEN_AUDIENCE,
        .iss = issuer,
        .sub = client->client_id,
        .client_id = client->client_id,
        .scope = scopes_text(arena, scopes),
        .tenant_id = client->tenant_id,
        .integration_id = client->integration_id,
        .point_id = client->point_id,
        .iat = now_s,
        .nbf = now_s,
        .exp = now_s + TOKEN_LIFE_S,
        .jti = new_jti(now_ms, arena),
    };
    AUTO_BUF json;
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

/* At exp a token is dead; the clock of who made it may be ahead of ours. */
static bool is_good_at(const struct claims *claims, int64_t now_ms)
{
    int64_t latest_ms = now_ms + TOKEN_SKEW_S * INT64_C(1000);
    return now_ms < claims->exp * 1000 && claims->nbf * 1000 <= latest_ms &&
           claims->iat * 1000 <= latest_ms;
}

static bool has_ids(const struct claims *claims)
{
    return uuid_equal(&claims->sub, &claims->client_id) && !uuid_is_nil(&claims->client_id) &&
           !uuid_is_nil(&claims->tenant_id) && !uuid_is_nil(&claims->integration_id) &&
           !uuid_is_nil(&claims->point_id);
}

/* No scope, or an empty one, is good for nothing; which is not the token's fault. */
static bool read_scopes(const char *text, unsigned *ret_scopes)
{
    bool has_unknown;

    *ret_scopes = 0;
    return !text || !*text || token_scope_read(str_of(text), ret_scopes, &has_unknown);
}

enum err token_claims_read(struct str json, const char *issuer, int64_t now_ms, struct arena *arena,
                           struct token_claims *ret_claims)
{
    struct claims claims;
    unsigned scopes;

    if (!read_record(&claims_read, json, arena, &claims)) return ERR_UNAUTHORIZED;
    if (strcmp(claims.iss, issuer) != 0 || !is_for_us(json, arena)) return ERR_UNAUTHORIZED;
    if (!is_good_at(&claims, now_ms) || !has_ids(&claims)) return ERR_UNAUTHORIZED;
    if (!read_scopes(claims.scope, &scopes)) return ERR_UNAUTHORIZED;
    *ret_claims = (struct token_claims){
        .client_id = claims.client_id,
        .integration_id = claims.integration_id,
        .tenant_id = claims.tenant_id,
        .point_id = claims.point_id,
        .scope_set = scopes,
        .expires_at = claims.exp * 1000,
    };
    return ERR_OK;
}
