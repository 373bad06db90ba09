/*
 * A chain is read page by page from its newest record to its oldest, and each record is compared
 * with the hash before it (contract, section 10.3). Whoever changed the whole chain behind a record
 * is found by the hash of an earlier record that was kept elsewhere.
 */
#include "app/admin/admin_audit.h"

#include "app/admin/admin_show.h"
#include "core/words.h"
#include "domain/audit_chain/audit_chain.h"
#include "kit/base/clock.h"
#include "kit/base/progress.h"
#include "kit/base/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EXIT_WRONG_COMMAND = 2,
    RECORD_MAX = 4 * 1024 * 1024,
    PAGES_MAX = 64 * 1024 * 1024,
    FAULTS_TOLD_MAX = 100
};

struct flags {
    int store;
    int64_t since;
    const char *hash;
};

#define STORE_ROW                                                                   \
    FIELD(struct flags, store, FIELD_ENUM, 0, "One chain; both if it is left out.", \
          .words = audit_store_words, .example = "verification")
#define SINCE_ROW(meaning)                                                            \
    FIELD(struct flags, since, FIELD_INTEGER, 0, meaning, .min = 1, .max = INT64_MAX, \
          .example = "42")

static const struct field verify_fields[] = {
    STORE_ROW,
    SINCE_ROW("The place of a record that was seen earlier; needs --store and --hash."),
    FIELD(struct flags, hash, FIELD_STRING, 0, "The hash of that record.",
          .min = AUDIT_HASH_TEXT_LEN, .max = AUDIT_HASH_TEXT_LEN,
          .example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
};
const struct record admin_audit_verify_flags = {.size = sizeof(struct flags),
                                                RECORD_FIELDS(verify_fields)};
static const struct field export_fields[] = {
    STORE_ROW,
    SINCE_ROW("Only what is newer than the record in this place."),
};
const struct record admin_audit_export_flags = {.size = sizeof(struct flags),
                                                RECORD_FIELDS(export_fields)};

/* --- Reading a chain -------------------------------------------------------------------------- */

/* One chain on its way from the head to the anchor. */
struct walk {
    const struct admin_input *input;
    const struct admin_service *service;
    struct buf *out, *why;
    const char *store;
    int64_t since;
    const char *hash; /* NULL: none is known */
    bool is_known;    /* the record `since` was met */
    struct buf newer; /* the record before, which the next one proves; empty: none */
    int64_t newest, oldest, first_anchor;
    bool has_pruning;    /* a record of one was met */
    int64_t told_anchor; /* the anchor that the newest of them left; 0: nothing was pruned */
    char head_hash[AUDIT_HASH_TEXT_LEN + 1];
    size_t faults;
    bool is_cut; /* a record could not be written */
    /* Takes a record; returns false to go no further. */
    bool (*take)(struct walk *walk, const struct audit_record *record, struct arena *arena);
};

static bool ask_page(struct walk *walk, const char *cursor, struct arena *arena,
                     struct audit_list *ret_page)
{
    const char *target =
        arena_printf(arena, "%s?store=%s&limit=%d%s%s", walk->input->route->path, walk->store,
                     PAGE_LIMIT_MAX, cursor ? "&cursor=" : "", cursor ? cursor : "");

    return admin_read(walk->input, walk->service, target, &audit_list_record, arena, ret_page,
                      walk->why);
}

static void tell(struct walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct walk *walk, const char *format, ...)
{
    char text[256];
    va_list args;

    if (walk->faults++ >= FAULTS_TOLD_MAX) return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    buf_printf(walk->out, "%s: %s\n", walk->store, text);
}

/* --- Verifying -------------------------------------------------------------------------------- */

static void check_known(struct walk *walk, int64_t seq, const char *hash)
{
    if (!walk->hash || seq != walk->since) return;
    walk->is_known = true;
    if (strcmp(hash, walk->hash) != 0)
        tell(walk, "record %" PRId64 " is not the one that was seen earlier", seq);
}

/* The newer record has to follow from the place before it. */
static void check_step(struct walk *walk, const struct audit_record *newer, int64_t seq,
                       const char *hash)
{
    char computed[AUDIT_HASH_TEXT_LEN + 1];

    if (newer->seq > seq + 1) {
        tell(walk, "records %" PRId64 " to %" PRId64 " are missing", seq + 1, newer->seq - 1);
        return;
    }
    bool is_right = newer->seq == seq + 1 && audit_compute_hash(newer, hash, computed) &&
                    strcmp(computed, newer->hash) == 0;
    if (!is_right)
        tell(walk, "record %" PRId64 " was changed or moved, or the one before it was", newer->seq);
}

static bool take_newer(struct walk *walk, struct arena *arena, struct audit_record *ret_newer)
{
    struct record_faults faults;

    if (walk->newer.len == 0) return false;
    record_faults_init(&faults, arena);
    return !record_decode_answer(&audit_record_record,
                                 str_of(arena_str(arena, buf_view(&walk->newer))), arena, ret_newer,
                                 &faults);
}

/* Whoever takes the oldest records away and moves the anchor leaves no record of it. */
static void learn_anchor(struct walk *walk, const struct audit_record *record)
{
    const struct audit_change *change = record->changes.items;
    long long seq = 0;

    if (walk->has_pruning || strcmp(record->action, AUDIT_PRUNING) != 0) return;
    walk->has_pruning = true;
    if (record->changes.count == 1 && change->to && str_to_int64(str_of(change->to), &seq))
        walk->told_anchor = seq;
}

static bool verify_record(struct walk *walk, const struct audit_record *record, struct arena *arena)
{
    struct audit_record newer;
    struct json_writer writer;

    if (take_newer(walk, arena, &newer)) check_step(walk, &newer, record->seq, record->hash);
    check_known(walk, record->seq, record->hash);
    learn_anchor(walk, record);
    buf_clear(&walk->newer);
    json_writer_init(&writer, &walk->newer);
    record_encode(&audit_record_record, record, &writer);
    walk->oldest = record->seq;
    return true;
}

static void check_head(struct walk *walk, const struct audit_list *page)
{
    const struct audit_record *records = page->records.items;
    const struct audit_place *newest = page->anchor;
    struct audit_place first;

    if (page->records.count > 0) {
        first = (struct audit_place){records[0].seq, records[0].hash};
        newest = &first;
    }
    walk->newest = page->head->seq;
    walk->first_anchor = page->anchor->seq;
    snprintf(walk->head_hash, sizeof(walk->head_hash), "%s", page->head->hash);
    if (newest->seq < page->head->seq)
        tell(walk, "records %" PRId64 " to %" PRId64 " are missing", newest->seq + 1,
             page->head->seq);
    else if (newest->seq != page->head->seq || strcmp(newest->hash, page->head->hash) != 0)
        tell(walk, "the head, record %" PRId64 ", is not the newest record, %" PRId64,
             page->head->seq, newest->seq);
    if (walk->hash && page->head->seq < walk->since)
        tell(walk, "it ends at record %" PRId64 ", before the one that was seen earlier",
             page->head->seq);
}

/* The record of a pruning could be pruned itself while the others are read. */
static void check_pruning(struct walk *walk, const struct audit_place *anchor)
{
    bool is_sure = walk->has_pruning || anchor->seq == walk->first_anchor;

    if (is_sure && walk->told_anchor != walk->first_anchor)
        tell(walk,
             "records up to %" PRId64 " are missing, and pruning took those up to %" PRId64 " away",
             walk->first_anchor, walk->told_anchor);
}

/* Records may be pruned while they are read; then the anchor has moved. */
static void check_anchor(struct walk *walk, const struct audit_place *anchor, struct arena *arena)
{
    struct audit_record newer;
    bool has_moved = anchor->seq != walk->first_anchor && anchor->seq >= walk->oldest;

    if (take_newer(walk, arena, &newer) && !has_moved)
        check_step(walk, &newer, anchor->seq, anchor->hash);
    check_pruning(walk, anchor);
    check_known(walk, anchor->seq, anchor->hash);
    if (walk->hash && !walk->is_known && walk->since < anchor->seq)
        tell(walk, "record %" PRId64 " was pruned; keep the hash of a newer one", walk->since);
    else if (walk->hash && !walk->is_known && walk->since <= walk->newest)
        tell(walk, "record %" PRId64 ", which was seen earlier, is missing", walk->since);
}

/* Returns false if the service did not answer. */
static bool go(struct walk *walk, bool verifies)
{
    struct audit_list page = {.next_cursor = NULL};
    char cursor[32] = "";
    bool goes_on = true;

    do {
        struct arena arena;
        arena_init(&arena);
        bool is_there = ask_page(walk, cursor[0] ? cursor : NULL, &arena, &page);
        const struct audit_record *records = page.records.items;
        if (is_there && verifies && !cursor[0]) check_head(walk, &page);
        for (size_t i = 0; is_there && goes_on && i < page.records.count; i++)
            goes_on = walk->take(walk, &records[i], &arena);
        goes_on = is_there && goes_on && page.next_cursor;
        if (is_there && verifies && !goes_on) check_anchor(walk, page.anchor, &arena);
        snprintf(cursor, sizeof(cursor), "%s", goes_on ? page.next_cursor : "");
        arena_done(&arena);
        if (!is_there) return false;
    } while (goes_on);
    return true;
}

static int verify_chain(struct walk *walk)
{
    buf_init(&walk->newer, RECORD_MAX);
    bool is_read = go(walk, true);
    buf_done(&walk->newer);
    if (!is_read) return EXIT_FAILURE;
    if (walk->faults > FAULTS_TOLD_MAX)
        buf_printf(walk->out, "%s: and %zu more\n", walk->store, walk->faults - FAULTS_TOLD_MAX);
    if (walk->faults == 0)
        buf_printf(walk->out, "%s: whole up to record %" PRId64 " with the hash\n  %s\n",
                   walk->store, walk->newest, walk->head_hash);
    return walk->faults > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static struct walk walk_of(const struct admin_input *input, const struct admin_service *service,
                           struct buf *out, struct buf *why)
{
    const char *since = admin_value(input, "since");
    struct walk walk = {.input = input, .service = service, .out = out, .why = why};
    long long seq = 0;

    if (since && str_to_int64(str_of(since), &seq)) walk.since = seq;
    return walk;
}

static int each_chain(const struct walk *start, int (*run)(struct walk *walk))
{
    const char *store = admin_value(start->input, "store");
    int status = EXIT_SUCCESS;

    for (size_t i = 0; audit_store_words[i]; i++) {
        struct walk walk = *start;
        if (store && strcmp(store, audit_store_words[i]) != 0) continue;
        walk.store = audit_store_words[i];
        if (run(&walk) != EXIT_SUCCESS) status = EXIT_FAILURE;
        if (start->why->len > 0) return EXIT_FAILURE;
    }
    return status;
}

static bool is_store(const struct admin_input *input, struct buf *why)
{
    const char *store = admin_value(input, "store");
    if (!store || word_index(audit_store_words, store) >= 0) return true;
    buf_text(why, "--store is one of these words: verification, exchange.");
    return false;
}

int admin_audit_verify(const struct admin_input *input, const struct admin_service *service,
                       struct arena *arena, struct buf *out, struct buf *why)
{
    struct walk start = walk_of(input, service, out, why);
    uint8_t bytes[AUDIT_HASH_LEN];
    char hash[AUDIT_HASH_TEXT_LEN + 1];
    (void)arena;

    start.hash = admin_value(input, "hash");
    start.take = verify_record;
    if (!is_store(input, why)) return EXIT_WRONG_COMMAND;
    bool is_one = start.since > 0 && start.hash && admin_value(input, "store");
    bool is_none = !admin_value(input, "since") && !start.hash;
    if (!is_none && (!is_one || !audit_hash_bytes(start.hash, bytes))) {
        buf_text(why,
                 "--since SEQ and --hash HASH belong together, with --store: the place and the "
                 "hash of a record of that chain, as it was shown.");
        return EXIT_WRONG_COMMAND;
    }
    if (is_one) { /* it may have been kept in capitals */
        audit_hash_text((struct str){(const char *)bytes, sizeof(bytes)}, hash);
        start.hash = hash;
    }
    struct progress *progress = progress_begin("recomputes the chains");
    int status = each_chain(&start, verify_chain);
    progress_end(progress);
    return status;
}

/* --- Exporting -------------------------------------------------------------------------------- */

static bool print_record(struct walk *walk, const struct audit_record *record, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF line = {0};
    (void)arena;

    if (record->seq <= walk->since) return false;
    buf_init(&line, RECORD_MAX);
    json_writer_init(&writer, &line);
    record_encode(&audit_record_record, record, &writer);
    buf_char(&line, '\n');
    walk->is_cut = line.is_full || fwrite(line.data, 1, line.len, stdout) != line.len;
    return !walk->is_cut;
}

/* Whoever keeps an export has to know that it is not whole. */
static int export_chain(struct walk *walk)
{
    if (!go(walk, false)) return EXIT_FAILURE;
    if (!walk->is_cut && fflush(stdout) == 0) return EXIT_SUCCESS;
    buf_text(walk->why, "The records could not be written: the export is cut off.");
    return EXIT_FAILURE;
}

int admin_audit_export(const struct admin_input *input, const struct admin_service *service,
                       struct arena *arena, struct buf *out, struct buf *why)
{
    struct walk start = walk_of(input, service, out, why);
    (void)arena;

    start.take = print_record;
    if (!is_store(input, why)) return EXIT_WRONG_COMMAND;
    return each_chain(&start, export_chain);
}

/* --- A page for people ------------------------------------------------------------------------ */

/* Names and values are what others chose: none may steer the terminal, or begin a line that looks
 * like another record. */
static const char *safe(const struct admin_view *view, const char *text)
{
    return show_safe(str_of(text), view->arena);
}

static const char *safe_value(const struct admin_view *view, const char *value)
{
    return value ? safe(view, value) : "(none)";
}

static void show_one(const struct admin_view *view, const struct audit_record *record)
{
    const struct audit_change *changes = record->changes.items;
    const char *id = record->target->id;
    char at[CLOCK_TEXT_LEN + 1];

    clock_format(record->at, at);
    buf_printf(view->out, "%" PRId64 "  %s  %s  %s %s  by %s\n", record->seq, at,
               safe(view, record->action), safe(view, record->target->type),
               id ? safe(view, id) : "", safe(view, record->actor->name));
    for (size_t i = 0; i < record->changes.count; i++)
        buf_printf(view->out, "    %s: %s -> %s\n", safe(view, changes[i].field),
                   safe_value(view, changes[i].from), safe_value(view, changes[i].to));
}

void show_audit(const struct admin_view *view)
{
    const struct audit_list *list = view->value;
    const struct audit_record *records = list->records.items;

    if (list->records.count == 0) buf_text(view->out, "There is no such record.\n");
    for (size_t i = 0; i < list->records.count; i++)
        show_one(view, &records[i]);
    if (list->next_cursor)
        buf_printf(view->out, "\nThere are older ones: --cursor %s\n", list->next_cursor);
}

/* --- A page of each chain --------------------------------------------------------------------- */

static const struct audit_record *record_at(const struct audit_list *page, size_t index)
{
    const struct audit_record *records = page->records.items;
    return index < page->records.count ? &records[index] : NULL;
}

/* Of two chains only the clock tells which record is newer. Returns false at the end. */
static bool show_newer(const struct admin_view *view, const struct audit_list pages[2],
                       size_t shown[2])
{
    const struct audit_record *first = record_at(&pages[0], shown[0]);
    const struct audit_record *second = record_at(&pages[1], shown[1]);
    bool is_second = second && (!first || second->at > first->at);
    const struct audit_record *newer = is_second ? second : first;

    if (!newer) return false;
    buf_printf(view->out, "%s ", audit_store_words[is_second]);
    show_one(view, newer);
    shown[is_second]++;
    return true;
}

static void show_both(const struct admin_view *view, const struct audit_list pages[2])
{
    size_t shown[2] = {0};

    while (show_newer(view, pages, shown)) {
    }
    if (shown[0] + shown[1] == 0) buf_text(view->out, "There is no such record.\n");
    for (int i = 0; i < 2; i++) {
        if (pages[i].next_cursor)
            buf_printf(view->out, "\nThere are older ones: --store %s --cursor %s\n",
                       audit_store_words[i], pages[i].next_cursor);
    }
}

static void print_pages(const struct audit_list pages[2], size_t count, struct buf *out)
{
    struct json_writer writer;
    AUTO_BUF json = {0};

    buf_init(&json, PAGES_MAX);
    json_writer_init(&writer, &json);
    if (count > 1) json_object_begin(&writer);
    for (size_t i = 0; i < count; i++) {
        if (count > 1) json_key(&writer, audit_store_words[i]);
        record_encode(&audit_list_record, &pages[i], &writer);
    }
    if (count > 1) json_object_end(&writer);
    terminal_escape(buf_view(&json), "\n", out);
    buf_char(out, '\n');
}

int admin_audit_list(const struct admin_input *input, const struct admin_service *service,
                     struct arena *arena, struct buf *out, struct buf *why)
{
    const char *base = admin_make_target(input, arena);
    bool is_one = admin_value(input, "store") || admin_value(input, "cursor");
    size_t count = is_one ? 1 : 2;
    struct audit_list pages[2];
    bool is_read = true;

    struct progress *progress = progress_begin("reads the audit");
    for (size_t i = 0; is_read && i < count; i++) {
        const char *both = arena_printf(arena, "%s%cstore=%s", base, strchr(base, '?') ? '&' : '?',
                                        audit_store_words[i]);
        is_read = admin_read(input, service, is_one ? base : both, &audit_list_record, arena,
                             &pages[i], why);
    }
    progress_end(progress);
    if (!is_read) return EXIT_FAILURE;
    struct admin_view view = {.input = input, .value = &pages[0], .arena = arena, .out = out};
    if (input->wants_json)
        print_pages(pages, count, out);
    else if (is_one)
        show_audit(&view);
    else
        show_both(&view, pages);
    return EXIT_SUCCESS;
}
