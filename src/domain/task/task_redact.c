/* Digits and keys are masked; words stay. */
#include "domain/task/task_redact.h"

#include <string.h>

/* How long the word or number at `text` is: letters and digits with what stands inside keys and
 * between the digits of a number. `ret_digits`: how many digits it has. */
static size_t run_length(const char *text, int *ret_digits)
{
    size_t len = 0, end = 0;

    *ret_digits = 0;
    for (; text[len]; len++) {
        bool is_digit = text[len] >= '0' && text[len] <= '9';
        bool is_letter = (text[len] >= 'a' && text[len] <= 'z') ||
                         (text[len] >= 'A' && text[len] <= 'Z') || text[len] == '_';
        bool is_joint = strchr(" -().+", text[len]) && len > 0;
        if (!is_digit && !is_letter && !is_joint) break;
        /* A space joins digits only: words are words. */
        if (text[len] == ' ' && !(text[len + 1] >= '0' && text[len + 1] <= '9')) break;
        *ret_digits += is_digit;
        if (!is_joint) end = len + 1;
    }
    return end;
}

const char *task_redact(struct arena *arena, const char *text)
{
    enum { DIGITS_MAX = 3, WORD_MAX = 24, MASK_LEN = 3 };
    if (!text) return NULL;

    char *kept = arena_alloc(arena, strlen(text) * MASK_LEN + 1);
    size_t out = 0;
    for (size_t i = 0; text[i];) {
        int digits;
        size_t run = run_length(text + i, &digits);
        /* A key is long and mixed; a long word of letters alone is a word. */
        bool is_hidden = digits > DIGITS_MAX || (run > WORD_MAX && digits > 0);
        if (run == 0) run = 1;
        memcpy(kept + out, is_hidden ? "***" : text + i, is_hidden ? MASK_LEN : run);
        out += is_hidden ? MASK_LEN : run;
        i += run;
    }
    return kept;
}
