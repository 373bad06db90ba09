/* The secret key is replaced while herald runs (contract, section 10.4). */
#pragma once

#include "app/setup/key_watch.h"
#include "kit/json/record.h"

/* The status says how the secret key stands. Its ids are no secrets. */
struct secret_key_status {
    int state;               /* enum key_change */
    const char *key_id;      /* of the key that seals now; NULL: herald 0.5.0 may still seal */
    const char *next_key_id; /* of the one that replaces it, or could; NULL: none */
    const char *old_key_id;  /* of the one before it, while values may be sealed under it */
    int64_t since;           /* the key seals since then; 0: not known */
    int64_t columns_done, columns_total;
};
extern const struct record secret_key_record;
