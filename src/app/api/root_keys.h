/* The values of INTERNAL_API_KEY, each of which is the root key (contract, section 10.1). They may
 * be replaced while others ask, on any thread. */
#pragma once

#include "kit/base/secret.h"

#include <pthread.h>

enum { ROOT_KEYS_MAX = 2 };

struct root_keys {
    pthread_rwlock_t lock;
    struct secret keys[ROOT_KEYS_MAX]; /* no data: none */
};

void root_keys_init(struct root_keys *roots);
void root_keys_done(struct root_keys *roots);
/* Lets the values of a list separated by commas take the place of those that there are; they are
 * hidden in the log from then on. Returns false, and leaves all as it is, if the log can hide no
 * more. */
bool root_keys_replace(struct root_keys *roots, struct str list);
/* Compares with each of them, whichever is right, so that the time tells nothing. */
bool root_keys_have(struct root_keys *roots, struct str key);
