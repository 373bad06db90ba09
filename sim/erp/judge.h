/* The judge says what an ERP that keeps to the letter of the exchange takes as an order. */
#pragma once

#include "kit/base/arena.h"

struct judged_order {
    const char *id, *point_id, *number;
};

/* NULL: `body` is an order, and its id is `key`; else the sentence that says why not. */
const char *judge_order(struct str body, const char *key, struct arena *arena,
                        struct judged_order *ret_order);
