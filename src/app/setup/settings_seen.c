/*
 * A start is compared with the last one of the same process: same verb, machine and HERALD_LISTEN.
 * One that is not known, as in a container with a new name, is compared with the newest of its
 * verb. Starts take turns by the head of the audit, so of several with the same settings the first
 * leaves the record, and the others find that it has told already.
 */
#include "app/setup/settings_seen.h"

#include "app/setup/config_settings.h"
#include "app/setup/settings_seen_db.h"
#include "core/audit.h"
#include "domain/process/process.h"
#include "kit/base/clock.h"

#define LISTEN "HERALD_LISTEN"

/* --- What a process is started with ----------------------------------------------------------- */

static_assert((int)SECRET_HASH_LEN == (int)AUDIT_HASH_LEN, "one function writes both");

static const char *hash_text(struct str value, const struct vault *vault, struct arena *arena)
{
    uint8_t hash[SECRET_HASH_LEN];
    char *text = arena_alloc(arena, AUDIT_HASH_TEXT_LEN + 1);

    vault_fingerprint(vault, value, hash);
    audit_hash_text((struct str){(const char *)hash, sizeof(hash)}, text);
    return text;
}

/* The name goes into the hash, so that two settings do not show that they have one secret. */
static const char *mark_of(const char *name, struct str value, const struct vault *vault,
                           struct arena *arena)
{
    const char *text = arena_printf(arena, "setting %s=%s", name, hash_text(value, vault, arena));
    return hash_text(str_of(text), vault, arena);
}

/* Returns what a setting has beside that which is shown of it; no data: nothing. */
static struct str unseen_of(const struct config *config, const struct setting *setting)
{
    const void *value = (const char *)config + setting->offset;
    const struct secret *secret = value;

    switch (setting->type) {
    case SETTING_SECRET:
        return (struct str){secret->data, secret->len};
    case SETTING_URL:
    case SETTING_TEMPLATE: {
        const char *text = *(const char *const *)value;
        return text ? str_of(text) : (struct str){0};
    }
    case SETTING_TEXT:
    case SETTING_NUMBER:
    case SETTING_SHARE:
    case SETTING_WORD:
        return (struct str){0};
    }
    return (struct str){0};
}

struct record_list settings_look(const struct config *config, const struct vault *vault,
                                 struct arena *arena)
{
    const struct record_list list = config_show(config, arena);
    const struct shown_setting *shown = list.items;
    struct seen_setting *seen = arena_array(arena, list.count, sizeof(*seen));

    for (size_t i = 0; i < list.count; i++) {
        struct str unseen = unseen_of(config, &config_settings[i]);
        seen[i] = (struct seen_setting){.name = shown[i].name,
                                        .value = arena_text(arena, shown[i].value)};
        if (unseen.data) seen[i].mark = mark_of(shown[i].name, unseen, vault, arena);
    }
    return (struct record_list){seen, list.count};
}

/* --- What has changed ------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const struct seen_setting *a, const struct seen_setting *b)
{
    return is_same_text(a->value, b->value) && is_same_text(a->mark, b->mark);
}

static const struct seen_setting *find(const struct record_list *settings, const char *name)
{
    const struct seen_setting *rows = settings->items;

    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    return NULL;
}

static bool is_same_start(const struct record_list *a, const struct record_list *b)
{
    const struct seen_setting *rows = a->items;
    bool is_equal = a->count == b->count;

    for (size_t i = 0; is_equal && i < a->count; i++) {
        const struct seen_setting *other = find(b, rows[i].name);
        is_equal = other && is_same(&rows[i], other);
    }
    return is_equal;
}

/* The start that one is compared with. */
struct base {
    const struct seen_start *start; /* NULL: it is the first of its verb */
    bool is_own;                    /* of the same process */
};

/* A new process that is like one that lives elsewhere brings nothing new. */
static struct base find_base(const struct record_list *starts, const struct seen_start *now)
{
    const struct seen_start *rows = starts->items, *like = NULL;

