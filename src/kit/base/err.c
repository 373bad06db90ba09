/* The rows of errors.def become an array here. */
#include "kit/base/err.h"

#include <stddef.h>

static const struct err_info err_rows[ERR_COUNT] = {
#define ERR(name, status, code, sentence)                 {#name, status, code, NULL, sentence},
#define ERR_BECAUSE(name, status, code, reason, sentence) {#name, status, code, reason, sentence},
#include "errors.def"
#undef ERR
#undef ERR_BECAUSE
};

const struct err_info *err_info(enum err err)
{
    assert((unsigned)err < ERR_COUNT);
    return &err_rows[err];
}
