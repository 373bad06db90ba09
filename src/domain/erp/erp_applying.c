/* The packages that this process applies at the moment are few, so a list will do. */
#include "domain/erp/erp_applying.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

struct aside {
    struct uuid integration_id;
    int64_t until_ms; /* monotonic */
};

struct erp_applying {
    pthread_mutex_t lock;
    struct erp_applied *first;
    struct aside asides[ERP_ASIDE_MAX];
};

struct erp_applying *erp_applying_new(void)
{
    struct erp_applying *applying = must_calloc(1, sizeof(*applying));
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

/* --- Set aside -------------------------------------------------------------------------------- */

/* The place that this integration has already, or else the one whose time ends first. */
static struct aside *aside_place(struct erp_applying *applying, const struct uuid *integration_id)
{
    struct aside *place = applying->asides;

    for (size_t i = 0; i < ERP_ASIDE_MAX; i++) {
        struct aside *aside = &applying->asides[i];
        if (uuid_equal(&aside->integration_id, integration_id)) return aside;
        if (aside->until_ms < place->until_ms) place = aside;
    }
    return place;
}

void erp_applying_set_aside(struct erp_applying *applying, const struct uuid *integration_id,
                            int64_t until_ms)
{
    pthread_mutex_lock(&applying->lock);
    *aside_place(applying, integration_id) = (struct aside){*integration_id, until_ms};
    pthread_mutex_unlock(&applying->lock);
}

size_t erp_applying_list_aside(struct erp_applying *applying,
                               struct uuid ret_ids[static ERP_ASIDE_MAX])
{
    int64_t now_ms = clock_monotonic_ms();
    size_t count = 0;

    pthread_mutex_lock(&applying->lock);
    for (size_t i = 0; i < ERP_ASIDE_MAX; i++) {
        const struct aside *aside = &applying->asides[i];
        if (now_ms < aside->until_ms) ret_ids[count++] = aside->integration_id;
    }
    pthread_mutex_unlock(&applying->lock);
    return count;
}
