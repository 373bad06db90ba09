/* Certificates for tests, made on the spot, and a client that speaks TLS. */
#pragma once

#include "kit/base/clock.h"
#include "kit/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder with a certificate and its key. */
struct tls_made {
    char folder[32];
    char cert[64], key[64];
};

enum { TLS_MADE_DAYS = 90 };

/* A key by its name: "P-256", "ED25519" or "RSA". */
static inline EVP_PKEY *tls_made_key(const char *kind)
{
    if (strcmp(kind, "ED25519") == 0) return EVP_PKEY_Q_keygen(NULL, NULL, kind);
    if (strcmp(kind, "RSA") == 0) return EVP_PKEY_Q_keygen(NULL, NULL, kind, (size_t)2048);
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", kind);
}

static inline X509 *tls_made_certificate(EVP_PKEY *key, const char *kind, int days)
{
    X509 *leaf = X509_new();
    X509_NAME *name = X509_get_subject_name(leaf);
    X509V3_CTX context;

    X509_set_version(leaf, 2);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(leaf), (uint64_t)clock_monotonic_us());
    X509_gmtime_adj(X509_getm_notBefore(leaf), -3600L);
    X509_gmtime_adj(X509_getm_notAfter(leaf), 3600L * 24 * days);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(leaf, name);
    X509_set_pubkey(leaf, key);
    X509V3_set_ctx(&context, leaf, leaf, NULL, NULL, 0);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, &context, NID_subject_alt_name,
                                                "DNS:herald.example,IP:127.0.0.1");
    X509_add_ext(leaf, names, -1);
    X509_EXTENSION_free(names);
    bool is_edwards = strcmp(kind, "ED25519") == 0;
    assert_true(X509_sign(leaf, key, is_edwards ? NULL : EVP_sha256()) > 0);
    return leaf;
}

/* Writes a new pair into the folder, in the place of the one before; `password` NULL: none. */
static inline void tls_made_write(struct tls_made *made, const char *kind, int days,
                                  const char *password)
{
    EVP_PKEY *key = tls_made_key(kind);
    X509 *leaf = tls_made_certificate(key, kind, days);
    FILE *file = fopen(made->cert, "w");

    assert_true(file && PEM_write_X509(file, leaf) == 1);
    fclose(file);
    file = fopen(made->key, "w");
    assert_true(file &&
                PEM_write_PKCS8PrivateKey(file, key, password ? EVP_aes_256_cbc() : NULL, password,
                                          password ? (int)strlen(password) : 0, NULL, NULL) == 1);
    fclose(file);
    X509_free(leaf);
    EVP_PKEY_free(key);
}

static inline void tls_made_init(struct tls_made *made)
{
    snprintf(made->folder, sizeof(made->folder), "/tmp/herald-tls-XXXXXX");
    assert_non_null(mkdtemp(made->folder));
    snprintf(made->cert, sizeof(made->cert), "%s/cert.pem", made->folder);
    snprintf(made->key, sizeof(made->key), "%s/key.pem", made->folder);
    tls_made_write(made, "P-256", TLS_MADE_DAYS, NULL);
}

static inline void tls_made_done(struct tls_made *made)
{
    unlink(made->cert);
    unlink(made->key);
    rmdir(made->folder);
}

static inline struct tls *tls_made_open(const struct tls_made *made)
{
    struct tls *tls = NULL;
    AUTO_BUF why = {0};

    buf_init(&why, 4096);
    if (tls_open(made->cert, made->key, &tls, &why)) fail_msg("%.*s", (int)why.len, why.data);
    return tls;
}
