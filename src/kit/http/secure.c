/*
 * A connection over TLS: records are opened before HTTP sees them, and answers are sealed once HTTP
 * has composed them. Nothing else of a connection knows of TLS.
 *
 * A handshake is done where its bytes come, on the event loop. It costs a fraction of a
 * millisecond, and a thread for it would save nothing but cost two changes of threads
 * (bench/NOTES.md); what it must not do is to keep requests of others waiting. So a loop gives
 * handshakes a slice of each iteration, and those that come beyond it wait in their sockets until
 * the next.
 */
#include "kit/base/clock.h"
#include "kit/http/connection.h"

enum {
    BEHIND_MAX = 64 * 1024, /* records of TLS itself, for a peer that takes nothing */
};

/* ---- what comes ---- */

/* A handshake begins with a byte of 22; a request, with a letter. */
static bool is_plain_request(struct str bytes)
{
    return bytes.data[0] >= 'A' && bytes.data[0] <= 'Z';
}

static void refuse_plain(struct http_connection *c)
{
    http_connection_begin(c);
    http_answer_refuse(c, ERR_SPEAKS_HTTPS);
}

/* Opens the next record; what TLS itself has to say goes out at once, or behind a write that waits.
 */
static enum tls_opened open_next(struct http_connection *c, struct str *bytes, size_t *ret_len)
{
    struct http_tls_room *room = c->loop->tls_room;
    struct buf *out = c->is_writing ? &c->behind : &room->sealed;
    bool is_handshake = c->phase == HTTP_PHASE_HANDSHAKE;
    int64_t began_us = is_handshake ? clock_monotonic_us() : 0;

    enum tls_opened opened = tls_link_read(c->link, bytes, out, room->opened, ret_len);
    if (!c->is_writing && room->sealed.len > 0) http_output_send(c, NULL, 0);
    if (!is_handshake || c->phase != HTTP_PHASE_HANDSHAKE) return opened;
    c->loop->handshake_us += clock_monotonic_us() - began_us;
    if (tls_link_is_ready(c->link)) http_connection_begin(c);
    return opened;
}

void http_secure_take(struct http_connection *c, struct str bytes)
{
    struct http_tls_room *room = c->loop->tls_room;
    enum tls_opened opened = TLS_OPENED;
    size_t len;

    if (!c->link && is_plain_request(bytes)) {
        refuse_plain(c);
        http_connection_take(c, bytes);
        return;
    }
    if (!c->link) {
        c->link = tls_link_new(c->loop->server->tls);
        buf_init(&c->behind, BEHIND_MAX);
    }
    while (opened == TLS_OPENED && c->phase != HTTP_PHASE_CLOSED) {
        if (c->phase == HTTP_PHASE_LINGER) { /* it is dropped in any case */
            http_connection_take(c, bytes);
            return;
        }
        opened = open_next(c, &bytes, &len);
        if (opened != TLS_OPENED) break;
        http_connection_take(c, (struct str){room->opened, len});
        explicit_bzero(room->opened, len); /* the next may be shorter, and leave a key behind it */
    }
    if (opened == TLS_ENDED) c->is_peer_done = true;
    if (opened == TLS_REFUSED) http_connection_close(c);
}

/* ---- what goes ---- */

/* Returns the next bytes of `parts` behind the first `skipped`, up to a record of them: as they
 * lie, or gathered where a part ends before. */
static struct str gather(const uv_buf_t *parts, unsigned count, size_t skipped, char *room)
{
    size_t len = 0;

    for (unsigned i = 0; i < count; i++) {
        size_t skip = skipped < parts[i].len ? skipped : parts[i].len;
        size_t left = parts[i].len - skip, free = TLS_RECORD_MAX - len;
        skipped -= skip;
        if (len == 0 && (left >= free || i + 1 == count))
            return (struct str){parts[i].base + skip, left < free ? left : free};
        size_t taken = left < free ? left : free;
        memcpy(room + len, parts[i].base + skip, taken);
        len += taken;
    }
    return (struct str){room, len};
}

/* Sends what the socket takes of the records in the room. */
static void flush(struct http_connection *c)
{
    struct buf *sealed = &c->loop->tls_room->sealed;

    if (sealed->len == 0) return;
    uv_buf_t part = uv_buf_init(sealed->data, (unsigned)sealed->len);
    int sent = uv_try_write((uv_stream_t *)&c->tcp, &part, 1);
    if (sent > 0) buf_consume(sealed, (size_t)sent);
    if (sealed->len == 0) buf_clear(sealed); /* it may have been full */
    if (sent >= 0 || sent == UV_EAGAIN) return;
    buf_clear(sealed);
    http_connection_close(c);
}

static bool seal(struct http_connection *c, struct str piece)
{
    struct http_tls_room *room = c->loop->tls_room;
    bool is_sealed = tls_link_write(c->link, piece, &room->sealed);

    if (piece.data == room->gathered) explicit_bzero(room->gathered, piece.len);
    if (is_sealed) return true;
    buf_clear(&room->sealed);
    http_connection_close(c);
    return false;
}

size_t http_secure_send(struct http_connection *c, const uv_buf_t *parts, unsigned count)
{
    struct http_tls_room *room = c->loop->tls_room;
    struct str piece = {NULL, 0};
    size_t sealed = 0;

    if (c->behind.len > 0) {
        buf_str(&room->sealed, buf_view(&c->behind));
        buf_done(&c->behind);
        buf_init(&c->behind, BEHIND_MAX);
    }
    do {
        while (room->sealed.len < HTTP_SEAL_AT_ONCE) {
            piece = gather(parts, count, sealed, room->gathered);
            if (piece.len == 0) break;
            if (!seal(c, piece)) return sealed;
            sealed += piece.len;
        }
        flush(c);
    } while (piece.len > 0 && room->sealed.len == 0 && c->phase != HTTP_PHASE_CLOSED);
    return sealed;
}

void http_secure_end(struct http_connection *c)
{
    struct buf *sealed = &c->loop->tls_room->sealed;

    if (c->is_writing) return;
    tls_link_end(c->link, sealed);
    if (sealed->len == 0) return;
    uv_buf_t part = uv_buf_init(sealed->data, (unsigned)sealed->len);
    uv_try_write((uv_stream_t *)&c->tcp, &part,
                 1); /* a peer that takes nothing sees the end only */
    buf_clear(sealed);
}