    for (size_t i = 0; i < starts->count; i++) {
        if (strcmp(rows[i].host, now->host) == 0 && strcmp(rows[i].listen, now->listen) == 0)
            return (struct base){&rows[i], true};
        if (!like && rows[i].is_living && is_same_start(&rows[i].settings, &now->settings))
            like = &rows[i];
    }
    if (!like && starts->count > 0) like = &rows[0];
    return (struct base){like, false};
}

/* Another process has told of this change since the one that is compared with. */
static bool is_told(const struct record_list *starts, const struct base *base,
                    const struct seen_setting *now)
{
    const struct seen_start *rows = starts->items;

    for (size_t i = 0; i < starts->count && rows[i].place > base->start->place; i++) {
        const struct seen_setting *other = find(&rows[i].settings, now->name);
        if (other && is_same(other, now)) return true;
    }
    return false;
}

/* A process that is added beside others listens elsewhere, which changes nothing. */
static bool is_of_name(const struct base *base, const struct seen_setting *setting)
{
    return !base->is_own && base->start->is_living && strcmp(setting->name, LISTEN) == 0;
}

static void compare(const struct record_list *starts, const struct base *base,
                    const struct seen_start *now, struct audit_changes *changes)
{
    const struct seen_setting *rows = now->settings.items;

    for (size_t i = 0; base->start && i < now->settings.count; i++) {
        const struct seen_setting *before = find(&base->start->settings, rows[i].name);
        /* The version before did not have it; so nobody has changed it. */
        if (!before || is_same(before, &rows[i])) continue;
        if (is_of_name(base, &rows[i]) || is_told(starts, base, &rows[i])) continue;
        if (is_same_text(before->value, rows[i].value))
            audit_change_secret(changes, rows[i].name);
        else
            audit_change_text(changes, rows[i].name, before->value, rows[i].value);
    }
}

/* --- The record ------------------------------------------------------------------------------- */

struct start_work {
    struct work work;
    struct seen_start now;
};

static enum err remember(struct work *work, const struct record_list *starts,
                         const struct seen_start *now)
{
    const struct seen_start *newest = starts->items;
    struct seen_start made = *now;

    made.place = starts->count > 0 ? newest->place + 1 : 1;
    enum err err = settings_seen_write(work, &made);
    bool is_full = !err && starts->count == SETTINGS_SEEN_MAX;
    return is_full ? settings_seen_delete(work, now->verb, made.place - SETTINGS_SEEN_MAX) : err;
}

static enum err record_start(struct work *work)
{
    struct seen_start *now = &CONTAINER_OF(work, struct start_work, work)->now;
    struct audit_changes changes = {.arena = work->arena};
    struct audit_chain chain;
    struct record_list starts;

    enum err err = audit_chain_select(work, true, &chain); /* one start at a time */
    if (!err)
        err = settings_seen_select(work, now->verb, work->now_ms - PROCESS_LOST_MS,
                                   &work->service->process->id, &starts);
    if (err) return err;
    struct base base = find_base(&starts, now);
    if (base.is_own && is_same_start(&base.start->settings, &now->settings)) return ERR_OK;
    compare(&starts, &base, now, &changes);
    if (changes.count > 0)
        work_audit(
            work, "settings.changed", "process",
            audit_guard_text(work->arena, arena_printf(work->arena, "%s@%s", now->verb, now->host)),
            &changes);
    return remember(work, &starts, now);
}

void settings_record(struct service *service, struct record_list settings)
{
    struct start_work start = {.now = {.verb = process_verb_words[service->process->verb],
                                       .host = service->process->host,
                                       .listen = find(&settings, LISTEN)->value,
                                       .settings = settings}};
    struct arena arena;

    arena_init(&arena);
    work_init(&start.work, service, &arena, clock_now_ms(), NULL);
    enum err err = work_run(&start.work, service->verification, record_start);
    if (err)
        log_write(LOG_WARNING,
                  "it could not be found out which settings have changed; the next start tells",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    arena_done(&arena);
}
