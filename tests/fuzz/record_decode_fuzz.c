/*
 * The record decoder. The first byte of the input chooses whether it is strict. Aborts where a
 * value that was accepted is refused or changed when it is encoded and decoded again, and where
 * faults break their promises.
 */
#include "../unit/json_sample.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 16 * 1024, TEXT_MAX = 1024 * 1024 };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void encode(const struct sample *sample, struct buf *out)
{
    struct json_writer writer;

    buf_clear(out);
    json_writer_init(&writer, out);
    record_encode(&sample_record, sample, &writer);
}

static void check_round_trip(const struct sample *sample, struct arena *arena)
{
    AUTO_BUF first = {0}, second = {0};
    struct sample again;
    struct record_faults faults;

    buf_init(&first, TEXT_MAX);
    buf_init(&second, TEXT_MAX);
    record_faults_init(&faults, arena);
    encode(sample, &first);
    /* A weight that was not sent is written as 0, which may not be sent. */
    if (sample->weight == 0) return;
    enum err err = record_decode(&sample_record, buf_view(&first), true, arena, &again, &faults);
    require(err == ERR_OK, "encoded, it is refused");
    encode(&again, &second);
    require(first.len == second.len && memcmp(first.data, second.data, first.len) == 0,
            "encoded again, it is another text");
}

static void check_faults(const struct record_faults *faults, struct arena *arena)
{
    AUTO_BUF out = {0};
    struct json_writer writer;
    struct record_faults none;
    char nothing;
    static const struct record empty = {.name = "Empty", .size = sizeof(nothing)};

    require(faults->count > 0 && faults->count <= FAULTS_MAX, "a wrong number of faults");
    buf_init(&out, TEXT_MAX);
    json_writer_init(&writer, &out);
    json_object_begin(&writer);
    for (size_t i = 0; i < faults->count; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%zu", i);
        json_key(&writer, name);
        json_array_begin(&writer);
        json_text(&writer, faults->rows[i].path);
        json_text(&writer, faults->rows[i].message);
        json_array_end(&writer);
    }
    json_object_end(&writer);
    record_faults_init(&none, arena);
    enum err err = record_decode(&empty, buf_view(&out), false, arena, &nothing, &none);
    require(err == ERR_OK, "the faults do not make sound JSON");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct record_faults faults;
    struct sample sample;

    if (size == 0 || size > INPUT_MAX) return 0;
    arena_init(&arena);
    record_faults_init(&faults, &arena);
    struct str body = {(const char *)data + 1, size - 1};
    enum err err = record_decode(&sample_record, body, data[0] & 1, &arena, &sample, &faults);
    if (err == ERR_OK)
        check_round_trip(&sample, &arena);
    else
        check_faults(&faults, &arena);
    arena_done(&arena);
    return 0;
}
