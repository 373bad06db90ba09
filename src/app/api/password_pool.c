/* Two threads take from two queues. */
#include "app/api/password_pool.h"

#include "app/api/dispatch.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>
#include <sys/resource.h>

enum {
    THREADS = 2,
    QUEUE_MAX = 64,
    OF_ONE_ADDRESS_MAX = 4,
    NICE = 10,
};

struct queue {
    struct dispatch *rows[QUEUE_MAX]; /* oldest first */
    int count;
};

/* The first thread serves both queues, the second one the first queue alone. */
struct hasher {
    struct password_pool *pool;
    pthread_t thread;
    bool is_for_strangers;
};

struct password_pool {
    void (*run)(struct dispatch *ex);
    void (*refuse)(struct dispatch *ex, enum err err);
    struct hasher hashers[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_stopping;
    struct queue known, strangers;
};

static bool is_of_address(const struct dispatch *ex, const struct http_source *source)
{
    struct http_source other = http_source_of(&ex->address);
    return memcmp(&other, source, sizeof(other)) == 0;
}

bool password_pool_add(struct password_pool *pool, struct dispatch *ex)
{
    struct http_source source = http_source_of(&ex->address);
    struct queue *queue = ex->rq.password->goes_first ? &pool->known : &pool->strangers;
    int of_address = 0;

    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < queue->count; i++)
        of_address += is_of_address(queue->rows[i], &source);
    bool is_taken =
        queue->count < QUEUE_MAX && of_address < OF_ONE_ADDRESS_MAX && !pool->is_stopping;
    if (is_taken) {
        queue->rows[queue->count++] = ex;
        pthread_cond_broadcast(&pool->is_woken);
    }
    pthread_mutex_unlock(&pool->lock);
    return is_taken;
}

/* Under the lock. NULL: there is none. */
static struct dispatch *take(struct queue *queue)
{
    if (queue->count == 0) return NULL;
    struct dispatch *ex = queue->rows[0];
    queue->count--;
    memmove(&queue->rows[0], &queue->rows[1], (size_t)queue->count * sizeof(queue->rows[0]));
    return ex;
}

/* Waits for the next one; NULL: it is over. */
static struct dispatch *await_next(struct hasher *hasher)
{
    struct password_pool *pool = hasher->pool;
    struct dispatch *ex = NULL;

    pthread_mutex_lock(&pool->lock);
    while (!pool->is_stopping) {
        ex = take(&pool->known);
        if (!ex && hasher->is_for_strangers) ex = take(&pool->strangers);
        if (ex) break;
        pthread_cond_wait(&pool->is_woken, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return ex;
}

static void hash(struct password_work *password)
{
    password->is_right = password->is_to_match
                             ? password_matches(password->hash, password->password)
                             : password_hash(password->password, password->hash);
    password->is_done = true;
}

static void *hash_again_and_again(void *arg)
{
    struct hasher *hasher = arg;
    struct dispatch *ex;

    /* On Linux that is the thread's own; where it fails, the thread is merely as any other. */
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    while ((ex = await_next(hasher))) {
        hash(ex->rq.password);
        hasher->pool->run(ex);
    }
    return NULL;
}

struct password_pool *password_pool_start(void (*run)(struct dispatch *ex),
                                          void (*refuse)(struct dispatch *ex, enum err err))
{
    struct password_pool *pool = must_calloc(1, sizeof(*pool));

    pool->run = run;
    pool->refuse = refuse;
    pthread_mutex_init(&pool->lock, NULL);
    thread_cond_init(&pool->is_woken);
    for (int i = 0; i < THREADS; i++) {
        pool->hashers[i] = (struct hasher){.pool = pool, .is_for_strangers = i == 0};
        thread_start(&pool->hashers[i].thread, "passwords", hash_again_and_again,
                     &pool->hashers[i]);
    }
    return pool;
}

static void drop(struct password_pool *pool, struct queue *queue)
{
    struct dispatch *ex;

    while ((ex = take(queue)))
        pool->refuse(ex, ERR_OVERLOADED);
}

void password_pool_stop(struct password_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->is_stopping = true;
    pthread_cond_broadcast(&pool->is_woken);
    drop(pool, &pool->known);
    drop(pool, &pool->strangers);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool->hashers[i].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->is_woken);
    free(pool);
}
