/* Each kind of refusal has a row with its second and two counts. */
#include "app/api/refusals.h"

#include "kit/base/must.h"

#include <pthread.h>
#include <stdlib.h>

const char *const refused_words[] = {"core", "phone", "erp", "unknown", NULL};

struct row {
    int64_t since_ms; /* its second began then */
    int told;         /* so many have had an entry within it */
    int64_t left_out; /* so many have had none since the last entry */
};

struct refusals {
    pthread_mutex_t lock;
    int64_t left_out; /* of all rows */
    struct row rows[REFUSED_COUNT][ERR_COUNT];
};

struct refusals *refusals_new(void)
{
    struct refusals *refusals = must_calloc(1, sizeof(*refusals));
    pthread_mutex_init(&refusals->lock, NULL);
    return refusals;
}

void refusals_free(struct refusals *refusals)
{
    if (!refusals) return;
    pthread_mutex_destroy(&refusals->lock);
    free(refusals);
}

static bool is_over(const struct row *row, int64_t now_ms)
{
    return now_ms - row->since_ms >= REFUSALS_SECOND_MS;
}

static int64_t take(struct refusals *refusals, struct row *row)
{
    int64_t left_out = row->left_out;
    refusals->left_out -= left_out;
    row->left_out = 0;
    return left_out;
}

bool refusals_add(struct refusals *refusals, enum refused client, enum err err, int64_t now_ms,
                  int64_t *ret_left_out)
{
    pthread_mutex_lock(&refusals->lock);
    struct row *row = &refusals->rows[client][err];
    if (row->told == 0 || is_over(row, now_ms)) {
        row->since_ms = now_ms;
        row->told = 0;
    }
    bool is_told = row->told < REFUSALS_PER_SECOND;
    if (is_told) {
        row->told++;
        *ret_left_out = take(refusals, row);
    } else {
        row->left_out++;
        refusals->left_out++;
    }
    pthread_mutex_unlock(&refusals->lock);
    return is_told;
}

/* Returns a row with refusals that had no entry; NULL if there is none. The lock is held. */
static struct row *find_left_out(struct refusals *refusals, int64_t now_ms, bool is_last)
{
    struct row *rows = &refusals->rows[0][0];

    for (int i = 0; refusals->left_out > 0 && i < REFUSED_COUNT * ERR_COUNT; i++) {
        if (rows[i].left_out > 0 && (is_last || is_over(&rows[i], now_ms))) return &rows[i];
    }
    return NULL;
}

bool refusals_take_left_out(struct refusals *refusals, int64_t now_ms, bool is_last,
                            struct refusals_left_out *ret_left_out)
{
    pthread_mutex_lock(&refusals->lock);
    struct row *row = find_left_out(refusals, now_ms, is_last);
    if (row) {
        int index = (int)(row - &refusals->rows[0][0]);
        *ret_left_out = (struct refusals_left_out){
            (enum refused)(index / ERR_COUNT), (enum err)(index % ERR_COUNT), take(refusals, row)};
    }
    pthread_mutex_unlock(&refusals->lock);
    return row;
}
