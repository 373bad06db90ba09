/* What this process applies at the moment: a few packages, so that a list will do. */
#include "domain/erp/erp_applying.h"

#include <pthread.h>
#include <stdlib.h>

struct erp_applying {
    pthread_mutex_t lock;
    struct erp_applied *first;
};

struct erp_applying *erp_applying_new(void)
{
    struct erp_applying *applying = calloc(1, sizeof(*applying));
    if (!applying) abort();
    pthread_mutex_init(&applying->lock, NULL);
    return applying;
}

void erp_applying_free(struct erp_applying *applying)
{
    if (!applying) return;
    assert(!applying->first);
    pthread_mutex_destroy(&applying->lock);
    free(applying);
}

void erp_applying_enter(struct erp_applying *applying, struct erp_applied *applied)
{
    pthread_mutex_lock(&applying->lock);
    applied->next = applying->first;
    applying->first = applied;
    pthread_mutex_unlock(&applying->lock);
}

void erp_applying_leave(struct erp_applying *applying, struct erp_applied *applied)
{
    pthread_mutex_lock(&applying->lock);
    struct erp_applied **at = &applying->first;
    while (*at != applied)
        at = &(*at)->next;
    *at = applied->next;
    pthread_mutex_unlock(&applying->lock);
}

bool erp_applying_find(struct erp_applying *applying, const struct uuid *integration_id,
                       int64_t receipt, int64_t *ret_rows_done)
{
    pthread_mutex_lock(&applying->lock);
    struct erp_applied *at = applying->first;
    while (at && (at->receipt != receipt || !uuid_equal(&at->integration_id, integration_id)))
        at = at->next;
    if (at) *ret_rows_done = atomic_load(&at->progress.rows_done);
    pthread_mutex_unlock(&applying->lock);
    return at != NULL;
}

bool erp_applying_is_empty(struct erp_applying *applying)
{
    pthread_mutex_lock(&applying->lock);
    bool is_empty = !applying->first;
    pthread_mutex_unlock(&applying->lock);
    return is_empty;
}

size_t erp_applying_list(struct erp_applying *applying,
                         struct erp_applied_rows ret_rows[static ERP_APPLYING_MAX])
{
    size_t count = 0;

    pthread_mutex_lock(&applying->lock);
    for (struct erp_applied *at = applying->first; at && count < ERP_APPLYING_MAX; at = at->next) {
        ret_rows[count++] = (struct erp_applied_rows){
            .integration_id = at->integration_id,
            .receipt = at->receipt,
            .attempts = at->attempts,
            .rows_done = atomic_load(&at->progress.rows_done),
        };
    }
    pthread_mutex_unlock(&applying->lock);
    return count;
}
