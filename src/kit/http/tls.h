/*
 * HTTPS of the server's own (contract, section 19): the certificate with its key, read from two
 * files and read anew when they change, and the TLS of one connection. TLS 1.2 and 1.3 by OpenSSL.
 *
 * A struct tls may be used by any thread. A struct tls_link does no I/O: records come in and bytes
 * go out, and the other way round. It belongs to one thread.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <stdint.h>

enum {
    TLS_RECORD_MAX = 16 * 1024, /* bytes of a record, opened */
    TLS_PIN_LEN = 64,
    TLS_WATCH_MS = 1000, /* between two looks at the files */
};

struct tls;
struct tls_link;

/* --- The certificate -------------------------------------------------------------------------- */

/* Reads both files (PEM; the chain follows the certificate) and watches them on a thread: a pair
 * that has changed and fits is used for new connections, those that are open stay. A pair that
 * cannot be used leaves the one before it in use; the log says so, once. Returns ERR_VALIDATION
 * with a sentence in `why` if the first pair cannot be used, ERR_INTERNAL if there is no thread. */
enum err tls_open(const char *cert_file, const char *key_file, struct tls **ret_tls,
                  struct buf *why) MUST_CHECK;
/* Lets the thread read both files now, also if they look the same, and say what came of it. */
void tls_read_anew(struct tls *tls);
/* Ends the thread, once the last link is freed. NULL does nothing. */
void tls_close(struct tls *tls);

/* A certificate says this of itself. */
struct tls_certificate {
    int64_t begins_ms, ends_ms;
    bool names_host;       /* it names the host that was asked about */
    char pin[TLS_PIN_LEN]; /* its public key, as libcurl's CURLOPT_PINNEDPUBLICKEY takes it */
};

/* Reads a certificate, and tells whether it names `host` (a name or an address; NULL: not asked).
 * With `key_file` it also sees whether the key fits; NULL: it is not read. Returns ERR_VALIDATION
 * with a sentence in `why`. */
enum err tls_certificate_read(const char *cert_file, const char *key_file, const char *host,
                              struct tls_certificate *ret_certificate, struct buf *why) MUST_CHECK;

/* --- One connection --------------------------------------------------------------------------- */

/* Waits for a handshake, with the certificate that is in use now. */
struct tls_link *tls_link_new(struct tls *tls);
void tls_link_free(struct tls_link *link);

enum tls_opened {
    TLS_OPENED,  /* there are bytes */
    TLS_WAITS,   /* all records that came are read */
    TLS_ENDED,   /* the peer sends no more, and may still be answered */
    TLS_REFUSED, /* it broke the rules of TLS; the link is of no more use */
};

/* Reads on in the records `in`, of which it takes all before it waits, and writes the opened bytes
 * of one record into `room` (TLS_RECORD_MAX). Records that answer the peer, as those of the
 * handshake, go to `out` and are to be sent, also if it refused. */
enum tls_opened tls_link_read(struct tls_link *link, struct str *in, struct buf *out, char *room,
                              size_t *ret_len);
/* Tells whether the handshake is done. Nothing may be written before. */
bool tls_link_is_ready(const struct tls_link *link);
/* Appends up to TLS_RECORD_MAX bytes as one record to `out`. Returns false if the link is of no
 * more use. */
bool tls_link_write(struct tls_link *link, struct str bytes, struct buf *out) MUST_CHECK;
/* Appends the record that says that no more is written, as far as the link can. */
void tls_link_end(struct tls_link *link, struct buf *out);
