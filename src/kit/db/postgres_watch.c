/*
 * The watch knows whether the server answers. The lookout's connection asks it every half second
 * for nothing: no table, no lock, no disk. So a server that is busy, or holds up one statement for
 * long, is not taken for one that hangs. Once it hangs, all connections to it are known to be dead
 * at once, and not each by a timeout of its own.
 */
#include "kit/base/clock.h"
#include "kit/db/postgres.h"

void pg_watch_ask(struct pg_watch *watch)
{
    int64_t none = 0;
    atomic_compare_exchange_strong(&watch->asked_at_ms, &none, clock_monotonic_ms());
}

void pg_watch_hear(struct pg_watch *watch)
{
    atomic_store(&watch->asked_at_ms, 0);
}

void pg_watch_hear_of_other(struct pg_watch *watch)
{
    int64_t asked_at_ms = atomic_load(&watch->asked_at_ms);
    if (asked_at_ms == 0) return;
    atomic_compare_exchange_strong(&watch->asked_at_ms, &asked_at_ms, clock_monotonic_ms());
}

bool pg_watch_tick(struct pg_watch *watch, int64_t now_ms)
{
    int64_t asked_at_ms = atomic_load(&watch->asked_at_ms);
    bool is_silent = asked_at_ms != 0 && now_ms - asked_at_ms >= watch->silence_ms;
    bool was_silent = atomic_exchange(&watch->is_silent, is_silent);

    if (is_silent) atomic_store(&watch->silent_at_ms, now_ms);
    if (is_silent && !was_silent)
        db_log(true, "PostgreSQL does not answer; its connections are given up.", NULL);
    if (!is_silent && was_silent) db_log(false, "PostgreSQL answers again.", NULL);
    return is_silent && !was_silent;
}

bool pg_watch_has_condemned(const struct pg_watch *watch, int64_t opened_at_ms)
{
    return opened_at_ms <= atomic_load(&watch->silent_at_ms);
}
