/*
 * Paths, queries and percent-encoding. Aborts where the parts of a path do not make the path again,
 * where decoding in place differs, and where text that was encoded is decoded to other text.
 */
#include "kit/http/path.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 4096 };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check_path(struct str path)
{
    struct str rest = path, segment;
    size_t len = 0;

    while (http_path_next(&rest, &segment)) {
        require(len < path.len && path.data[len] == '/', "a segment without a slash");
        require(segment.data == path.data + len + 1, "a segment out of its place");
        require(segment.len == 0 || !memchr(segment.data, '/', segment.len), "a slash inside");
        len += 1 + segment.len;
    }
    require(len == (path.len > 0 && path.data[0] == '/' ? path.len : 0), "a part was left out");
}

static void check_query(struct str query)
{
    struct str rest = query, name, value;
    size_t len = 0;

    while (http_query_next(&rest, &name, &value)) {
        require(name.len == 0 || !memchr(name.data, '=', name.len), "a '=' in a name");
        require(value.len == 0 || !memchr(value.data, '&', value.len), "a '&' in a value");
        len += name.len + value.len;
    }
    require(len <= query.len && rest.len == 0, "a wrong length");
}

static void check_decoding(struct str text, enum http_decoding decoding)
{
    size_t len = 0, again_len = 0;
    char *out = malloc(text.len + 1), *again = malloc(text.len + 1);

    if (!out || !again) abort();
    if (text.len > 0) memcpy(again, text.data, text.len);
    bool is_good = http_percent_decode(text, decoding, out, &len);
    bool is_good_again =
        http_percent_decode((struct str){again, text.len}, decoding, again, &again_len);
    require(is_good == is_good_again, "refused in one of two ways");
    if (is_good) {
        require(len <= text.len && len == again_len, "a wrong length");
        require(memcmp(out, again, len + 1) == 0, "in place, it is another text");
        require(strlen(out) == len, "a NUL inside");
    }
    free(out);
    free(again);
}

static void check_encoding(struct str text)
{
    char *encoded = malloc(3 * text.len + 1);
    size_t len = 0;

    if (!encoded) abort();
    for (size_t i = 0; i < text.len; i++)
        snprintf(encoded + 3 * i, 4, "%%%02X", (unsigned char)text.data[i]);
    bool is_good =
        http_percent_decode((struct str){encoded, 3 * text.len}, HTTP_DECODE_QUERY, encoded, &len);
    bool has_nul = text.len > 0 && memchr(text.data, '\0', text.len);
    require(is_good == !has_nul, "wrongly judged");
    if (is_good && len > 0) require(memcmp(encoded, text.data, len) == 0, "another text");
    free(encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};

    if (size > INPUT_MAX) return 0;
    check_path(text);
    check_query(text);
    check_decoding(text, HTTP_DECODE_PATH);
    check_decoding(text, HTTP_DECODE_QUERY);
    check_encoding(text);
    return 0;
}
