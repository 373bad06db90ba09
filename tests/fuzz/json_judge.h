/* The judge tells what jansson says of a text. It stands behind a wall of its own, since its names
 * meet those of kit/json. */
#pragma once

#include "kit/base/str.h"

enum judgement {
    JUDGED_SOUND,
    JUDGED_UNSOUND,
    JUDGED_TOO_LARGE, /* sound, but a number does not fit a double */
};

enum judgement json_judge(struct str text);
