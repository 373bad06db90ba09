/*
 * JWK sets. The set as a whole must be sound JSON without repeated members; then each key is read
 * by itself, so that one that means nothing to us takes none of the others with it (RFC 7517
 * section 5).
 */
#include "kit/jose/algorithm.h"
#include "kit/jose/base64url.h"
#include "kit/jose/jose.h"

#include <sodium.h>

struct jwk {
    int kty, crv, alg, use; /* each has one meaning only, or is absent */
    struct record_list key_ops;
    const char *kid, *x;
};

static const char *const types[] = {"OKP", NULL};
static const char *const curves[] = {"Ed25519", NULL};
static const char *const uses[] = {"sig", NULL};

static const struct field jwk_fields[] = {
    {.name = "kty",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct jwk, kty),
     .words = types},
    {.name = "crv",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct jwk, crv),
     .words = curves},
    {.name = "alg",
     .type = FIELD_ENUM,
     .offset = offsetof(struct jwk, alg),
     .words = jose_algorithms},
    {.name = "use", .type = FIELD_ENUM, .offset = offsetof(struct jwk, use), .words = uses},
    {.name = "key_ops", .type = FIELD_STRINGS, .offset = offsetof(struct jwk, key_ops)},
    {.name = "kid",
     .type = FIELD_STRING,
     .offset = offsetof(struct jwk, kid),
     .min = 1,
     .max = JOSE_KID_MAX},
    {.name = "x", .type = FIELD_STRING, .flags = FIELD_REQUIRED, .offset = offsetof(struct jwk, x)},
};

static const struct record jwk_record = {
    .name = "JWK", .size = sizeof(struct jwk), RECORD_FIELDS(jwk_fields)};

/* Of the set itself nothing is read this way; it is judged. */
struct jwk_set {
    char nothing;
};

static const struct record set_record = {.name = "JWKSet", .size = sizeof(struct jwk_set)};

/* Whether `json` is one object without a repeated member anywhere. */
static bool is_sound(struct str json, struct arena *arena)
{
    struct record_faults faults;
    struct jwk_set set;

    record_faults_init(&faults, arena);
    return record_decode(&set_record, json, false, arena, &set, &faults) == ERR_OK;
}

/* Reads on to the set's member `keys` and into it; false: it has none, or that is no list. */
static bool enter_keys(struct json_reader *reader)
{
    struct str text = {0};
    enum json_token token;
    bool is_there = false;

    while ((token = json_next(reader, &text)) > JSON_END) {
        if (is_there) return token == JSON_ARRAY_BEGIN;
        is_there = token == JSON_KEY && json_depth(reader) == 1 && str_is(text, "keys");
    }
    return false;
}

/* The text of each object of the list that the reader stands in; false: something else is in it, or
 * too much. */
static bool list_members(struct json_reader *reader, struct str json,
                         struct str members[static JOSE_KEYS_MAX], size_t *ret_count)
{
    enum { IN_SET = 1, IN_LIST, IN_MEMBER };
    enum json_token token;
    size_t count = 0, begin = 0;

    while ((token = json_next(reader, NULL)) > JSON_END && json_depth(reader) != IN_SET) {
        unsigned depth = json_depth(reader);
        if (depth == IN_MEMBER && token == JSON_OBJECT_BEGIN) begin = json_offset(reader);
        if (depth != IN_LIST) continue;
        if (token != JSON_OBJECT_END || count == JOSE_KEYS_MAX) return false;
        members[count++] = (struct str){json.data + begin, json_end_offset(reader) - begin};
    }
    *ret_count = count;
    return true;
}

static bool find_members(struct str json, struct str members[static JOSE_KEYS_MAX],
                         size_t *ret_count)
{
    struct json_reader *reader = json_reader_new(json.len);

    json_feed(reader, json, true);
    bool is_set = enter_keys(reader) && list_members(reader, json, members, ret_count);
    json_reader_free(reader);
    return is_set;
}

/* Absent, they allow all that the other members do. */
static bool may_verify(const struct record_list *key_ops)
{
    const char *const *ops = key_ops->items;

    for (size_t i = 0; i < key_ops->count; i++) {
        if (strcmp(ops[i], "verify") == 0) return true;
    }
    return !ops;
}

/* A key that verifies and can be trusted to; false: it is passed over. */
static bool read_key(struct str json, struct arena *arena, struct jose_key *ret_key)
{
    struct record_faults faults;
    struct jwk jwk;
    struct jose_key key = {0};

    record_faults_init(&faults, arena);
    if (record_decode(&jwk_record, json, false, arena, &jwk, &faults)) return false;
    if (!may_verify(&jwk.key_ops)) return false;
    if (!base64url_decode_exactly(str_of(jwk.x), JOSE_PUBLIC_LEN, key.public_key)) return false;
    if (!crypto_core_ed25519_is_valid_point(key.public_key)) return false;
    if (jwk.kid) memcpy(key.kid, jwk.kid, strlen(jwk.kid));
    *ret_key = key;
    return true;
}

static bool has_kid(const struct record_list *keys, const char *kid)
{
    const struct jose_key *key = keys->items;

    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(key[i].kid, kid) == 0) return true;
    }
    return false;
}

enum err jose_set_read(struct str json, struct arena *arena, struct record_list *ret_keys)
{
    struct str members[JOSE_KEYS_MAX];
    struct jose_key key;
    size_t count = 0;

    if (json.len > JOSE_SET_MAX || !is_sound(json, arena)) return ERR_VALIDATION;
    if (!find_members(json, members, &count)) return ERR_VALIDATION;
    struct record_list keys = {.items = arena_array(arena, count, sizeof(key))};
    for (size_t i = 0; i < count; i++) {
        if (!read_key(members[i], arena, &key)) continue;
        if (key.kid[0] && has_kid(&keys, key.kid)) return ERR_VALIDATION;
        ((struct jose_key *)keys.items)[keys.count++] = key;
    }
    *ret_keys = keys;
    return ERR_OK;
}
