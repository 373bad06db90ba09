/*
 * The certificate in use is an OpenSSL context. A new pair of files makes a new one, and so does
 * each hour, since a context has keys of its own for the tickets by which clients come back with a
 * short handshake: a ticket from an earlier context, or from another process, is just a full
 * handshake. A connection keeps the context that it began with.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"
#include "kit/http/tls_context.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    TICKET_KEY_MS = 60 * 60 * 1000,
    WHY_MAX = 8 * 1024,
};

/* Tells one state of a file from another. */
struct stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct stamps {
    struct stamp cert, key;
};

struct tls {
    const char *cert_file, *key_file;
    BIO_METHOD *bio_method;

    pthread_mutex_t lock; /* for the context, and for the end */
    SSL_CTX *context;
    pthread_cond_t is_woken;
    bool is_ending, is_asked; /* to read the files now */

    /* The rest is the watch's. */
    pthread_t watch;
    struct stamps in_use, refused, last;
    int64_t made_ms; /* the context, by the monotonic clock */
};

/* ---- the context ---- */

/* Makes a context of the files, or gives the same certificate another one. */
static enum err load(struct tls *tls, bool is_same, struct buf *why)
{
    struct tls_pair pair = {0};
    SSL_CTX *context;
    enum err err = ERR_OK;

    if (is_same) {
        pair.leaf = SSL_CTX_get0_certificate(tls->context);
        pair.key = SSL_CTX_get0_privatekey(tls->context);
        SSL_CTX_get_extra_chain_certs(tls->context, &pair.chain);
    } else {
        err = tls_pair_read(tls->cert_file, tls->key_file, &pair, why);
    }
    if (!err) err = tls_context_new(&pair, &context, why);
    if (!is_same) tls_pair_done(&pair);
    if (err) return err;
    pthread_mutex_lock(&tls->lock);
    SSL_CTX *old = tls->context;
    tls->context = context;
    pthread_mutex_unlock(&tls->lock);
    SSL_CTX_free(old);
    tls->made_ms = clock_monotonic_ms();
    return ERR_OK;
}

SSL *tls_ssl_new(struct tls *tls)
{
    pthread_mutex_lock(&tls->lock);
    SSL *ssl = SSL_new(tls->context);
    pthread_mutex_unlock(&tls->lock);
    return ssl;
}

const BIO_METHOD *tls_bio_method(const struct tls *tls)
{
    return tls->bio_method;
}

/* ---- the watch ---- */

/* A file that cannot be looked at has a stamp, too: that of nothing. */
static struct stamp stamp_of(const char *path)
{
    struct stat status;

    if (stat(path, &status)) return (struct stamp){0};
    return (struct stamp){status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

static struct stamps look(const struct tls *tls)
{
    return (struct stamps){stamp_of(tls->cert_file), stamp_of(tls->key_file)};
}

static bool is_same_stamp(const struct stamp *a, const struct stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool are_same(const struct stamps *a, const struct stamps *b)
{
    return is_same_stamp(&a->cert, &b->cert) && is_same_stamp(&a->key, &b->key);
}

static void load_changed(struct tls *tls, const struct stamps *now)
{
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    if (load(tls, false, &why) == ERR_OK) {
        tls->in_use = *now;
        tls->refused = (struct stamps){0};
        log_write(LOG_INFO, "the certificate was read anew; new connections get it",
                  LOG_FIELDS(log_plain("cert_file", tls->cert_file)));
        return;
    }
    tls->refused = *now;
    buf_char(&why, '\0');
    log_write(LOG_ERROR,
              "the certificate or its key cannot be used; the one before it stays in use: "
              "correct the files, herald reads them again by itself",
              LOG_FIELDS(log_words("reason", why.data), log_plain("cert_file", tls->cert_file),
                         log_plain("key_file", tls->key_file)));
}

/* Both files change one after the other, and each perhaps in pieces, so a change counts once it is
 * the same at two looks. */
static void look_again(struct tls *tls, bool is_asked)
{
    struct stamps now = look(tls);
    bool is_settled = are_same(&now, &tls->last);
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    tls->last = now;
    bool is_new = is_settled && !are_same(&now, &tls->in_use) && !are_same(&now, &tls->refused);
    if (is_new || is_asked)
        load_changed(tls, &now);
    else if (clock_monotonic_ms() - tls->made_ms >= TICKET_KEY_MS && load(tls, true, &why))
        LOG_BROKEN("a context of the certificate in use");
}

static void *watch(void *arg)
{
    struct tls *tls = arg;

    pthread_mutex_lock(&tls->lock);
    while (!tls->is_ending) {
        struct timespec deadline = thread_deadline(TLS_WATCH_MS);
        int rc = pthread_cond_timedwait(&tls->is_woken, &tls->lock, &deadline);
        bool is_asked = tls->is_asked;
        if (rc != ETIMEDOUT && !is_asked) continue;
        tls->is_asked = false;
        pthread_mutex_unlock(&tls->lock);
        look_again(tls, is_asked);
        pthread_mutex_lock(&tls->lock);
    }
    pthread_mutex_unlock(&tls->lock);
    return NULL;
}

/* ---- the beginning and the end ---- */

static void free_all(struct tls *tls)
{
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->bio_method);
    pthread_cond_destroy(&tls->is_woken);
    pthread_mutex_destroy(&tls->lock);
    free((char *)(uintptr_t)tls->cert_file);
    free((char *)(uintptr_t)tls->key_file);
    free(tls);
}

enum err tls_open(const char *cert_file, const char *key_file, struct tls **ret_tls,
                  struct buf *why)
{
    struct tls *tls = must_calloc(1, sizeof(*tls));

    tls->cert_file = must_strdup(cert_file);
    tls->key_file = must_strdup(key_file);
    tls->bio_method = tls_bio_method_new();
    pthread_mutex_init(&tls->lock, NULL);
    thread_cond_init(&tls->is_woken);
    tls->in_use = tls->last = look(tls);
    enum err err = load(tls, false, why);
    if (err) {
        free_all(tls);
        return err;
    }
    thread_start(&tls->watch, "tls-watch", watch, tls);
    *ret_tls = tls;
    return ERR_OK;
}

void tls_read_anew(struct tls *tls)
{
    pthread_mutex_lock(&tls->lock);
    tls->is_asked = true;
    pthread_cond_signal(&tls->is_woken);
    pthread_mutex_unlock(&tls->lock);
}

void tls_close(struct tls *tls)
{
    if (!tls) return;
    pthread_mutex_lock(&tls->lock);
    tls->is_ending = true;
    pthread_cond_signal(&tls->is_woken);
    pthread_mutex_unlock(&tls->lock);
    pthread_join(tls->watch, NULL);
    free_all(tls);
}
