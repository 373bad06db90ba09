/*
 * Lists of streams. A list grows in a place of its own, which the next one of the same level uses
 * again, and moves to the other values when it is whole; an item of a streamed one never does.
 */
#include "kit/base/must.h"
#include "kit/json/record_stream_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CTX_MAX = 120,
    LIST_BYTES_FIRST = 2000,
    LIST_BYTES_KEPT = 1024 * 1024, /* for the next list of the same level */
};

static struct stream_items *items_of(struct record_stream *stream, const struct stream_frame *frame)
{
    return &stream->items[frame - stream->frames];
}

void stream_begin_list(struct record_stream *stream, const struct stream_frame *frame)
{
    struct stream_items *items = items_of(stream, frame);

    while (&stream->items[stream->list_levels] <= items)
        stream->items[stream->list_levels++] = (struct stream_items){.data = NULL};
    items->count = 0;
}

/* Of the lists that are open or kept for the next ones. */
static size_t size_of_lists(const struct record_stream *stream)
{
    size_t sum = 0;

    for (size_t i = 0; i < stream->list_levels; i++)
        sum += stream->items[i].size;
    return sum;
}

size_t record_stream_memory(const struct record_stream *stream)
{
    return size_of_lists(stream) + stream->whole.used + stream->item.used +
           stream->fault_arena.used + stream->object_text.capacity +
           open_keys_memory(&stream->keys);
}

/* To twice its size, but not beyond `room`. False: there is no memory. */
static bool grow_items(struct record_stream *stream, struct stream_items *items, size_t needed,
                       size_t room)
{
    size_t size = items->size > 0 ? items->size * 2 : LIST_BYTES_FIRST;

    if (size > room) size = room;
    if (size < needed) size = needed;
    char *data = may_realloc(items->data, 1, size);
    if (!data) {
        stream->lacks_memory = true;
        return false;
    }
    items->data = data;
    items->size = size;
    return true;
}

/* The rest of the list is read over, and so are others if they do not fit either. */
static void refuse_more_items(struct record_stream *stream, struct stream_frame *frame)
{
    frame->is_too_large = true;
    frame->fault =
        stream_fault_frame(stream, NULL, "too_large", NULL, "List is too large to be read");
}

/* Makes room for one more item of the list. False: it has become too large, or lacks memory. */
static bool make_room(struct record_stream *stream, struct stream_frame *frame, size_t size)
{
    struct stream_items *items = items_of(stream, frame);
    size_t needed = (items->count + 1) * size;

    if (frame->is_too_large) return false;
    if (needed <= items->size) return true;
    size_t others = stream->arena->used + size_of_lists(stream) - items->size;
    size_t room = stream->is_known ? SIZE_MAX : STREAM_MEMORY_MAX;
    if (others > room || needed > room - others) {
        refuse_more_items(stream, frame);
        return false;
    }
    return grow_items(stream, items, needed, room - others);
}

void *stream_next_item(struct record_stream *stream, struct stream_frame *frame)
{
    const struct field *field = frame->field;
    struct stream_items *items = items_of(stream, frame);
    size_t size = field_item_size(field);

    frame->index++;
    if (stream_is_streamed(frame)) ((struct record_list *)frame->slot)->count = frame->index;
    if (stream->is_truncated) return NULL;
    if (field->items_max > 0 && frame->index > (size_t)field->items_max) return NULL;
    if (stream_is_streamed(frame)) items->count = 0; /* one at a time, in the same place */
    if (!make_room(stream, frame, size)) return NULL;
    void *item = items->data + items->count++ * size;
    memset(item, 0, size);
    return item;
}

/* The list's items, side by side, where the other values are. */
static void keep_items(struct record_stream *stream, struct stream_frame *frame)
{
    struct record_list *list = (struct record_list *)frame->slot;
    struct stream_items *items = items_of(stream, frame);
    size_t size = field_item_size(frame->field);

    list->items = stream_take_memory(stream, items->count, size);
    if (!list->items) return;
    list->count = items->count;
    if (list->count > 0) memcpy(list->items, items->data, list->count * size);
    if (items->size <= LIST_BYTES_KEPT) return;
    free(items->data);
    *items = (struct stream_items){.data = NULL};
}

void stream_close_list(struct record_stream *stream, struct stream_frame *frame)
{
    const struct field *field = frame->field;
    bool is_short = frame->index < (size_t)field->items_min;
    bool is_long = field->items_max > 0 && frame->index > (size_t)field->items_max;

    if (!stream_is_streamed(frame)) keep_items(stream, frame);
    if (!is_short && !is_long) return;
    char ctx[CTX_MAX];
    int64_t limit = is_short ? field->items_min : field->items_max;
    snprintf(ctx, sizeof(ctx), "{\"field_type\":\"List\",\"%s\":%" PRId64 ",\"actual_length\":%zu}",
             is_short ? "min_length" : "max_length", limit, frame->index);
    stream_fault_frame(stream, NULL, is_short ? "too_short" : "too_long", ctx,
                       "List should have at %s %" PRId64 " item%s after validation, not %zu",
                       is_short ? "least" : "most", limit, limit == 1 ? "" : "s", frame->index);
}
