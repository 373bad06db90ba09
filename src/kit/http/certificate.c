/* A certificate and its key are read from files (PEM), and asked what they say. */
#include "kit/base/must.h"
#include "kit/base/text_file.h"
#include "kit/http/tls_context.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_MAX = 256 * 1024, CHAIN_MAX = 20, REASON_MAX = 256, PIN_HASH_LEN = 32 };

/* ---- files ---- */

/* Reads a whole file; the memory is zeroed when it is freed. */
static enum err read_file(const char *path, BIO **ret_bio, struct buf *why)
{
    struct stat status;
    AUTO_BUF text = {0};

    buf_init(&text, FILE_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
    bool is_open = fd >= 0 && fstat(fd, &status) == 0;
    if (is_open && !S_ISREG(status.st_mode)) {
        buf_printf(why, "%s is not a file.", path);
        close(fd);
        return ERR_VALIDATION;
    }
    bool is_read = is_open && text_file_read(fd, &text);
    if (!is_read) buf_printf(why, "%s cannot be read: %s.", path, strerror(errno));
    if (fd >= 0) close(fd);
    if (!is_read) return ERR_VALIDATION;
    int len = (int)text.len;
    *ret_bio = BIO_new(BIO_s_secmem());
    must_have(*ret_bio && (len == 0 || BIO_write(*ret_bio, text.data, len) == len),
              "There is no memory for TLS.");
    return ERR_OK;
}

/* A key with a password could not be read at a start that nobody watches. */
static int refuse_password(char *room, int room_len, int is_writing, void *arg)
{
    (void)room, (void)room_len, (void)is_writing, (void)arg;
    return -1;
}

static enum err read_chain(const char *path, struct tls_pair *pair, struct buf *why)
{
    BIO *bio;
    X509 *next;

    enum err err = read_file(path, &bio, why);
    if (err) return err;
    pair->leaf = PEM_read_bio_X509_AUX(bio, NULL, refuse_password, NULL);
    pair->chain = sk_X509_new_null();
    must_have(pair->chain, "There is no memory for TLS.");
    while (pair->leaf && sk_X509_num(pair->chain) < CHAIN_MAX &&
           (next = PEM_read_bio_X509(bio, NULL, refuse_password, NULL)))
        sk_X509_push(pair->chain, next);
    BIO_free(bio);
    ERR_clear_error(); /* the end of the file is one */
    if (pair->leaf) return ERR_OK;
    buf_printf(why, "%s has no certificate in it (PEM, \"-----BEGIN CERTIFICATE-----\").", path);
    return ERR_VALIDATION;
}

static enum err read_key(const char *path, struct tls_pair *pair, struct buf *why)
{
    BIO *bio;

    enum err err = read_file(path, &bio, why);
    if (err) return err;
    pair->key = PEM_read_bio_PrivateKey(bio, NULL, refuse_password, NULL);
    BIO_free(bio);
    ERR_clear_error();
    if (pair->key) return ERR_OK;
    buf_printf(
        why,
        "%s has no private key in it that can be used (PEM, \"-----BEGIN PRIVATE KEY-----\", "
        "without a password).",
        path);
    return ERR_VALIDATION;
}

void tls_pair_done(struct tls_pair *pair)
{
    X509_free(pair->leaf);
    sk_X509_pop_free(pair->chain, X509_free);
    EVP_PKEY_free(pair->key);
    *pair = (struct tls_pair){0};
}

enum err tls_pair_read(const char *cert_file, const char *key_file, struct tls_pair *ret_pair,
                       struct buf *why)
{
    struct tls_pair pair = {0};

    enum err err = read_chain(cert_file, &pair, why);
    if (!err) err = read_key(key_file, &pair, why);
    if (!err && X509_check_private_key(pair.leaf, pair.key) != 1) {
        buf_printf(why, "The key in %s is not that of the certificate in %s.", key_file, cert_file);
        err = ERR_VALIDATION;
    }
    ERR_clear_error();
    if (err)
        tls_pair_done(&pair);
    else
        *ret_pair = pair;
    return err;
}

/* ---- what it says ---- */

static int64_t ms_of(const ASN1_TIME *time)
{
    struct tm tm;

    return ASN1_TIME_to_tm(time, &tm) == 1 ? (int64_t)timegm(&tm) * 1000 : 0;
}

static bool names(X509 *leaf, const char *host)
{
    return X509_check_ip_asc(leaf, host, 0) == 1 || X509_check_host(leaf, host, 0, 0, NULL) == 1;
}

static void make_pin(X509 *leaf, char ret_pin[static TLS_PIN_LEN])
{
    static const char scheme[] = "sha256//";
    unsigned char *der = NULL, hash[PIN_HASH_LEN];
    int len = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(leaf), &der);

    must_have(len > 0 && EVP_Digest(der, (size_t)len, hash, NULL, EVP_sha256(), NULL) == 1,
              "There is no memory for TLS.");
    OPENSSL_free(der);
    memcpy(ret_pin, scheme, sizeof(scheme) - 1);
    EVP_EncodeBlock((unsigned char *)ret_pin + sizeof(scheme) - 1, hash, sizeof(hash));
}

enum err tls_certificate_read(const char *cert_file, const char *key_file, const char *host,
                              struct tls_certificate *ret_certificate, struct buf *why)
{
    struct tls_pair pair = {0};
    SSL_CTX *context;

    enum err err = key_file ? tls_pair_read(cert_file, key_file, &pair, why)
                            : read_chain(cert_file, &pair, why);
    if (!err && key_file) {
        err = tls_context_new(&pair, &context, why);
        if (!err) SSL_CTX_free(context);
    }
    if (!err) {
        *ret_certificate = (struct tls_certificate){
            .begins_ms = ms_of(X509_get0_notBefore(pair.leaf)),
            .ends_ms = ms_of(X509_get0_notAfter(pair.leaf)),
            .names_host = host && names(pair.leaf, host),
        };
        make_pin(pair.leaf, ret_certificate->pin);
    }
    ERR_clear_error();
    tls_pair_done(&pair);
    return err;
}
