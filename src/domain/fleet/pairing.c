/*
 * These are the rules of pairing (contract, section 15.1). A code has only 100 million values, so
 * it is stored under a keyed hash, and wrong ones are counted whatever their addresses: the times
 * of the last ones stand in one row, which is written only while a code is open.
 */
#include "domain/fleet/pairing.h"

#include "core/audit.h"
#include "domain/fleet/fleet_db.h"
#include "kit/qr/qr.h"

#include <stdlib.h>

enum {
    CODES_TRIED_MAX = 8, /* until one is found that no other phone has */
    CODE_BOUND = 100 * 1000 * 1000,
};

static struct str hash_code(struct work *work, struct str code)
{
    uint8_t *hash = arena_alloc(work->arena, SECRET_HASH_LEN);
    const char *text = arena_printf(work->arena, "pairing %.*s", (int)code.len, code.data);
    vault_fingerprint(work->service->vault, str_of(text), hash);
    return (struct str){(const char *)hash, SECRET_HASH_LEN};
}

/* --- Making a code ---------------------------------------------------------------------------- */

static enum err draw_code(struct work *work, const struct uuid *device_id, int64_t expires_at,
                          const char **ret_code)
{
    enum err err = ERR_UNIQUE;
    for (int i = 0; err == ERR_UNIQUE && i < CODES_TRIED_MAX; i++) {
        *ret_code = arena_printf(work->arena, "%0*u", PAIRING_CODE_LEN, random_below(CODE_BOUND));
        err = pairing_insert(work, device_id, hash_code(work, str_of(*ret_code)), expires_at);
    }
    return err;
}

static enum err draw_qr(struct work *work, const char *url, const char **ret_svg)
{
    AUTO_BUF svg = {0};

    buf_init(&svg, QR_SVG_MAX);
    enum err err = qr_svg(url, &svg);
    if (err || svg.is_full) return LOG_BROKEN("the link has no QR code");
    *ret_svg = arena_str(work->arena, buf_view(&svg));
    return ERR_OK;
}

enum err pairing_create(struct work *work, const struct uuid *device_id,
                        struct pairing *ret_pairing)
{
    struct audit_changes changes = {.arena = work->arena};
    int64_t removed_at = 0;

    enum err err = device_hold(work, device_id);
    if (!err) err = device_select_removed(work, device_id, &removed_at);
    if (!err && removed_at) err = ERR_NOT_FOUND;
    if (err) return err;
    ret_pairing->expires_at = work->now_ms + PAIRING_OPEN_MS;
    err = draw_code(work, device_id, ret_pairing->expires_at, &ret_pairing->code);
    if (err) return err;
    ret_pairing->url = arena_printf(work->arena, "%s/pair?code=%s", work->service->fleet->own_url,
                                    ret_pairing->code);
    work_note(work, LOG_INFO, "pairing code made", LOG_FIELDS(log_device(device_id)));
    audit_change_secret(&changes, "pairing_code");
    work_audit_id(work, "device.pair", "device", device_id, &changes);
    return draw_qr(work, ret_pairing->url, &ret_pairing->qr_svg);
}

/* --- Using a code ----------------------------------------------------------------------------- */

/* The times of the wrong codes that still count, with this one: oldest first, at most
 * PAIRING_WRONG_MAX. */
static const char *add_wrong(struct work *work, const char *wrong_at, int *ret_count)
{
    const char *kept = "";
    long long at;

    *ret_count = 0;
    for (struct str rest = str_of(wrong_at); rest.len > 0;) {
        const char *end = memchr(rest.data, ' ', rest.len);
        struct str word = {rest.data, end ? (size_t)(end - rest.data) : rest.len};
        rest =
            (struct str){word.data + word.len + (end != NULL), rest.len - word.len - (end != NULL)};
        bool counts = str_to_int64(word, &at) && at > work->now_ms - PAIRING_WINDOW_MS;
        if (!counts) continue;
        kept = arena_printf(work->arena, "%s%lld ", kept, at);
        ++*ret_count;
    }
    ++*ret_count;
    return arena_printf(work->arena, "%s%lld", kept, (long long)work->now_ms);
}

/* Strangers are trying codes. What they tried so far counts no more, since all open codes end. */
static enum err end_all(struct work *work)
{
    struct audit_changes changes = {.arena = work->arena};
    int64_t count = 0;

    enum err err = pairing_delete_all(work, &count);
    if (!err) err = pairing_guard_update(work, "");
    if (err) return err;
    work_note(work, LOG_WARNING, "too many wrong pairing codes: all open ones have ended",
              LOG_FIELDS(log_int("wrong_codes", PAIRING_WRONG_MAX), log_int("ended", count),
                         log_plain("address", work->address)));
    audit_change_text(&changes, "open_codes", arena_printf(work->arena, "%lld", (long long)count),
                      "0");
    work_audit(work, "pairing.use", "pairing", NULL, &changes);
    return ERR_OK;
}

/* Counts a wrong code; without an open one there is nothing to guess, and nothing is written. */
static enum err refuse(struct work *work, bool *ret_is_wrong)
{
    const char *wrong_at;
    bool is_any_open;
    int count;

    *ret_is_wrong = true;
    enum err err = pairing_is_any_open(work, &is_any_open);
    if (err || !is_any_open) return err;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    err = pairing_guard_hold(work, &wrong_at);
    if (err) return err;
    wrong_at = add_wrong(work, wrong_at, &count);
    return count >= PAIRING_WRONG_MAX ? end_all(work) : pairing_guard_update(work, wrong_at);
}

static void tell_paired(struct work *work, const struct uuid *device_id)
{
    struct audit_changes changes = {.arena = work->arena};

    work_note(work, LOG_INFO, "device paired",
              LOG_FIELDS(log_device(device_id), log_plain("address", work->address)));
    audit_change_secret(&changes, "key");
    work_audit_id(work, "pairing.use", "device", device_id, &changes);
}

enum err pairing_use(struct work *work, struct str code, struct rotated_key *ret_key,
                     bool *ret_is_wrong)
{
    struct str hash = hash_code(work, code);
    struct uuid device_id;
    bool was_open;

    *ret_is_wrong = false;
    enum err err = pairing_select(work, hash, &device_id);
    if (err == ERR_NOT_FOUND) return refuse(work, ret_is_wrong);
    if (!err && work->task.is_read) err = ERR_WRITE_NEEDED;
    /* The phone comes before its code in the order of locks. */
    if (!err) err = device_hold(work, &device_id);
    if (!err) err = pairing_take(work, hash, &was_open);
    if (err) return err;
    if (!was_open) return refuse(work, ret_is_wrong);
    err = fleet_renew_key(work, &device_id, ret_key);
    if (!err) tell_paired(work, &device_id);
    return err;
}
