/* Pages of a chain, and the end of its oldest records (contract, section 10.3). */
#include "domain/audit_chain/audit_chain.h"

#include "core/service.h"
#include "kit/base/clock.h"

#include <inttypes.h>

enum { DAY_MS = 24 * 60 * 60 * 1000 };

static const struct page_key by_seq = PAGE_BY_NUMBER(struct audit_record, seq);

/* If one request may not look further, the next one begins with the next record that there is, so
 * that a gap, which only damage leaves, is passed at once. */
static enum err lead_on(struct work *work, const struct audit_search *search,
                        struct audit_list *list)
{
    struct page_place place = {0};

    if (search->from_seq <= 1) return ERR_OK;
    enum err err = audit_newest_select(work, search->from_seq - 1, &place.number);
    if (err || place.number == 0) return err;
    place.number++;
    list->next_cursor = page_cursor(&place, &by_seq, work->arena);
    return ERR_OK;
}

enum err audit_list(struct work *work, const struct audit_filter *filter,
                    struct audit_list *ret_list)
{
    struct audit_chain *chain = ARENA_NEW(work->arena, struct audit_chain);
    struct audit_search search = {.filter = filter};
    struct page_place place = {0};

    enum err err = page_begin(filter->cursor, &by_seq, &place);
    if (!err) err = audit_chain_select(work, false, chain);
    if (!err)
        err = audit_newest_select(work, place.number > 0 ? place.number - 1 : INT64_MAX,
                                  &search.to_seq);
    if (err) return err;
    search.from_seq = search.to_seq - AUDIT_LOOKED_MAX + 1;
    *ret_list = (struct audit_list){.head = &chain->head, .anchor = &chain->anchor};
    err = audit_select_page(work, &search, filter->limit + 1, &ret_list->records);
    if (err) return err;
    ret_list->next_cursor = page_end(filter->limit, &by_seq, &ret_list->records, work->arena);
    return ret_list->next_cursor ? ERR_OK : lead_on(work, &search, ret_list);
}

static const char *seq_text(struct work *work, int64_t seq)
{
    return arena_printf(work->arena, "%" PRId64, seq);
}

enum err audit_sweep(struct work *work, int max, int64_t *ret_swept)
{
    int64_t wall_ms = clock_to_wall(work->now_ms); /* a clock that leapt ages no record */
    int64_t now_ms = wall_ms < work->now_ms ? wall_ms : work->now_ms;
    int64_t before_ms = now_ms - work->service->audit_days * DAY_MS, oldest_at = 0;
    struct audit_changes changes = {.arena = work->arena};
    struct audit_place end = {0};
    struct audit_chain chain;

    *ret_swept = 0;
    if (work->service->audit_days == 0) return ERR_OK;
    enum err err = audit_select_end(work, max, before_ms, &end, &oldest_at);
    if (err || end.seq == 0 || oldest_at > before_ms - DAY_MS) return err;
    err = audit_chain_select(work, true, &chain);
    if (!err) err = audit_prune(work, &end, ret_swept);
    if (err) return err;
    audit_change_text(&changes, "anchor_seq", seq_text(work, chain.anchor.seq),
                      seq_text(work, end.seq));
    work_audit(work, AUDIT_PRUNING, "audit", audit_store_words[work->store], &changes);
    return ERR_OK;
}
