/* The TLS of one connection. It never waits for room, and so for nothing but the peer's next
 * record.
 */
#include "kit/base/must.h"
#include "kit/http/tls_context.h"

#include <openssl/err.h>
#include <stdlib.h>

struct tls_link {
    SSL *ssl;
    struct tls_ends ends; /* while a function of this file runs; else NULL */
};

struct tls_link *tls_link_new(struct tls *tls)
{
    struct tls_link *link = must_calloc(1, sizeof(*link));
    BIO *bio = BIO_new(tls_bio_method(tls));

    link->ssl = tls_ssl_new(tls);
    must_have(link->ssl && bio, "There is no memory for a connection over TLS.");
    BIO_set_data(bio, &link->ends);
    BIO_set_init(bio, 1);
    SSL_set_bio(link->ssl, bio, bio);
    SSL_set_accept_state(link->ssl);
    return link;
}

void tls_link_free(struct tls_link *link)
{
    if (!link) return;
    SSL_free(link->ssl);
    free(link);
}

enum tls_opened tls_link_read(struct tls_link *link, struct str *in, struct buf *out, char *room,
                              size_t *ret_len)
{
    link->ends.in = in;
    link->ends.out = out;
    ERR_clear_error();
    int rc = SSL_read_ex(link->ssl, room, TLS_RECORD_MAX, ret_len);
    int error = rc == 1 ? SSL_ERROR_NONE : SSL_get_error(link->ssl, rc);
    ERR_clear_error();
    link->ends.in = NULL;
    link->ends.out = NULL;
    if (out->is_full) return TLS_REFUSED;
    if (error == SSL_ERROR_NONE) return TLS_OPENED;
    if (error == SSL_ERROR_WANT_READ) return TLS_WAITS;
    return error == SSL_ERROR_ZERO_RETURN ? TLS_ENDED : TLS_REFUSED;
}

bool tls_link_is_ready(const struct tls_link *link)
{
    return SSL_is_init_finished(link->ssl);
}

bool tls_link_write(struct tls_link *link, struct str bytes, struct buf *out)
{
    size_t len;

    assert(bytes.len > 0 && bytes.len <= TLS_RECORD_MAX);
    link->ends.out = out;
    ERR_clear_error();
    int rc = SSL_write_ex(link->ssl, bytes.data, bytes.len, &len);
    ERR_clear_error();
    link->ends.out = NULL;
    return rc == 1 && !out->is_full;
}

void tls_link_end(struct tls_link *link, struct buf *out)
{
    if (!tls_link_is_ready(link)) return;
    link->ends.out = out;
    ERR_clear_error();
    SSL_shutdown(link->ssl);
    ERR_clear_error();
    link->ends.out = NULL;
}
