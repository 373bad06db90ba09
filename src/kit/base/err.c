/* The error table as data. */
#include "kit/base/err.h"

static const struct err_info err_rows[ERR_COUNT] = {
#define ERR(name, status, code, sentence) {#name, status, code, sentence},
#include "errors.def"
#undef ERR
};

const struct err_info *err_info(enum err err)
{
    assert((unsigned)err < ERR_COUNT);
    return &err_rows[err];
}
