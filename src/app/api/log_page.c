/* A page has the frames of some entries. */
#include "app/api/log_page.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/json/record.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAME_MAX = 64 * 1024, TEXT_MAX = EVENT_LOG_PAGE_MAX * FRAME_MAX };

static void make_frame(struct log_page *page, const struct log_entry *entry)
{
    struct log_frame *frame = &page->frames[page->count];
    struct json_writer writer;
    AUTO_BUF text = {0};

    buf_init(&text, FRAME_MAX);
    buf_printf(&text, "id: %" PRId64 "\ndata: ", entry->id);
    json_writer_init(&writer, &text);
    record_encode(&log_entry_record, entry, &writer);
    buf_text(&text, "\n\n");
    if (text.is_full) return;

    *frame = (struct log_frame){
        .id = entry->id,
        .level = entry->level,
        .at = page->text.len,
        .len = text.len,
        .is_unmasked = event_log_is_unmasked(entry->fields),
        .folded = event_log_fold(entry->message, entry->fields, &page->arena),
    };
    buf_str(&page->text, buf_view(&text));
    page->count++;
}

static enum err fill(struct log_page *page, struct db_tx *tx, int64_t after_id)
{
    struct work work;
    struct log_entry *entries;
    size_t count = 0;

    work_init(&work, NULL, &page->arena, clock_now_ms(), NULL);
    work_restart(&work, tx);
    enum err err = event_log_last_id(&work, &page->last_id);
    if (err || after_id < 0) return err;
    err = event_log_read(&work, after_id, &entries, &count);
    if (err) return err;
    for (size_t i = 0; i < count; i++)
        make_frame(page, &entries[i]);
    page->is_full = count == EVENT_LOG_PAGE_MAX;
    if (count > 0) page->last_id = entries[count - 1].id;
    return ERR_OK;
}

enum err log_page_read(struct db_tx *tx, int64_t after_id, struct log_page **ret_page)
{
    struct log_page *page = must_calloc(1, sizeof(*page));
    atomic_init(&page->references, 1);
    arena_init(&page->arena);
    buf_init(&page->text, TEXT_MAX);

    enum err err = fill(page, tx, after_id);
    if (err)
        log_page_unref(page);
    else
        *ret_page = page;
    return err;
}

struct log_page *log_page_ref(struct log_page *page)
{
    atomic_fetch_add_explicit(&page->references, 1, memory_order_relaxed);
    return page;
}

void log_page_unref(struct log_page *page)
{
    if (atomic_fetch_sub_explicit(&page->references, 1, memory_order_acq_rel) > 1) return;
    arena_done(&page->arena);
    buf_done(&page->text);
    free(page);
}
