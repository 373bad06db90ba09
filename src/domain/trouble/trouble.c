/* Troubles are compared with those that are kept, and made ready to be read. */
#include "domain/trouble/trouble.h"

#include "domain/sms/sms_text.h"
#include "domain/trouble/trouble_db.h"
#include "kit/base/macros.h"

#include <stdlib.h>

void trouble_add(struct trouble_list *troubles, const struct trouble *trouble)
{
    if (troubles->count == COUNT_OF(troubles->items)) return;
    troubles->items[troubles->count++] = *trouble;
}

/* --- Keeping ---------------------------------------------------------------------------------- */

static bool is_of(const struct trouble *a, const struct trouble *b)
{
    return a->kind == b->kind && strcmp(a->subject, b->subject) == 0;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const struct trouble *a, const struct trouble *b)
{
    return a->since == b->since && strcmp(a->name, b->name) == 0 &&
           is_same_text(a->record_id, b->record_id) && is_same_text(a->reason, b->reason);
}

static const struct trouble *find(const struct trouble *items, size_t count,
                                  const struct trouble *wanted)
{
    for (size_t i = 0; i < count; i++) {
        if (is_of(&items[i], wanted)) return &items[i];
    }
    return NULL;
}

bool trouble_compare(struct trouble_list *found, const struct trouble_watch *kept, int64_t now_ms)
{
    const struct trouble *rows = kept->troubles.items;
    bool differs = found->count != kept->troubles.count || kept->well_since < 0 ||
                   (found->count == 0) != (kept->well_since > 0);

    for (size_t i = 0; i < found->count; i++) {
        struct trouble *trouble = &found->items[i];
        const struct trouble *before = find(rows, kept->troubles.count, trouble);
        if (trouble->since == 0) trouble->since = before ? before->since : now_ms;
        differs = differs || !before || !is_same(trouble, before);
    }
    return differs;
}

enum err trouble_keep(struct work *work, const struct trouble_list *found,
                      const struct trouble_watch *kept)
{
    const struct trouble *rows = kept->troubles.items;
    size_t count = kept->troubles.count;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++) {
        if (!find(found->items, found->count, &rows[i])) err = trouble_delete(work, &rows[i]);
    }
    for (size_t i = 0; !err && i < found->count; i++) {
        const struct trouble *before = find(rows, count, &found->items[i]);
        if (!before || !is_same(before, &found->items[i]))
            err = trouble_put(work, &found->items[i]);
    }
    bool is_well = found->count == 0;
    if (err || (kept->well_since >= 0 && is_well == (kept->well_since > 0))) return err;
    int64_t well_since = kept->gap_at > work->now_ms ? kept->gap_at : work->now_ms;
    return trouble_set_well(work, is_well ? well_since : 0);
}

/* --- Showing ---------------------------------------------------------------------------------- */

static int by_weight(const void *a, const void *b)
{
    const struct trouble *left = a, *right = b;

    if (left->kind != right->kind) return left->kind - right->kind;
    if (left->since != right->since) return left->since < right->since ? -1 : 1;
    return strcmp(left->subject, right->subject);
}

/* Returns the text with the id for its "@". */
static const char *fill(const char *text, const char *id, struct arena *arena)
{
    const char *at = text ? strchr(text, '@') : NULL;
    return at ? arena_printf(arena, "%.*s%s%s", (int)(at - text), text, id ? id : "", at + 1)
              : text;
}

static const char *sentence(const struct trouble *trouble, struct arena *arena)
{
    AUTO_BUF out = {0};

    buf_init(&out, TROUBLE_SENTENCE_MAX);
    trouble_write(trouble->kind, trouble->name, false, SMS_ENGLISH, &out);
    return arena_str(arena, buf_view(&out));
}

/* Times agree with the clock as it is now set. */
static void show(struct work *work, struct trouble *trouble)
{
    const struct trouble_form *form = &trouble_forms[trouble->kind];
    struct trouble_record *record = ARENA_NEW(work->arena, struct trouble_record);

    *record = (struct trouble_record){
        .type = form->type,
        .id = trouble->record_id,
        .name = *trouble->name ? trouble_shown_name(trouble, work->arena) : NULL,
        .path = fill(form->path, trouble->record_id, work->arena),
        .command = fill(form->command, trouble->record_id, work->arena),
    };
    trouble->record = record;
    trouble->what = sentence(trouble, work->arena);
    trouble->remedy = form->remedy;
    if (trouble->since == 0 || trouble->since > work->now_ms) trouble->since = work->now_ms;
}

int64_t trouble_show(struct work *work, struct record_list *troubles)
{
    struct trouble *rows = troubles->items;
    size_t count = troubles->count;

    if (count > 1) qsort(rows, count, sizeof(*rows), by_weight);
    if (troubles->count > TROUBLES_SHOWN_MAX) troubles->count = TROUBLES_SHOWN_MAX;
    for (size_t i = 0; i < troubles->count; i++)
        show(work, &rows[i]);
    return (int64_t)count;
}
