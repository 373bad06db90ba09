/* The rules of the feed (contract, section 13.2): from where it can be read, and what is shown of
 * an event to whom. */
#include "domain/event/event.h"

#include "core/actor.h"
#include "domain/event/event_db.h"
#include "domain/process/process.h"

/* --- Types ------------------------------------------------------------------------------------ */

bool event_is_meant(struct str wish, const char *type)
{
    if (str_is(wish, "*")) return true;
    bool is_group = wish.len > 2 && memcmp(wish.data + wish.len - 2, ".*", 2) == 0;
    size_t len = is_group ? wish.len - 1 : wish.len;
    return strncmp(type, wish.data, len) == 0 && (is_group || type[len] == '\0');
}

bool event_is_type(struct str wish)
{
    bool is_any = false;
    for (int i = 0; i < EVENT_TYPE_COUNT; i++)
        is_any |= event_is_meant(wish, event_type_words[i]);
    return is_any;
}

/* Adds the types that `wish` means to a list that begins and ends with a comma. */
static const char *add_types(struct arena *arena, const char *list, struct str wish)
{
    for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
        if (event_is_meant(wish, event_type_words[i]))
            list = arena_printf(arena, "%s%s,", list, event_type_words[i]);
    }
    return list;
}

/* Makes "" of all types. Returns what names no type, or NULL. */
static const char *read_types(struct arena *arena, const char *text, const char **ret_types)
{
    struct str rest = str_of(text), wish;
    const char *list = ",";

    *ret_types = "";
    while (text && rest.len > 0 && str_next_item(&rest, &wish)) {
        const char *longer = add_types(arena, list, wish);
        if (str_is(wish, "*")) return NULL;
        if (longer == list) return arena_str(arena, wish);
        list = longer;
    }
    if (list[1]) *ret_types = list;
    return NULL;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static bool is_written(const struct work *work, const struct event_head *head)
{
    const struct event_setup *setup = work->service->events;
    return setup->mode == EVENTS_ON || (setup->mode == EVENTS_AUTO && head->is_wanted);
}

static enum err find_oldest(struct work *work, const struct event_head *head, int64_t *ret_seq)
{
    struct record_list rows;
    enum err err = event_select_oldest(work, 1, &rows);
    if (err) return err;
    *ret_seq = rows.count > 0 ? ((const struct event_row *)rows.items)->seq : head->last_seq + 1;
    return ERR_OK;
}

static struct record_list show_all(struct work *work, const struct record_list *rows)
{
    enum role role = work->actor ? work->actor->role : ROLE_CORE;
    const struct event_row *items = rows->items;
    struct event *events = arena_array(work->arena, rows->count, sizeof(*events));

    for (size_t i = 0; i < rows->count; i++) {
        struct event_subject_ref *subject = ARENA_NEW(work->arena, struct event_subject_ref);
        *subject =
            (struct event_subject_ref){items[i].subject, items[i].subject_id, items[i].sequence};
        events[i] = (struct event){
            .id = items[i].id,
            .seq = items[i].seq,
            .type = items[i].type,
            .timestamp = items[i].at,
            .subject = subject,
            .data = event_show(work->service->events, &items[i], role, work->arena),
        };
    }
    return (struct record_list){events, rows->count};
}

static enum err read_on(struct work *work, const struct event_query *query, const char *types,
                        const struct event_head *head, struct event_list *list)
{
    int64_t after = query->after < 0 ? list->oldest_seq - 1 : query->after;
    int64_t end = after + EVENT_LOOKED_MAX, upto = end < head->last_seq ? end : head->last_seq;
    struct record_list rows;

    enum err err = event_select_page(work, after, upto, types, query->limit, &rows);
    if (err) return err;
    list->events = show_all(work, &rows);
    bool is_full = (int64_t)rows.count == query->limit;
    list->last_seq = is_full ? ((const struct event_row *)rows.items)[rows.count - 1].seq : upto;
    list->is_at_end = list->last_seq == head->last_seq;
    return ERR_OK;
}

enum err event_list(struct work *work, const struct event_query *query, struct event_list *ret_list,
                    const char **ret_fault)
{
    struct event_head head;
    const char *types;

    *ret_list = (struct event_list){.last_seq = 0};
    *ret_fault = read_types(work->arena, query->types, &types);
    if (*ret_fault) return ERR_VALIDATION;
    enum err err = event_head_select(work, false, &head);
    if (err) return err;
    if (!is_written(work, &head)) return ERR_EVENTS_OFF;
    err = find_oldest(work, &head, &ret_list->oldest_seq);
    if (err) return err;
    if (query->after < 0 && query->from == EVENTS_FROM_NOW) {
        ret_list->last_seq = head.last_seq;
        return ERR_OK;
    }
    bool is_gone = query->after >= 0 && query->after < ret_list->oldest_seq - 1;
    if (is_gone || query->after > head.last_seq) return ERR_EVENTS_GONE;
    return read_on(work, query, types, &head, ret_list);
}

/* --- Who listens ------------------------------------------------------------------------------ */

enum err event_want(struct work *work, bool is_wanted)
{
    db_notify(work->tx, EVENT_LISTEN_TOPIC);
    return event_head_set_wanted(work, is_wanted);
}

enum err event_hold_head(struct work *work, bool *ret_is_wanted)
{
    struct event_head head;
    enum err err = event_head_select(work, true, &head);
    if (!err) *ret_is_wanted = head.is_wanted;
    return err;
}

enum err event_is_confirmed(struct work *work, bool *ret_is_confirmed)
{
    struct event_head head;
    enum err err = event_head_select(work, false, &head);
    return err ? err : process_is_confirmed(work, head.epoch, ret_is_confirmed);
}
