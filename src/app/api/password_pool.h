/*
 * Passwords are hashed here (contract, section 18.3): at most two at once, on threads that give way
 * to all others, behind no event thread and in no transaction. Those of strangers wait for one of
 * the two threads. Whoever has logged in from an address before, or has a link, goes first, and has
 * the other thread to themselves; so no flood of wrong passwords keeps a right one waiting. Each
 * queue is bounded, and so is what one address may have in it.
 */
#pragma once

#include "kit/base/err.h"

#include <stdbool.h>

struct dispatch;
struct password_pool;

/* `run` runs a request again whose password was hashed; `refuse` answers one that is not. */
struct password_pool *password_pool_start(void (*run)(struct dispatch *ex),
                                          void (*refuse)(struct dispatch *ex, enum err err));
/* Answers what still waits with ERR_OVERLOADED, and ends. Comes before the stores are closed. NULL
 * is fine. */
void password_pool_stop(struct password_pool *pool);
/* Takes a request that is held and has a password to hash; it is run again then. Returns false if
 * too many wait. */
bool password_pool_add(struct password_pool *pool, struct dispatch *ex);
