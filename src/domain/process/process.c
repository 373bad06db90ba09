/* A beat writes the row of its own process and then notes store time, for which two of them wait a
 * moment. A start writes the rows of others, too. */
#include "domain/process/process.h"

#include "core/store_clock.h"
#include "domain/process/process_db.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

const char *const process_verb_words[] = {"serve", "api", "worker", "idp", NULL};
const char *const process_state_words[] = {"living", "lost", NULL};

void own_process_init(struct own_process *own, enum process_verb verb, const char *build,
                      int64_t now_ms)
{
    *own = (struct own_process){.id = uuid_new(now_ms),
                                .pid = getpid(),
                                .verb = verb,
                                .build = build,
                                .started_at = now_ms,
                                .beaten_at_ms = INT64_MIN};
    atomic_init(&own->due_at_ms, INT64_MIN);
    pthread_mutex_init(&own->lock, NULL);
    thread_cond_init(&own->is_done);
    if (gethostname(own->host, PROCESS_HOST_MAX)) own->host[0] = '\0';
}

/* --- Signs of life ---------------------------------------------------------------------------- */

/* In a container a process may have the number that the one before it had: that one has ended. */
static bool is_running(const struct own_process *own, int64_t pid)
{
    return pid != own->pid && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static bool was_lost(const struct own_process *own)
{
    return own->beaten_at_ms == INT64_MIN || own->sign_at_ms - own->beaten_at_ms >= PROCESS_LOST_MS;
}

static bool is_worker(const struct own_process *own)
{
    return own->verb == VERB_SERVE || own->verb == VERB_WORKER;
}

/* Of several that come back at once, the first one finds that no other runs. */
static enum err find_gap(struct db_tx *tx, const struct own_process *own, int64_t now_ms,
                         bool *ret_is_gap)
{
    struct process_beside rows[PROCESSES_MAX];
    size_t count = 0;

    enum err err =
        process_select_workers(tx, own, now_ms - PROCESS_LOST_MS, PROCESSES_MAX, rows, &count);
    *ret_is_gap = !err;
    for (size_t i = 0; !err && i < count; i++)
        if (!rows[i].is_here || is_running(own, rows[i].pid)) *ret_is_gap = false;
    return err;
}

/* The time is read at the moment of writing, since the transaction may have waited for long. */
static enum err write_sign(void *arg, struct db_tx *tx)
{
    struct own_process *own = arg;
    int64_t now_ms = clock_now_ms();
    bool is_gap = false;

    own->sign_at_ms = clock_monotonic_ms();
    bool has_come = is_worker(own) && was_lost(own);
    enum err err = has_come ? find_gap(tx, own, now_ms, &is_gap) : ERR_OK;
    if (!err) err = process_write(tx, own, now_ms, is_gap);
    return err ? err : store_clock_note(tx, now_ms);
}

/* Signs of life are seconds apart, so nothing else would tell whether this process began in the
 * place of another one or while that one ran (contract, section 11.9: process_gone). */
static enum err write_first_sign(void *arg, struct db_tx *tx)
{
    const struct own_process *own = arg;
    struct process_beside rows[PROCESSES_MAX];
    int64_t now_ms = clock_now_ms();
    size_t count = 0;

    enum err err =
        process_select_beside(tx, own, now_ms - PROCESS_LOST_MS, PROCESSES_MAX, rows, &count);
    for (size_t i = 0; !err && i < count; i++) {
        if (is_running(own, rows[i].pid)) err = process_touch(tx, &rows[i].id, now_ms);
    }
    return err ? err : write_sign(arg, tx);
}

static enum err run_beat(struct db_task *task, struct db_tx *tx)
{
    return write_sign(CONTAINER_OF(task, struct own_process, beat), tx);
}

static void tell_failure(struct own_process *own, enum err err)
{
    atomic_store(&own->due_at_ms, clock_monotonic_ms() + PROCESS_RETRY_MS);
    log_write(LOG_WARNING, "the process could not write that it lives",
              LOG_FIELDS(log_plain("error", err_info(err)->code)));
}

static void end_beat(struct db_task *task, enum err err)
{
    struct own_process *own = CONTAINER_OF(task, struct own_process, beat);

    if (err)
        tell_failure(own, err);
    else
        own->beaten_at_ms = own->sign_at_ms;
    pthread_mutex_lock(&own->lock);
    own->is_beating = false;
    pthread_cond_broadcast(&own->is_done);
    pthread_mutex_unlock(&own->lock);
}

/* Returns false while an earlier beat is under way. */
static bool begin_beat(struct own_process *own)
{
    pthread_mutex_lock(&own->lock);
    bool begins = !own->is_beating;
    own->is_beating = true;
    pthread_mutex_unlock(&own->lock);
    return begins;
}

void process_sign_on(struct service *service)
{
    struct own_process *own = service->process;
    if (!own) return;
    atomic_store(&own->due_at_ms, clock_monotonic_ms() + PROCESS_BEAT_MS);
    enum err err = db_run(service->verification, false, write_first_sign, own);
    if (err)
        tell_failure(own, err);
    else
        own->beaten_at_ms = own->sign_at_ms;
}

void process_beat(struct service *service)
{
    struct own_process *own = service->process;
    if (!own) return;
    int64_t now_ms = clock_monotonic_ms(), due_at_ms = atomic_load(&own->due_at_ms);
    bool is_mine =
        now_ms >= due_at_ms &&
        atomic_compare_exchange_strong(&own->due_at_ms, &due_at_ms, now_ms + PROCESS_BEAT_MS);
    /* Else it is not due, another thread has it written, or the last one is still under way. */
    if (!is_mine || !begin_beat(own)) return;

    own->beat = (struct db_task){.run = run_beat, .done = end_beat, .is_bounded = true};
    enum err err = db_submit(service->verification, &own->beat);
    if (err) end_beat(&own->beat, err);
}

static void await_beat(struct own_process *own)
{
    pthread_mutex_lock(&own->lock);
    while (own->is_beating)
        pthread_cond_wait(&own->is_done, &own->lock);
    pthread_mutex_unlock(&own->lock);
}

static enum err sign_off(void *arg, struct db_tx *tx)
{
    const struct own_process *own = arg;
    return process_delete(tx, &own->id);
}

void process_sign_off(struct service *service)
{
    if (!service->process || !service->verification) return;
    await_beat(service->process);
    enum err err = db_run(service->verification, false, sign_off, service->process);
    if (err)
        log_write(LOG_WARNING, "the process could not sign off; it will be shown as lost",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
}

/* --- The list --------------------------------------------------------------------------------- */

static enum process_state state_of(const struct process *process, int64_t now_ms)
{
    return process->last_beat_at < now_ms - PROCESS_LOST_MS ? PROCESS_LOST : PROCESS_LIVING;
}

/* An id begins with the time of the start. */
static int compare_ids(const void *a, const void *b)
{
    const struct process *left = a, *right = b;
    return memcmp(&left->id, &right->id, sizeof(left->id));
}

enum err process_list(struct work *work, struct process_list *ret_list)
{
    const struct own_process *own = work->service->process;
    struct process *rows;
    size_t count;

    enum err err = process_select(work, PROCESSES_MAX, &rows, &count);
    if (err) return err;
    for (size_t i = 0; i < count; i++) {
        rows[i].state = (int)state_of(&rows[i], work->now_ms);
        rows[i].answering = own && memcmp(&rows[i].id, &own->id, sizeof(own->id)) == 0;
    }
    if (count > 1) qsort(rows, count, sizeof(*rows), compare_ids);
    *ret_list = (struct process_list){{rows, count}};
    return ERR_OK;
}

enum err process_confirm(struct work *work, int64_t epoch)
{
    const struct own_process *own = work->service->process;
    return own ? process_set_epoch(work->tx, &own->id, epoch) : ERR_OK;
}

enum err process_is_confirmed(struct work *work, int64_t epoch, bool *ret_is_confirmed)
{
    bool is_behind = true;
    enum err err = process_find_behind(work->tx, epoch, work->now_ms - PROCESS_LOST_MS, &is_behind);
    *ret_is_confirmed = !is_behind;
    return err;
}

enum err process_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return process_delete_old(work->tx, work->now_ms - PROCESS_KEPT_MS, max, ret_swept);
}
