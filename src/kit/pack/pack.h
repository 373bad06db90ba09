/*
 * Compression of what is stored (zstd, level 1, with a checksum): packed as it arrives, unpacked as
 * a whole.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

/* Contexts are costly to make, so that those that are done with are kept for the next ones. Any
 * thread. */
struct pack_pool;
struct pack_pool *pack_pool_new(void);
void pack_pool_free(struct pack_pool *pool); /* all packs are done */

struct pack;

/* `is_large`: a thread of zstd's own compresses beside the caller's work. */
struct pack *pack_begin(struct pack_pool *pool, bool is_large);
/* Adds bytes, which may go when it returns. False: what came out has passed PACK_MAX, or there is
 * no memory for it; nothing more is taken. */
bool pack_add(struct pack *pack, struct str bytes);
/* The end: what is packed, borrowed until pack_done. Data NULL as above. */
struct str pack_finish(struct pack *pack);
/* Why nothing more was taken. */
bool pack_lacks_memory(const struct pack *pack);
/* Gives the context back; NULL is fine. */
void pack_done(struct pack *pack);

enum { PACK_MAX = 64 * 1024 * 1024 };

/* The bytes that were packed, at most `max`, into an empty buf of at least that maximum.
 * ERR_INTERNAL: damaged, or longer. ERR_OVERLOADED: there is no memory for them. Of what was packed
 * as large the length is not known: `max` is reserved at once, so give the true length where you
 * have it. */
enum err unpack(struct pack_pool *pool, struct str packed, size_t max, struct buf *out) MUST_CHECK;
