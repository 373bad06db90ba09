/* This makes what stands in for personal data, and keeps how far that has gone by age. */
#include "core/personal.h"

#include "core/service.h"

enum { STAND_IN_BYTES = 16 };

static const int64_t DAY_MS = 24 * 60 * 60 * 1000;

void personal_hash(const struct work *work, const char *number,
                   uint8_t ret_hash[static SECRET_HASH_LEN])
{
    const char *text = arena_printf(work->arena, "person %s", number);
    vault_fingerprint(work->service->vault, str_of(text), ret_hash);
}

const char *personal_stand_in(const struct work *work, const char *number)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t hash[SECRET_HASH_LEN];
    char *text = arena_alloc(work->arena, 1 + 2 * STAND_IN_BYTES + 1);

    personal_hash(work, number, hash);
    text[0] = '#';
    for (size_t i = 0; i < STAND_IN_BYTES; i++) {
        text[1 + 2 * i] = digits[hash[i] >> 4];
        text[2 + 2 * i] = digits[hash[i] & 15];
    }
    text[1 + 2 * STAND_IN_BYTES] = '\0';
    return text;
}

int64_t personal_cutoff(const struct work *work)
{
    int64_t days = work->service->personal_days;
    return days == 0 ? 0 : work->now_ms - days * DAY_MS - PERSONAL_SLACK_MS;
}

enum err personal_begin(struct work *work, const char *place, struct personal_span *ret_span)
{
    struct personal_span span = {.is_due = personal_cutoff(work) > 0};

    *ret_span = span;
    if (!span.is_due) return ERR_OK;
    span.before = uuid_at(personal_cutoff(work));
    enum err err = personal_mark_select(work, place, &span.after);
    if (err == ERR_NOT_FOUND) err = ERR_OK;
    if (err) return err;
    /* The clock was ahead when it came so far, or more days are kept since. */
    bool is_ahead = memcmp(&span.after, &span.before, sizeof(span.after)) >= 0;
    if (is_ahead) span.after = (struct uuid){{0}};
    *ret_span = span;
    return ERR_OK;
}
