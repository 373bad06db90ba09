/*
 * There are two ways to pack. Short bodies are gathered and packed at the end in one go: that is
 * fastest, and needs a context for some microseconds only. Bodies that are large, or turn out to
 * be, are streamed through a context with a thread of its own, so that the calling thread only
 * copies.
 */
#include "kit/pack/pack.h"

#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createCCtx_advanced, which the shared library has */
#include <zstd.h>

enum {
    LEVEL = 1,
    GATHERED_MAX = 128 * 1024, /* packed in one go in less than a millisecond */
    JOB_SIZE = 512 * 1024,     /* the thread takes so much at a time; zstd's smallest */
    ROOM_MIN = 128 * 1024,     /* free room for the thread's output */
    GATHERED_KEPT = 4,         /* contexts in the pool, at most 0.6 MB each */
    STREAMED_KEPT = 2,         /* 3 MB each, and a thread */
    UNPACKERS_KEPT = 4,        /* 0.1 MB each */
    SMALL_MAX = 64 * 1024,     /* memory of zstd that is not for bytes to pack */
};

/* Contexts of one kind that are not in use. */
struct idle {
    ZSTD_CCtx *contexts[GATHERED_KEPT];
    size_t count, max;
};

struct pack_pool {
    pthread_mutex_t mutex;
    struct idle gathered, streamed;
    ZSTD_DCtx *unpackers[UNPACKERS_KEPT];
    size_t unpacker_count;
};

static_assert((int)STREAMED_KEPT <= (int)GATHERED_KEPT, "one holds both");

struct pack {
    struct pack_pool *pool;
    ZSTD_CCtx *stream; /* NULL: the bytes are gathered */
    struct buf gathered;
    struct buf out;
    bool is_full;
    bool lacks_memory; /* the reason why it is_full */
    bool has_ended;    /* all bytes went through the stream */
};

/* --- The pool --- */

struct pack_pool *pack_pool_new(void)
{
    struct pack_pool *pool = must_calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pool->gathered.max = GATHERED_KEPT;
    pool->streamed.max = STREAMED_KEPT;
    return pool;
}

static void idle_done(struct idle *idle)
{
    while (idle->count)
        ZSTD_freeCCtx(idle->contexts[--idle->count]);
}

void pack_pool_free(struct pack_pool *pool)
{
    if (!pool) return;
    idle_done(&pool->gathered);
    idle_done(&pool->streamed);
    while (pool->unpacker_count)
        ZSTD_freeDCtx(pool->unpackers[--pool->unpacker_count]);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

static void set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
    size_t code = ZSTD_CCtx_setParameter(context, parameter, value);
    assert(!ZSTD_isError(code));
}

/* libzstd 1.5.4 crashes where it finds no memory for the list of its jobs, as it frees the rest.
 * Such small memory is of the kind that herald cannot go on without; for the large it can refuse.
 */
static void *allocate(void *opaque, size_t size)
{
    (void)opaque;
    return size <= SMALL_MAX ? must_malloc(size) : may_malloc(size);
}

static void release(void *opaque, void *memory)
{
    (void)opaque;
    free(memory);
}

/* Returns NULL if there is no memory for it. */
static ZSTD_CCtx *context_new(bool is_streamed)
{
    ZSTD_CCtx *context = ZSTD_createCCtx_advanced((ZSTD_customMem){allocate, release, NULL});
    if (!context) return NULL;
    set(context, ZSTD_c_compressionLevel, LEVEL);
    set(context, ZSTD_c_checksumFlag, 1);
    /* A libzstd that was built without threads refuses this, and packs on the calling thread. */
    if (is_streamed && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 1)))
        set(context, ZSTD_c_jobSize, JOB_SIZE);
    return context;
}

static ZSTD_CCtx *context_take(struct pack_pool *pool, bool is_streamed)
{
    struct idle *idle = is_streamed ? &pool->streamed : &pool->gathered;
    pthread_mutex_lock(&pool->mutex);
    ZSTD_CCtx *context = idle->count ? idle->contexts[--idle->count] : NULL;
    pthread_mutex_unlock(&pool->mutex);
    return context ? context : context_new(is_streamed);
}

static void context_give(struct pack_pool *pool, bool is_streamed, ZSTD_CCtx *context)
{
    struct idle *idle = is_streamed ? &pool->streamed : &pool->gathered;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only); /* parameters stay */
    pthread_mutex_lock(&pool->mutex);
    bool is_kept = idle->count < idle->max;
    if (is_kept) idle->contexts[idle->count++] = context;
    pthread_mutex_unlock(&pool->mutex);
    if (!is_kept) ZSTD_freeCCtx(context);
}

/* --- Large bodies --- */

static void give_up(struct pack *pack)
{
    pack->is_full = pack->lacks_memory = true;
}

static bool has_room(struct pack *pack)
{
    size_t len = pack->out.len;

    if (pack->out.capacity - len >= ROOM_MIN) return true;
    if (!buf_reserve(&pack->out, ROOM_MIN)) return false;
    pack->out.len = len;
    return true;
}

/* Gives the stream bytes, and takes those that it has packed; returns zstd's code. With
 * ZSTD_e_continue it waits only while the thread is some pieces behind. It fails only for lack of
 * memory. */
