/*
 * A JWK set must be sound JSON that has `keys` once. Each member of the list is read by itself, so
 * that a member that herald does not know, or that is faulty, does no harm to the others (RFC 7517,
 * sections 4 and 5).
 */
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
    FIELD(struct jwk, kty, FIELD_ENUM, FIELD_REQUIRED, NULL, .words = types),
    FIELD(struct jwk, crv, FIELD_ENUM, FIELD_REQUIRED, NULL, .words = curves),
    FIELD(struct jwk, alg, FIELD_ENUM, 0, NULL, .words = jose_algorithms),
    FIELD(struct jwk, use, FIELD_ENUM, 0, NULL, .words = uses),
    FIELD(struct jwk, key_ops, FIELD_STRINGS, 0, NULL),
    FIELD(struct jwk, kid, FIELD_STRING, 0, NULL, .min = 1, .max = JOSE_KID_MAX),
    FIELD(struct jwk, x, FIELD_STRING, FIELD_REQUIRED, NULL),
};

static const struct record jwk_record = {
    .name = "JWK", .size = sizeof(struct jwk), RECORD_FIELDS(jwk_fields)};

enum { IN_SET = 1, IN_LIST, IN_MEMBER }; /* depths */

/* Holds the texts of the list's objects. */
struct members {
    struct str rows[JOSE_KEYS_MAX];
    size_t count;
};

/* Reads the list that was entered to its end, and passes over what is no object. Returns false if
 * it has no end, or too many members. */
static bool read_list(struct json_reader *reader, struct str json, struct members *members)
{
    enum json_token token;
    size_t begin = 0;

    while ((token = json_next(reader, NULL)) > JSON_END && json_depth(reader) != IN_SET) {
        unsigned depth = json_depth(reader);
        if (depth == IN_MEMBER && token == JSON_OBJECT_BEGIN) begin = json_offset(reader);
        if (depth != IN_LIST || token != JSON_OBJECT_END) continue;
        if (members->count == JOSE_KEYS_MAX) return false;
        members->rows[members->count++] =
            (struct str){json.data + begin, json_end_offset(reader) - begin};
    }
    return token == JSON_ARRAY_END;
}

/* Returns false if it is no object with one list `keys`, or no JSON at all. */
static bool read_members(struct json_reader *reader, struct str json, struct members *members)
{
    struct str text = {0};
    enum json_token token;
    bool has_list = false;

    if (json_next(reader, NULL) != JSON_OBJECT_BEGIN) return false;
    while ((token = json_next(reader, &text)) > JSON_END) {
        bool is_name = token == JSON_KEY && json_depth(reader) == IN_SET && str_is(text, "keys");
        if (!is_name) continue;
        if (has_list || json_next(reader, NULL) != JSON_ARRAY_BEGIN) return false;
        if (!read_list(reader, json, members)) return false;
        has_list = true;
    }
    return has_list && token == JSON_END;
}

static bool find_members(struct str json, struct members *ret_members)
{
    struct json_reader *reader = json_reader_new(json.len);

    ret_members->count = 0;
    json_feed(reader, json, true);
    bool is_set = read_members(reader, json, ret_members);
    json_reader_free(reader);
    return is_set;
}

/* Absent operations allow all that the other members do. */
static bool may_verify(const struct record_list *key_ops)
{
    const char *const *ops = key_ops->items;

    for (size_t i = 0; i < key_ops->count; i++) {
        if (strcmp(ops[i], "verify") == 0) return true;
    }
    return !ops;
}

/* Reads a key that verifies; returns false for one to pass over. */
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

/* If the same key comes twice, the first is kept. Of two different keys under one kid none is,
 * since a token could mean either. */
static bool is_kept(const struct jose_key *keys, size_t count, size_t index)
{
    const struct jose_key *key = &keys[index];

    for (size_t i = 0; key->kid[0] && i < count; i++) {
        if (i == index || strcmp(keys[i].kid, key->kid) != 0) continue;
        bool is_same = memcmp(keys[i].public_key, key->public_key, JOSE_PUBLIC_LEN) == 0;
        if (!is_same || i < index) return false;
    }
    return true;
}

static struct record_list keep_clear_ones(const struct jose_key *keys, size_t count,
                                          struct arena *arena)
{
    struct jose_key *kept = arena_array(arena, count, sizeof(*kept));
    struct record_list list = {.items = kept};

    for (size_t i = 0; i < count; i++) {
        if (is_kept(keys, count, i)) kept[list.count++] = keys[i];
    }
    return list;
}

enum err jose_set_read(struct str json, struct arena *arena, struct record_list *ret_keys)
{
    struct members members;
    size_t count = 0;

    if (json.len > JOSE_SET_MAX || !find_members(json, &members)) return ERR_VALIDATION;
    struct jose_key *keys = arena_array(arena, members.count, sizeof(*keys));
    for (size_t i = 0; i < members.count; i++) {
        if (read_key(members.rows[i], arena, &keys[count])) count++;
    }
    *ret_keys = keep_clear_ones(keys, count, arena);
    return ERR_OK;
}
