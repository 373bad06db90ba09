/*
 * Records for the audit are kept with their unit of work and written behind its last statement
 * (contract, section 10.3). The head of the chain is locked last: until the commit no other
 * transaction gets a number, so there is no gap, and nobody waits who leaves no record.
 */
#include "core/audit.h"

#include "core/service.h"
#include "kit/base/clock.h"
#include "kit/base/mask.h"

#include <stdio.h>

struct audit_note {
    struct audit_note *next;
    const char *action;
    struct audit_target target;
    struct record_list changes;
};
static const struct actor actor_system = {.kind = ACTOR_SYSTEM, .name = "herald"};

/* --- Changes ---------------------------------------------------------------------------------- */

static void add(struct audit_changes *changes, const char *field, const char *from, const char *to)
{
    assert(changes->count < AUDIT_CHANGES_MAX);
    changes->rows[changes->count++] = (struct audit_change){field, from, to};
}

void audit_change_text(struct audit_changes *changes, const char *field, const char *from,
                       const char *to)
{
    bool is_same = from && to ? strcmp(from, to) == 0 : from == to;
    if (!is_same) add(changes, field, from, to);
}

static const char *bool_text(int value)
{
    return value < 0 ? NULL : value > 0 ? "true" : "false";
}

void audit_change_words(struct audit_changes *changes, const char *field, const char *from,
                        const char *to)
{
    struct audit_change *row = &changes->rows[changes->count];
    size_t before = changes->count;

    audit_change_text(changes, field, from, to);
    if (changes->count == before) return;
    row->from = mask_text(mask_words, from, changes->arena);
    row->to = mask_text(mask_words, to, changes->arena);
}

void audit_change_bool(struct audit_changes *changes, const char *field, int from, int to)
{
    audit_change_text(changes, field, bool_text(from), bool_text(to));
}

void audit_change_secret(struct audit_changes *changes, const char *field)
{
    add(changes, field, NULL, "changed");
}

void audit_change_reveal(struct audit_changes *changes, const char *field, const char *text)
{
    if (!text) return;
    add(changes, field, NULL, mask_text(role_masks(ROLE_VIEWER).personal, text, changes->arena));
}

enum { VALUE_MAX = 4096 };

static const char *list_text(struct arena *arena, const struct record_list *list)
{
    const char *const *items = list->items;
    const char *joined = NULL;

    for (size_t i = 0; i < list->count; i++)
        joined = joined ? arena_printf(arena, "%s, %s", joined, items[i]) : items[i];
    return joined;
}

/* Returns the value of a field as text, without the quotes of JSON; NULL: it has none. */
static const char *field_text(struct arena *arena, const struct field *field, const void *value)
{
    const struct record alone = {.fields = field, .field_count = 1};
    struct json_writer writer;
    AUTO_BUF json = {0};

    if (!value) return NULL;
    if (field->type == FIELD_STRING || field->type == FIELD_DECIMAL)
        return *(const char *const *)((const char *)value + field->offset);
    if (field->type == FIELD_STRINGS)
        return list_text(arena, (const void *)((const char *)value + field->offset));
    buf_init(&json, VALUE_MAX);
    json_writer_init(&writer, &json);
    record_encode(&alone, value, &writer);
    size_t begin = strlen(field->name) + strlen("{\"\":");
    if (json.len <= begin) return NULL;
    struct str text = {json.data + begin, json.len - begin - 1};
    if (str_is(text, "null")) return NULL;
    bool is_quoted = text.data[0] == '"';
    return arena_str(arena, is_quoted ? (struct str){text.data + 1, text.len - 2} : text);
}

static bool is_among(const char *const *names, const char *name)
{
    for (; names && *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

static void compare_fields(struct audit_changes *changes, const char *prefix,
                           const struct record *record, const void *before, const void *after,
                           const char *const *skipped)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        const char *name = arena_printf(changes->arena, "%s%s", prefix, field->name);
        bool has_no_text = field->type == FIELD_RECORDS || field->type == FIELD_OBJECT;
        if (has_no_text || is_among(skipped, name)) continue;
        if (field->type != FIELD_RECORD) {
            bool is_words = field->flags & FIELD_WORDS;
            (is_words ? audit_change_words
                      : audit_change_text)(changes, name, field_text(changes->arena, field, before),
                                           field_text(changes->arena, field, after));
            continue;
        }
        const void *inner_before =
            before ? *(const void *const *)((const char *)before + field->offset) : NULL;
        const void *inner_after = *(const void *const *)((const char *)after + field->offset);
        if (!inner_after) continue;
        compare_fields(changes, arena_printf(changes->arena, "%s.", name), field->record,
                       inner_before, inner_after, skipped);
    }
}

