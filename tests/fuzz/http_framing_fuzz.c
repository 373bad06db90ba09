/*
 * The framing of requests: heads and bodies behind each other. The first byte of the input chooses
 * the size of the pieces. Aborts where bytes in pieces are understood otherwise than in one, and
 * where more comes out than went in.
 */
#include "../unit/http_machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 64 * 1024 };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool is_same(const struct buf *a, const struct buf *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* Each piece is a copy of its own, so that reading past its end shows. */
static void feed_pieces(struct http_machine *m, struct str bytes, size_t piece_max)
{
    for (size_t at = 0; at < bytes.len; at += piece_max) {
        size_t len = bytes.len - at < piece_max ? bytes.len - at : piece_max;
        char *piece = malloc(len);
        if (!piece) abort();
        memcpy(piece, bytes.data + at, len);
        machine_feed(m, (struct str){piece, len});
        free(piece);
    }
}

/* A request that was taken cannot be read in another way: no bare line end, no control in a
 * head. */
static void check_targets(const struct buf *targets)
{
    for (size_t i = 0; i < targets->len; i++) {
        unsigned char c = (unsigned char)targets->data[i];
        require(c == '\n' || (c >= ' ' && c < 0x7f), "a control in a target");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_machine whole, pieces;

    if (size < 1 || size > INPUT_MAX) return 0;
    struct str bytes = {(const char *)data + 1, size - 1};
    machine_init(&whole);
    machine_init(&pieces);
    feed_pieces(&whole, bytes, INPUT_MAX);
    feed_pieces(&pieces, bytes, data[0] + 1u);
    require((whole.err == ERR_OK) == (pieces.err == ERR_OK), "refused in one of two ways");
    require(whole.requests == pieces.requests, "another number of requests");
    require(is_same(&whole.payload, &pieces.payload), "another payload");
    require(is_same(&whole.targets, &pieces.targets), "other targets");
    require(whole.payload.len <= bytes.len, "more payload than bytes");
    check_targets(&whole.targets);
    machine_done(&whole);
    machine_done(&pieces);
    return 0;
}
