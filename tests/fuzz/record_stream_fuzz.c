/*
 * The stream decoder. The first bytes of the input choose how it is cut. Aborts where the pieces
 * matter, where faults are no sound JSON, and where a text without faults is refused or changed
 * when its things are encoded and read again as known.
 */
#include "../unit/stream_sample.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 16 * 1024, OUT_MAX = 64 * 1024 * 1024, TOKEN_MAX = 1000, CUTS = 4 };

struct scene {
    struct str text;
    struct buf *out;
    bool is_checked; /* what it says is looked at, not only compared */
};

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void encode(const struct stream_thing *thing, struct buf *out)
{
    struct json_writer writer;

    json_writer_init(&writer, out);
    record_encode(&stream_thing_record, thing, &writer);
}

/* A thing without faults. */
static void check_known(const struct stream_thing *thing)
{
    struct arena arena;
    struct stream_thing again;
    AUTO_BUF first = {0}, second = {0};

    buf_init(&first, OUT_MAX);
    buf_init(&second, OUT_MAX);
    arena_init(&arena);
    encode(thing, &first);
    enum err err = record_decode_known(&stream_thing_record, buf_view(&first), &arena, &again);
    require(!err, "encoded, it is refused");
    encode(&again, &second);
    require(first.len == second.len && memcmp(first.data, second.data, first.len) == 0,
            "encoded again, it is another text");
    arena_done(&arena);
}

static void on_item(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    struct scene *scene = arg;
    size_t fault_count;
    bool is_truncated;

    put_stream_item(scene->out, scene->text, item);
    if (!scene->is_checked || item->list->record != &stream_thing_record) return;
    record_stream_faults(stream, &fault_count, &is_truncated);
    if (fault_count == 0) check_known(item->value);
}

/* The next piece in memory of its own, so that reading beyond it or later shows. */
static enum stream_state feed(struct record_stream *stream, struct str piece, bool is_last)
{
    char *copy = malloc(piece.len > 0 ? piece.len : 1);

    if (!copy) abort();
    if (piece.len > 0) memcpy(copy, piece.data, piece.len);
    enum stream_state state = record_stream_feed(stream, (struct str){copy, piece.len}, is_last);
    free(copy);
    return state;
}

/* The lengths of the pieces repeat. */
static enum stream_state feed_all(struct record_stream *stream, struct str text,
                                  const uint8_t *cuts)
{
    enum stream_state state = STREAM_MORE;
    size_t at = 0;

    for (size_t i = 0; state == STREAM_MORE; i++) {
        size_t len = cuts ? cuts[i % CUTS] : text.len;
        if (i >= CUTS && len == 0) len = 1;
        if (len > text.len - at) len = text.len - at;
        state = feed(stream, (struct str){text.data + at, len}, at + len == text.len);
        at += len;
    }
    return state;
}

static void require_sound(const char *json)
{
    struct json_reader *reader = json_reader_new(strlen(json) + 1);
    enum json_token token;

    json_feed(reader, str_of(json), true);
    while ((token = json_next(reader, NULL)) > JSON_END)
        ;
    require(token == JSON_END, "a fault is no sound JSON");
    json_reader_free(reader);
}

/* A key that stands twice may also have a value that is wrong. */
static bool is_another(const struct stream_fault *one, const struct stream_fault *other)
{
    return strcmp(one->loc, other->loc) != 0 || strcmp(one->type, other->type) != 0;
}

static void check_faults(const struct record_stream *stream, struct str text)
{
    size_t count;
    bool is_truncated;
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);
    AUTO_BUF loc = {0};

    buf_init(&loc, OUT_MAX);
    require(!is_truncated || count == STREAM_FAULTS_MAX, "truncated too early");
    for (size_t i = 0; i < count; i++) {
        buf_clear(&loc);
        buf_printf(&loc, "[%s]", faults[i].loc);
        buf_char(&loc, '\0');
        require_sound(loc.data);
        if (faults[i].ctx) require_sound(faults[i].ctx);
        AUTO_BUF input = {0};
        buf_init(&input, OUT_MAX);
        if (faults[i].input)
            buf_text(&input, faults[i].input);
        else
            buf_append(&input, text.data + faults[i].begin, faults[i].end - faults[i].begin);
        buf_char(&input, '\0');
        require_sound(input.data);
        for (size_t k = 0; k < i; k++)
            require(is_another(&faults[i], &faults[k]), "a fault is told twice");
    }
}

static void decode(struct str text, const uint8_t *cuts, struct buf *out)
{
    struct scene scene = {.text = text, .out = out, .is_checked = !cuts};
    struct record_stream_options options = {.record = &stream_package_record,
                                            .token_max = TOKEN_MAX,
                                            .on_item = on_item,
                                            .arg = &scene};
    struct record_stream *stream = record_stream_new(&options);

    buf_init(out, OUT_MAX);
    enum stream_state state = feed_all(stream, text, cuts);
    require(state != STREAM_MORE, "more than all is wanted");
    put_stream_end(out, text, state, stream);
    if (state == STREAM_END && !cuts) check_faults(stream, text);
    record_stream_free(stream);
}

static void compare(struct str text, const uint8_t cuts[static CUTS])
{
    AUTO_BUF whole = {0}, cut = {0};

    decode(text, NULL, &whole);
    decode(text, cuts, &cut);
    require(whole.len == cut.len && memcmp(whole.data, cut.data, whole.len) == 0,
            "the pieces matter");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CUTS || size > INPUT_MAX) return 0;
    compare((struct str){(const char *)data + CUTS, size - CUTS}, data);
    return 0;
}
