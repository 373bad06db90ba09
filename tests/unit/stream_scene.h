/* Decodes a package of stream_sample.h in pieces of several sizes, which must not matter, and gives
 * its outcome as text. */
#pragma once

#include "stream_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SCENE_TOKEN_MAX = 100000, SCENE_OUTCOME_MAX = 64 * 1024 * 1024 };

struct scene {
    struct str text;
    struct buf *out;
};

/* A thing of the name "bad" gets a fault from outside, and one as a whole. */
static inline void scene_on_item(void *arg, struct record_stream *stream,
                                 const struct stream_item *item)
{
    const struct scene *scene = arg;
    const struct stream_thing *thing = item->value;

    put_stream_item(scene->out, scene->text, item);
    if (item->list->record != &stream_thing_record) return;
    if (!thing->id || strcmp(thing->id, "bad") != 0) return;
    record_stream_fault(stream, &(struct stream_fault){.type = "ours",
                                                       .message = "Not this one",
                                                       .loc = "\"parts\",2,\"id\"",
                                                       .input = "7"});
    record_stream_fault(stream, &(struct stream_fault){.type = "ours",
                                                       .message = "Not this thing",
                                                       .loc = "",
                                                       .ctx = "{\"a\":1}",
                                                       .begin = item->begin,
                                                       .end = item->end});
}

/* The next piece in memory of its own, so that reading beyond it or later shows. */
static inline enum stream_state scene_feed(struct record_stream *stream, struct str piece,
                                           bool is_last)
{
    char *copy = malloc(piece.len > 0 ? piece.len : 1);
    assert_non_null(copy);
    memcpy(copy, piece.data, piece.len);
    enum stream_state state = record_stream_feed(stream, (struct str){copy, piece.len}, is_last);
    free(copy);
    return state;
}

static inline void scene_decode(struct str text, size_t piece_len, struct buf *out)
{
    struct scene scene = {text, out};
    struct record_stream *stream =
        record_stream_new(&(struct record_stream_options){.record = &stream_package_record,
                                                          .token_max = SCENE_TOKEN_MAX,
                                                          .on_item = scene_on_item,
                                                          .arg = &scene});
    enum stream_state state = STREAM_MORE;

    for (size_t at = 0; state == STREAM_MORE;) {
        size_t len = text.len - at < piece_len ? text.len - at : piece_len;
        state = scene_feed(stream, (struct str){text.data + at, len}, at + len == text.len);
        at += len;
    }
    put_stream_end(out, text, state, stream);
    record_stream_free(stream);
    buf_char(out, '\0');
    assert_false(out->is_full);
}

/* To be freed. */
static inline char *scene_outcome(struct str text)
{
    static const size_t piece_lens[] = {1, 7, 4096};
    struct buf whole;

    buf_init(&whole, SCENE_OUTCOME_MAX);
    scene_decode(text, text.len, &whole);
    for (size_t i = 0; i < sizeof(piece_lens) / sizeof(*piece_lens); i++) {
        AUTO_BUF out = {0};
        buf_init(&out, SCENE_OUTCOME_MAX);
        scene_decode(text, piece_lens[i], &out);
        assert_string_equal(out.data, whole.data);
    }
    return whole.data;
}

static inline void assert_outcome(const char *text, const char *expected)
{
    char *outcome = scene_outcome(str_of(text));
    assert_string_equal(outcome, expected);
    free(outcome);
}
