/* A ring of records. A claimed call stays in it, so that it can still be looked at. */
#include "ledger.h"

#include "memory.h"

#include <stdio.h>

struct ledger {
    struct call_record *ring; /* CALLS_MAX of them */
    uint64_t first;           /* the number of the oldest call that is still here */
    uint64_t next;            /* the number that the next call gets */
    size_t bytes;
    uint64_t dropped;
    uint64_t unclaimed_from; /* all below are claimed */
    FILE *file;
    bool has_failed;
};

struct ledger *ledger_new(const char *file)
{
    struct ledger *ledger = memory_new(sizeof(*ledger));

    ledger->ring = memory_new(CALLS_MAX * sizeof(*ledger->ring));
    ledger->first = ledger->next = ledger->unclaimed_from = 1;
    if (!file) return ledger;
    ledger->file = fopen(file, "ae");
    ledger->has_failed = !ledger->file;
    if (ledger->file) setvbuf(ledger->file, NULL, _IOLBF, 0);
    return ledger;
}

bool ledger_can_write(const struct ledger *ledger)
{
    return !ledger->has_failed;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger) return;
    ledger_clear(ledger);
    if (ledger->file) fclose(ledger->file);
    free(ledger->ring);
    free(ledger);
}

static struct call_record *record_at(const struct ledger *ledger, uint64_t number)
{
    return &ledger->ring[number % CALLS_MAX];
}

static void drop_oldest(struct ledger *ledger)
{
    struct call_record *call = record_at(ledger, ledger->first++);

    ledger->bytes -= call->json_len;
    free(call->json);
    call->json = NULL;
    if (ledger->unclaimed_from < ledger->first) ledger->unclaimed_from = ledger->first;
}

void ledger_clear(struct ledger *ledger)
{
    while (ledger->first < ledger->next)
        drop_oldest(ledger);
    ledger->dropped = 0;
}

static void make_room(struct ledger *ledger, size_t bytes)
{
    while (ledger->first < ledger->next &&
           (ledger->next - ledger->first == CALLS_MAX || ledger->bytes + bytes > CALLS_BYTES_MAX)) {
        drop_oldest(ledger);
        ledger->dropped++;
    }
}

uint64_t ledger_next_number(const struct ledger *ledger)
{
    return ledger->next;
}

static void write_line(struct ledger *ledger, const struct buf *json)
{
    if (!ledger->file) return;
    bool is_written = fwrite(json->data, 1, json->len, ledger->file) == json->len &&
                      fputc('\n', ledger->file) != EOF;
    if (!is_written) ledger->has_failed = true;
}

void ledger_add(struct ledger *ledger, struct call_record call, struct buf *take_json)
{
    write_line(ledger, take_json);
    make_room(ledger, take_json->len);
    call.number = ledger->next++;
    call.json_len = take_json->len - 1;
    /* The buf has room to spare; 200,000 of them had better not. */
    call.json = realloc(take_json->data, take_json->len);
    if (!call.json) abort();
    *record_at(ledger, call.number) = call;
    ledger->bytes += call.json_len;
    take_json->data = NULL;
    buf_done(take_json);
}

void ledger_end(struct ledger *ledger, uint64_t number, bool had_effect, struct str members)
{
    if (number < ledger->first || number >= ledger->next) return;
    struct call_record *call = record_at(ledger, number);
    call->json = realloc(call->json, call->json_len + members.len);
    if (!call->json) abort();
    memcpy(call->json + call->json_len, members.data, members.len);
    call->json_len += members.len;
    ledger->bytes += members.len;
    call->had_effect = had_effect;
    call->until_ended = NULL;
}

/* ---- looking ---- */

static bool fits_text(const char *wanted, const char *text)
{
    return !wanted || strcmp(wanted, text) == 0;
}

static bool fits(const struct call_record *call, const struct call_filter *filter)
{
    if (filter->claimed >= 0 && call->is_claimed != (filter->claimed != 0)) return false;
    if (filter->had_effect >= 0 && call->had_effect != (filter->had_effect != 0)) return false;
    if (!fits_text(filter->peer, call->peer)) return false;
    if (!fits_text(filter->method, call->method)) return false;
    if (filter->method_not && strcmp(filter->method_not, call->method) == 0) return false;
    if (!fits_text(filter->subject, call->subject)) return false;
    if (!filter->contains) return true;
    return memmem(call->json, call->json_len, filter->contains, strlen(filter->contains)) != NULL;
}

const struct call_record *ledger_find(const struct ledger *ledger, const struct call_filter *filter)
{
    uint64_t number = filter->after + 1;

    if (number < ledger->first) number = ledger->first;
    if (filter->claimed == 0 && number < ledger->unclaimed_from) number = ledger->unclaimed_from;
    for (; number < ledger->next; number++) {
        if (fits(record_at(ledger, number), filter)) return record_at(ledger, number);
    }
    return NULL;
}

static void skip_claimed(struct ledger *ledger)
{
    while (ledger->unclaimed_from < ledger->next &&
           record_at(ledger, ledger->unclaimed_from)->is_claimed)
        ledger->unclaimed_from++;
}

const struct call_record *ledger_claim(struct ledger *ledger, struct call_filter filter)
{
    filter.claimed = 0;
    const struct call_record *found = ledger_find(ledger, &filter);
    if (!found) return NULL;
    record_at(ledger, found->number)->is_claimed = true;
    skip_claimed(ledger);
    return found;
}

size_t ledger_count(const struct ledger *ledger, struct call_filter filter)
{
    const struct call_record *call;
    size_t count = 0;

    while ((call = ledger_find(ledger, &filter))) {
        filter.after = call->number;
        count++;
    }
    return count;
}

uint64_t ledger_dropped(const struct ledger *ledger)
{
    return ledger->dropped;
}

void call_record_write(const struct call_record *call, struct buf *out)
{
    buf_append(out, call->json, call->json_len);
    if (call->until_ended) buf_text(out, call->until_ended);
    buf_text(out, call->is_claimed ? ",\"claimed\":true}" : ",\"claimed\":false}");
}

void ledger_put_calls(const struct ledger *ledger, struct call_filter filter, int64_t limit,
                      struct json_writer *json)
{
    const struct call_record *call;
    AUTO_BUF record = {0};

    buf_init(&record, SIZE_MAX);
    json_key(json, "calls");
    json_array_begin(json);
    while (limit-- > 0 && (call = ledger_find(ledger, &filter))) {
        buf_clear(&record);
        call_record_write(call, &record);
        json_raw(json, buf_view(&record));
        filter.after = call->number;
    }
    json_array_end(json);
}