static size_t stream_step(struct pack *pack, ZSTD_inBuffer *in, ZSTD_EndDirective end)
{
    if (!has_room(pack)) {
        give_up(pack);
        return 1;
    }
    ZSTD_outBuffer out = {pack->out.data, pack->out.capacity, pack->out.len};
    size_t code = ZSTD_compressStream2(pack->stream, &out, in, end);
    if (ZSTD_isError(code)) give_up(pack);
    pack->out.len = out.pos;
    if (out.pos > PACK_MAX) pack->is_full = true;
    return code;
}

static void stream_add(struct pack *pack, struct str bytes)
{
    ZSTD_inBuffer in = {bytes.data, bytes.len, 0};
    while (in.pos < in.size && !pack->is_full)
        stream_step(pack, &in, ZSTD_e_continue);
}

/* --- Short bodies --- */

static void stream_begin(struct pack *pack)
{
    pack->stream = context_take(pack->pool, true);
    if (pack->stream)
        stream_add(pack, buf_view(&pack->gathered));
    else
        give_up(pack);
    buf_done(&pack->gathered);
}

static void pack_gathered(struct pack *pack)
{
    struct buf *in = &pack->gathered;
    size_t room = ZSTD_compressBound(in->len);
    char *to = buf_reserve(&pack->out, room);
    ZSTD_CCtx *context = to ? context_take(pack->pool, false) : NULL;
    if (!context) {
        give_up(pack);
        return;
    }
    size_t len = ZSTD_compress2(context, to, room, in->data, in->len);
    context_give(pack->pool, false, context);
    if (ZSTD_isError(len)) give_up(pack); /* it fails only for lack of memory */
    pack->out.len = pack->lacks_memory ? 0 : len;
    buf_done(in);
}

/* --- A pack --- */

struct pack *pack_begin(struct pack_pool *pool, bool is_large)
{
    struct pack *pack = must_calloc(1, sizeof *pack);
    pack->pool = pool;
    buf_init(&pack->gathered, GATHERED_MAX);
    buf_init_large(&pack->out, PACK_MAX + ROOM_MIN);
    if (is_large) stream_begin(pack);
    return pack;
}

bool pack_add(struct pack *pack, struct str bytes)
{
    if (pack->is_full) return false;
    if (!pack->stream && pack->gathered.len + bytes.len > GATHERED_MAX) stream_begin(pack);
    if (pack->is_full) return false;
    if (pack->stream)
        stream_add(pack, bytes);
    else
        buf_str(&pack->gathered, bytes);
    return !pack->is_full;
}

struct str pack_finish(struct pack *pack)
{
    ZSTD_inBuffer nothing = {0};
    while (pack->stream && !pack->is_full && !pack->has_ended)
        pack->has_ended = stream_step(pack, &nothing, ZSTD_e_end) == 0;
    if (!pack->stream && !pack->is_full) pack_gathered(pack);
    return pack->is_full ? (struct str){NULL, 0} : buf_view(&pack->out);
}

bool pack_lacks_memory(const struct pack *pack)
{
    return pack->lacks_memory;
}

void pack_done(struct pack *pack)
{
    if (!pack) return;
    /* A context that has not ended is not used again: zstd 1.5.4 crashes where one begins anew
     * while its thread is still at work. Freeing waits for the thread. */
    if (pack->has_ended)
        context_give(pack->pool, true, pack->stream);
    else
        ZSTD_freeCCtx(pack->stream);
    buf_done(&pack->gathered);
    buf_done(&pack->out);
    free(pack);
}

/* --- Unpacking --- */

/* Returns NULL if there is no memory for it. */
static ZSTD_DCtx *unpacker_take(struct pack_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    ZSTD_DCtx *unpacker = pool->unpacker_count ? pool->unpackers[--pool->unpacker_count] : NULL;
    pthread_mutex_unlock(&pool->mutex);
    if (!unpacker) unpacker = ZSTD_createDCtx();
    return unpacker;
}

static void unpacker_give(struct pack_pool *pool, ZSTD_DCtx *unpacker)
{
    pthread_mutex_lock(&pool->mutex);
    bool is_kept = pool->unpacker_count < UNPACKERS_KEPT;
    if (is_kept) pool->unpackers[pool->unpacker_count++] = unpacker;
    pthread_mutex_unlock(&pool->mutex);
    if (!is_kept) ZSTD_freeDCtx(unpacker);
}

enum err unpack(struct pack_pool *pool, struct str packed, size_t max, struct buf *out)
{
    assert(out->len == 0 && out->max >= max);
    unsigned long long told = ZSTD_getFrameContentSize(packed.data, packed.len);
    if (told == ZSTD_CONTENTSIZE_UNKNOWN) told = max; /* it was streamed */
    if (told > max) return ERR_INTERNAL; /* ZSTD_CONTENTSIZE_ERROR is greater than any */

    char *to = buf_reserve(out, told);
    bool has_room = to || told == 0;
    ZSTD_DCtx *unpacker = has_room ? unpacker_take(pool) : NULL;
    if (!unpacker) return ERR_OVERLOADED;
    size_t len = ZSTD_decompressDCtx(unpacker, to, told, packed.data, packed.len);
    unpacker_give(pool, unpacker);
    out->len = ZSTD_isError(len) ? 0 : len;
    return ZSTD_isError(len) ? ERR_INTERNAL : ERR_OK;
}

const char *pack_library_version(void)
{
    return ZSTD_versionString();
}
