/*
 * Herald allows what Mozilla calls intermediate: TLS 1.3, and of TLS 1.2 the suites with forward
 * secrecy and authenticated encryption. There is neither compression, renegotiation nor early data.
 * The first of the peer's suites is taken only if it is ChaCha20, which says that it has no AES in
 * hardware.
 *
 * OpenSSL reads and writes by a BIO of ours, which takes what came off the wire where it lies, and
 * appends to the buffer that is sent next. So a connection keeps no bytes but those of a record
 * that has not come whole.
 */
#include "kit/http/tls_context.h"

#include "kit/base/must.h"

#include <openssl/bio.h>
#include <openssl/err.h>

enum { TICKET_VALID_S = 60 * 60 };

#define SUITES_1_2 "ECDHE+AESGCM:ECDHE+CHACHA20"
#define GROUPS     "X25519:P-256:P-384"

/* ---- the context ---- */

/* A client that names protocols must name ours; one that names none speaks it. */
static int choose_protocol(SSL *ssl, const unsigned char **ret_chosen, unsigned char *ret_len,
                           const unsigned char *offered, unsigned int offered_len, void *arg)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen;
    (void)ssl, (void)arg;

    int rc = SSL_select_next_proto(&chosen, ret_len, ours, sizeof(ours) - 1, offered, offered_len);
    if (rc != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *ret_chosen = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static bool set_rules(SSL_CTX *context)
{
    static const unsigned char scope[] = "herald";

    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    /* A connection that waits keeps no buffers, of 33 KB (contract, section 7). */
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(context, TICKET_VALID_S);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, SUITES_1_2) == 1 &&
           SSL_CTX_set1_groups_list(context, GROUPS) == 1 &&
           SSL_CTX_set_num_tickets(context, 1) == 1 &&
           SSL_CTX_set_session_id_context(context, scope, sizeof(scope) - 1) == 1;
}

enum err tls_context_new(const struct tls_pair *pair, SSL_CTX **ret_context, struct buf *why)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    must_have(context && set_rules(context), "OpenSSL lacks what TLS needs, or memory.");
    if (SSL_CTX_use_cert_and_key(context, pair->leaf, pair->key, pair->chain, 1) == 1) {
        *ret_context = context;
        return ERR_OK;
    }
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    buf_printf(why, "OpenSSL refuses the certificate: %s.", reason ? reason : "no reason");
    ERR_clear_error();
    SSL_CTX_free(context);
    return ERR_VALIDATION;
}

/* ---- the BIO ---- */

static int bio_read(BIO *bio, char *room, size_t room_len, size_t *ret_len)
{
    struct str *in = ((struct tls_ends *)BIO_get_data(bio))->in;

    BIO_clear_retry_flags(bio);
    if (!in || in->len == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    size_t len = in->len < room_len ? in->len : room_len;
    memcpy(room, in->data, len);
    *in = str_behind(*in, len);
    *ret_len = len;
    return 1;
}

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *ret_len)
{
    struct buf *out = ((struct tls_ends *)BIO_get_data(bio))->out;

    BIO_clear_retry_flags(bio);
    buf_append(out, bytes, len);
    *ret_len = len;
    return !out->is_full;
}

/* OpenSSL flushes after each flight of a handshake; there is nothing to flush. */
static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *tls_bio_method_new(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "tls_link");

    must_have(method, "There is no memory for TLS.");
    BIO_meth_set_read_ex(method, bio_read);
    BIO_meth_set_write_ex(method, bio_write);
    BIO_meth_set_ctrl(method, bio_control);
    return method;
}
