/*
 * A signed token in the compact form (RFC 7515) chooses nothing: neither the algorithm nor the key
 * nor further rules; its header's `kid` is a name and no more.
 */
#include "kit/jose/base64url.h"
#include "kit/jose/jose.h"

#include <sodium.h>

static_assert(JOSE_SIGNATURE_LEN == crypto_sign_BYTES, "signature");

struct header {
    int alg;
    int refused; /* is always absent */
    const char *typ, *kid;
};

/* These members have no right value: a token may not ask for rules that herald does not know
 * (`crit`), or change what is signed (`b64`). All that need not be understood is passed over (RFC
 * 7515, section 4): what brings or locates a key (`jwk`, `jku`, `x5u`, `x5c`) is never looked at,
 * nor is what names a certificate (`x5t`). */
static const char *const no_words[] = {NULL};
#define REFUSED(word)                                                                   \
    {                                                                                   \
        .name = (word), .type = FIELD_ENUM, .offset = offsetof(struct header, refused), \
        .words = no_words                                                               \
    }

static const struct field header_fields[] = {
    FIELD(struct header, alg, FIELD_ENUM, FIELD_REQUIRED, NULL, .words = jose_algorithms),
    FIELD(struct header, typ, FIELD_STRING, 0, NULL),
    FIELD(struct header, kid, FIELD_STRING, 0, NULL, .min = 1, .max = JOSE_KID_MAX),
    REFUSED("crit"),
    REFUSED("b64"),
};

static const struct record header_record = {
    .name = "JOSEHeader", .size = sizeof(struct header), RECORD_FIELDS(header_fields)};

static void write_header(const struct jose_signer *signer, const char *typ, struct buf *out)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_object_begin(&writer);
    json_put_text(&writer, "alg", jose_algorithms[0]);
    json_put_text(&writer, "typ", typ);
    json_put_text(&writer, "kid", signer->key.kid);
    json_object_end(&writer);
}

const char *jose_sign(const struct jose_signer *signer, const char *typ, struct str claims,
                      struct arena *arena)
{
    AUTO_BUF header = {0};
    uint8_t signature[JOSE_SIGNATURE_LEN];

    buf_init(&header, JOSE_TOKEN_MAX);
    write_header(signer, typ, &header);
    size_t header_len = base64url_length(header.len);
    size_t signed_len = header_len + 1 + base64url_length(claims.len);
    size_t token_len = signed_len + 1 + base64url_length(sizeof(signature));
    assert(!header.is_full && claims.len <= JOSE_TOKEN_MAX && token_len <= JOSE_TOKEN_MAX);

    char *token = arena_alloc(arena, token_len + 1);
    base64url_encode(buf_view(&header), token);
    token[header_len] = '.';
    base64url_encode(claims, token + header_len + 1);
    crypto_sign_detached(signature, NULL, (const uint8_t *)token, signed_len, signer->expanded);
    token[signed_len] = '.';
    base64url_encode((struct str){(const char *)signature, sizeof(signature)},
                     token + signed_len + 1);
    return token;
}

/* Takes the part before the first dot, and the dot; returns false if either is missing. */
static bool take_part(struct str *rest, struct str *ret_part)
{
    struct str part = str_until(*rest, '.');
    if (part.len == 0 || part.len == rest->len) return false;

    *ret_part = part;
    *rest = str_behind(*rest, part.len + 1);
    return true;
}

static bool read_header(struct str part, struct arena *arena, struct jose_token *token)
{
    struct record_faults faults;
    struct header header;
    struct str json;

    record_faults_init(&faults, arena);
    if (!base64url_decode(part, arena, &json)) return false;
    if (record_decode(&header_record, json, false, arena, &header, &faults)) return false;
    token->typ = header.typ;
    token->kid = header.kid;
    return true;
}

enum err jose_parse(struct str token, struct arena *arena, struct jose_token *ret_token)
{
    struct jose_token found = {0};
    struct str rest = token, header, claims;

    if (token.len > JOSE_TOKEN_MAX) return ERR_UNAUTHORIZED;
    if (!take_part(&rest, &header) || !take_part(&rest, &claims)) return ERR_UNAUTHORIZED;
    found.signing = (struct str){token.data, token.len - rest.len - 1};
    /* This refuses a further part, too, since a dot is no character of base64url. */
    if (!base64url_decode_exactly(rest, sizeof(found.signature), found.signature))
        return ERR_UNAUTHORIZED;
    if (!base64url_decode(claims, arena, &found.claims)) return ERR_UNAUTHORIZED;
    if (!read_header(header, arena, &found)) return ERR_UNAUTHORIZED;
    *ret_token = found;
    return ERR_OK;
}

bool jose_verify(const struct jose_token *token, const struct jose_key *key)
{
    return crypto_sign_verify_detached(token->signature, (const uint8_t *)token->signing.data,
                                       token->signing.len, key->public_key) == 0;
}
