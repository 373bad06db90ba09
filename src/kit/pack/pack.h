/*
 * Stored bodies are compressed (zstd, level 1, with a checksum): packed as they arrive, unpacked as
 * a whole.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

/* Contexts are costly to make, so the pool keeps used ones for the next packs. Any thread may use
 * it. */
struct pack_pool;
struct pack_pool *pack_pool_new(void);
void pack_pool_free(struct pack_pool *pool); /* call it when all packs are done */

struct pack;

/* If it `is_large`, a thread of zstd's own compresses while the calling thread goes on. */
struct pack *pack_begin(struct pack_pool *pool, bool is_large);
/* Adds bytes, which need not outlive the call. Returns false, and takes no more, if the result has
 * passed PACK_MAX, or there is no memory for it. */
bool pack_add(struct pack *pack, struct str bytes);
/* Ends the pack and returns its bytes, borrowed until pack_done; their data is NULL where pack_add
 * would return false. */
struct str pack_finish(struct pack *pack);
/* Tells whether it took no more for lack of memory. */
bool pack_lacks_memory(const struct pack *pack);
/* Frees the pack; takes NULL. */
void pack_done(struct pack *pack);

enum { PACK_MAX = 64 * 1024 * 1024 };

/* Unpacks at most `max` bytes into an empty buf of at least that maximum. Returns ERR_INTERNAL if
 * they are damaged or more, ERR_OVERLOADED if there is no memory for them. The length of a large
 * pack is not known, so `max` is reserved at once; give the true length where you have it. */
enum err unpack(struct pack_pool *pool, struct str packed, size_t max, struct buf *out) MUST_CHECK;

/* Returns the version of zstd. */
const char *pack_library_version(void);
