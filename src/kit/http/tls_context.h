/* The files of TLS share these, and nobody else does. */
#pragma once

#include "kit/http/tls.h"

#include <openssl/ssl.h>

/* certificate.c */

struct tls_pair {
    X509 *leaf;
    STACK_OF(X509) * chain; /* behind the leaf, without it */
    EVP_PKEY *key;
};

/* Reads a certificate, its chain and its key. Returns ERR_VALIDATION with a sentence in `why`, also
 * where they do not fit each other. */
enum err tls_pair_read(const char *cert_file, const char *key_file, struct tls_pair *ret_pair,
                       struct buf *why) MUST_CHECK;
void tls_pair_done(struct tls_pair *pair);

/* tls_context.c */

/* Makes the context of new connections, with keys of its own for tickets. Returns ERR_VALIDATION
 * with a sentence in `why` for a pair that OpenSSL does not take, as one that is too weak. */
enum err tls_context_new(const struct tls_pair *pair, SSL_CTX **ret_context,
                         struct buf *why) MUST_CHECK;

/* A BIO reads records from these, and writes records to them. */
struct tls_ends {
    struct str *in;
    struct buf *out;
};
BIO_METHOD *tls_bio_method_new(void);

/* tls.c */

/* Returns a new connection with the certificate in use, NULL without memory. */
SSL *tls_ssl_new(struct tls *tls);
const BIO_METHOD *tls_bio_method(const struct tls *tls);
