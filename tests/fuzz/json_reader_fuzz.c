/*
 * The reader against jansson. The first byte of the input chooses the sizes of the pieces. Aborts
 * where pieces change what is read, where the two disagree on what JSON is (but for what the
 * contract decides), and where a text written back from its tokens is another value.
 */
#include "../unit/json_trace.h"
#include "json_judge.h"
#include "kit/json/writer.h"

#include <stdio.h>

enum { INPUT_MAX = 4096 };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Refused by us alone: \u0000 and deep nesting (contract, section 1). */
static bool is_our_decision(const char *trace)
{
    return strstr(trace, "fault") &&
           (strstr(trace, " \\u0000 is not allowed in strings.\n") ||
            strstr(trace, " Objects and arrays are nested deeper than 64 levels.\n"));
}

/* A number beyond a double is one for us, since digits are kept. */
static void compare_with_judge(struct str text, bool is_accepted, const char *trace)
{
    enum judgement judgement = json_judge(text);

    if (judgement == JUDGED_SOUND)
        require(is_accepted || is_our_decision(trace), "jansson accepts, the reader refuses");
    if (judgement == JUDGED_UNSOUND) require(!is_accepted, "jansson refuses, the reader accepts");
}

static void write_token(struct json_writer *writer, enum json_token token, struct str text)
{
    char *key;

    switch (token) {
    case JSON_OBJECT_BEGIN:
        json_object_begin(writer);
        break;
    case JSON_OBJECT_END:
        json_object_end(writer);
        break;
    case JSON_ARRAY_BEGIN:
        json_array_begin(writer);
        break;
    case JSON_ARRAY_END:
        json_array_end(writer);
        break;
    case JSON_KEY:
        key = strndup(text.data, text.len);
        if (!key) abort();
        json_key(writer, key);
        free(key);
        break;
    case JSON_STRING:
        json_str(writer, text);
        break;
    case JSON_NUMBER:
        json_raw(writer, text);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_bool(writer, token == JSON_TRUE);
        break;
    case JSON_NULL:
        json_null(writer);
        break;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        abort();
    }
}

static void check_written_back(struct str text)
{
    struct json_reader *reader = json_reader_new(text.len);
    AUTO_BUF out = {0};
    struct json_writer writer;
    struct str token_text = {0};
    enum json_token token;
    uint8_t before[32], after[32];

    buf_init(&out, TRACE_MAX);
    json_writer_init(&writer, &out);
    json_feed(reader, text, true);
    while ((token = json_next(reader, &token_text)) > JSON_END)
        write_token(&writer, token, token_text);
    json_reader_free(reader);
    json_fingerprint(text, (struct str){0}, before);
    json_fingerprint(buf_view(&out), (struct str){0}, after);
    require(memcmp(before, after, sizeof(before)) == 0, "written back, it is another value");
}

/* The low bits of `choice` are the size of the pieces; the highest one asks for short tokens. */
static void check(struct str text, uint8_t choice)
{
    size_t token_max = choice & 0x80 ? 8 : INPUT_MAX;
    AUTO_BUF whole = {0}, pieces = {0};

    buf_init(&whole, TRACE_MAX);
    buf_init(&pieces, TRACE_MAX);
    bool is_accepted = trace_text(text, text.len + 1, token_max, &whole) == JSON_END;
    trace_text(text, 1 + (choice & 0x1F), token_max, &pieces);
    require(whole.len == pieces.len && memcmp(whole.data, pieces.data, whole.len) == 0,
            "pieces change what is read");
    if (token_max < INPUT_MAX) return;

    buf_char(&whole, '\0');
    compare_with_judge(text, is_accepted, whole.data);
    if (is_accepted) check_written_back(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > INPUT_MAX) return 0;
    check((struct str){(const char *)data + 1, size - 1}, data[0]);
    return 0;
}