void audit_change_record(struct audit_changes *changes, const struct record *record,
                         const void *before, const void *after, const char *const *skipped)
{
    compare_fields(changes, "", record, before, after, skipped);
}

/* --- Records ---------------------------------------------------------------------------------- */

const char *audit_guard_text(struct arena *arena, const char *text)
{
    struct str rest = text ? utf8_fit(str_of(text), AUDIT_TEXT_MAX) : (struct str){0}, item;
    AUTO_BUF masked = {0};

    if (!text) return NULL;
    if (!memchr(rest.data, ',', rest.len))
        return arena_text(arena, mask_text(mask_id, arena_str(arena, rest), arena));
    buf_init(&masked, (size_t)MASK_GROWTH * AUDIT_TEXT_MAX);
    while (str_next_item(&rest, &item)) {
        if (masked.len > 0) buf_text(&masked, ", ");
        if (!mask_id(item, &masked)) buf_str(&masked, item);
    }
    return arena_str(arena, buf_view(&masked));
}

static struct record_list guard_changes(struct arena *arena, const struct audit_changes *changes)
{
    size_t count = changes ? changes->count : 0;
    struct audit_change *rows = arena_array(arena, count, sizeof(*rows));

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct audit_change){audit_guard_text(arena, changes->rows[i].field),
                                        audit_guard_text(arena, changes->rows[i].from),
                                        audit_guard_text(arena, changes->rows[i].to)};
    return (struct record_list){rows, count};
}

void work_audit(struct work *work, const char *action, const char *target_type,
                const char *target_id, const struct audit_changes *changes)
{
    struct audit_note *note = ARENA_NEW(work->arena, struct audit_note);

    *note = (struct audit_note){
        .action = arena_text(work->arena, action),
        .target = {arena_text(work->arena, target_type), arena_text(work->arena, target_id)},
        .changes = guard_changes(work->arena, changes),
    };
    *work->audits_end = note;
    work->audits_end = &note->next;
}

void work_audit_id(struct work *work, const char *action, const char *target_type,
                   const struct uuid *target_id, const struct audit_changes *changes)
{
    work_audit(work, action, target_type, uuid_text(target_id, work->arena), changes);
}

void work_audit_person(struct work *work, const char *action, const char *target_type,
                       const struct uuid *target_id)
{
    const struct actor *actor = work->actor;
    bool is_person = actor && actor->kind != ACTOR_ROOT && actor->role != ROLE_CORE;
    if (is_person) work_audit_id(work, action, target_type, target_id, NULL);
}

bool work_audits_only(const struct work *work, const char *action)
{
    for (const struct audit_note *note = work->audits; note; note = note->next) {
        if (!action || strcmp(note->action, action) != 0) return false;
    }
    return true;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static enum err write_note(struct work *work, const struct audit_note *note,
                           struct audit_place *head)
{
    const struct actor *actor = work->actor ? work->actor : &actor_system;
    struct audit_actor shown = {(int)actor->kind, actor->id,
                                mask_text(mask_words, actor->name, work->arena)};
    struct audit_target target = note->target;
    char *hash = arena_alloc(work->arena, AUDIT_HASH_TEXT_LEN + 1);
    struct audit_record record = {
        .store = (int)work->store,
        .seq = head->seq + 1,
        .at = clock_to_wall(work->now_ms),
        .actor = &shown,
        .address = work->address,
        .request_id = audit_guard_text(work->arena, work->request_id),
        .action = note->action,
        .target = &target,
        .changes = note->changes,
        .hash = hash,
    };

    if (!audit_compute_hash(&record, head->hash, hash)) return LOG_BROKEN("the head of the audit");
    *head = (struct audit_place){record.seq, hash};
    return audit_record_insert(work, &record);
}

enum err audit_write(struct work *work)
{
    struct audit_chain chain;

    if (!work->audits) return ERR_OK;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    assert(work->task.group == 0); /* others of the group would lock rows behind the head */
    enum err err = audit_chain_select(work, true, &chain);
    for (const struct audit_note *note = work->audits; !err && note; note = note->next)
        err = write_note(work, note, &chain.head);
    return err ? err : audit_head_update(work, &chain.head);
}
