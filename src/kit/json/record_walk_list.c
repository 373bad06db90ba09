/*
 * A list grows in a place of its own, which the next one of the same level uses again, and moves to
 * the other values when it is whole; an item of a streamed one never does.
 */
#include "kit/base/must.h"
#include "kit/json/record_walk.h"

#include <stdlib.h>

enum {
    BYTES_FIRST = 2000,
    BYTES_KEPT = 1024 * 1024, /* for the next list of the same level */
};

static struct walk_items *items_of(struct record_walk *walk, const struct walk_frame *frame)
{
    return &walk->items[frame - walk->frames];
}

void walk_begin_list(struct record_walk *walk, const struct walk_frame *frame)
{
    struct walk_items *items = items_of(walk, frame);

    while (&walk->items[walk->list_levels] <= items)
        walk->items[walk->list_levels++] = (struct walk_items){.data = NULL};
    items->count = 0;
}

/* Sums up the lists that are open or kept for the next ones. */
static size_t size_of_lists(const struct record_walk *walk)
{
    size_t sum = 0;

    for (size_t i = 0; i < walk->list_levels; i++)
        sum += walk->items[i].size;
    return sum;
}

size_t walk_memory(const struct record_walk *walk)
{
    return size_of_lists(walk) + walk->object_text.capacity + open_keys_memory(&walk->keys);
}

/* Doubles the size, but not beyond `room`. False: there is no memory. */
static bool grow_items(struct record_walk *walk, struct walk_items *items, size_t needed,
                       size_t room)
{
    bool may_lack = walk->options.rules & DECODE_PIECES;
    size_t size = items->size > 0 ? items->size * 2 : BYTES_FIRST;

    if (size > room) size = room;
    if (size < needed) size = needed;
    char *data = may_lack ? may_realloc(items->data, 1, size) : must_realloc(items->data, 1, size);
    if (!data) {
        walk_lack_memory(walk);
        return false;
    }
    items->data = data;
    items->size = size;
    return true;
}

/* Makes room for one more item of the list. False: memory is lacking, or the list has become too
 * large, so that its rest is read over, and others too if they do not fit either. */
static bool make_room(struct record_walk *walk, struct walk_frame *frame, size_t size)
{
    struct walk_items *items = items_of(walk, frame);
    size_t needed = (items->count + 1) * size;

    if (frame->is_too_large) return false;
    if (needed <= items->size) return true;
    size_t others = walk->source.arena->used + size_of_lists(walk) - items->size;
    size_t room = walk->options.memory_max;
    if (others > room || needed > room - others) {
        frame->is_too_large = true;
        frame->ret_end = walk_tell(walk, FLAW_LIST_MEMORY);
        return false;
    }
    return grow_items(walk, items, needed, room - others);
}

void *walk_next_item(struct record_walk *walk, struct walk_frame *frame)
{
    const struct field *field = frame->field;
    struct walk_items *items = items_of(walk, frame);
    size_t size = field_item_size(field);

    frame->index++;
    if (frame->is_streamed) ((struct record_list *)frame->slot)->count = frame->index;
    if (walk->is_mute) return NULL;
    /* The list will be refused, so that what comes now is checked at most. */
    bool is_beyond = field->items_max > 0 && frame->index > (size_t)field->items_max;
    if (is_beyond && (walk->options.rules & DECODE_PIECES)) return NULL;
    if (frame->is_streamed) items->count = 0; /* one at a time, in the same place */
    if (!make_room(walk, frame, size)) return NULL;
    void *item = items->data + items->count * size;
    if (!is_beyond) items->count++;
    return memset(item, 0, size);
}

/* Moves the list's items to where the other values are. */
static void keep_items(struct record_walk *walk, struct walk_frame *frame)
{
    struct record_list *list = (struct record_list *)frame->slot;
    struct walk_items *items = items_of(walk, frame);
    size_t size = field_item_size(frame->field);

    list->items = field_take_memory(&walk->source, items->count, size);
    if (!list->items) return;
    list->count = items->count;
    if (list->count > 0) memcpy(list->items, items->data, list->count * size);
    if (items->size <= BYTES_KEPT) return;
    free(items->data);
    *items = (struct walk_items){.data = NULL};
}

void walk_close_list(struct record_walk *walk, struct walk_frame *frame)
{
    const struct field *field = frame->field;
    struct verdict verdict = {.field = field, .count = frame->index};

    if (!frame->is_streamed) keep_items(walk, frame);
    if (frame->index < (size_t)field->items_min) {
        verdict.flaw = FLAW_TOO_FEW;
        verdict.limit = field->items_min;
    } else if (field->items_max > 0 && frame->index > (size_t)field->items_max) {
        verdict.flaw = FLAW_TOO_MANY;
        verdict.limit = field->items_max;
    }
    if (verdict.flaw) walk->options.voice->tell(walk, &verdict);
}
