/*
 * Ids and words of others. Whatever stands in one, its mask fits where the log puts it, and no run
 * of 7 digits in a row is left of words.
 */
#include "kit/base/mask.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUN_MIN = 7 };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void mask_one(struct str text, mask_fn mask, struct buf *out)
{
    buf_init(out, text.len + MASK_LEN_MAX);
    bool is_masked = mask(text, out);
    require(!out->is_full, "more than there is room for");
    require(is_masked || out->len == 0, "written, though nothing is hidden");
    if (!is_masked) buf_append(out, text.data, text.len);
}

static void require_hidden(struct str text)
{
    size_t run = 0;

    for (size_t i = 0; i < text.len; i++) {
        run = str_is_digit(text.data[i]) ? run + 1 : 0;
        require(run < RUN_MIN, "a number is readable");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = {(const char *)data, size};
    AUTO_BUF id = {0}, words = {0}, secrets = {0};

    mask_one(input, mask_id, &id);
    mask_one(input, mask_secrets, &secrets);
    mask_one(input, mask_words, &words);
    require_hidden(buf_view(&words));
    return 0;
}
