/* jansson as the judge; duplicate keys and \u0000 in values are allowed, as the reader's layer does
 * or decides by itself. */
#include "json_judge.h"

#include <jansson.h>

enum judgement json_judge(struct str text)
{
    /* jansson 2.14 loses a zero byte right behind a number and takes "0\0". */
    if (memchr(text.data, '\0', text.len)) return JUDGED_UNSOUND;

    json_error_t error;
    json_t *value = json_loadb(text.data, text.len,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);

    if (!value && json_error_code(&error) == json_error_numeric_overflow) return JUDGED_TOO_LARGE;
    if (!value) return JUDGED_UNSOUND;
    json_decref(value);
    return JUDGED_SOUND;
}
