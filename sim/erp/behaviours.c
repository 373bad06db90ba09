/* A short list, searched from one end to the other, and dice. */
#include "behaviours.h"

#include <stdlib.h>

enum { LATE_MS = 15000, SLOW_MS = 10000, TRICKLE_MS = 100, PPM = 1000000, PURPOSE_MISCHIEF = 77 };

const char *const method_words[METHOD_COUNT + 1] = {"order", "health", "redirected", "unknown"};

const char *const deed_words[DEED_COUNT + 1] = {
    [DEED_OK] = "ok",
    [DEED_SLOW] = "slow",
    [DEED_LATE] = "late",
    [DEED_CUT_BEFORE] = "cut_before",
    [DEED_CUT_AFTER] = "cut_after",
    [DEED_CUT_WITHIN] = "cut_within",
    [DEED_SERVER_ERROR] = "server_error",
    [DEED_STATUS] = "status",
    [DEED_RATE_LIMIT] = "rate_limit",
    [DEED_NO_ORDER_ID] = "no_order_id",
    [DEED_REJECTED] = "rejected",
    [DEED_NONSENSE] = "nonsense",
    [DEED_HUGE] = "huge",
    [DEED_REDIRECT] = "redirect",
    [DEED_WRONG_TOKEN] = "wrong_token",
    [DEED_ANSWER] = "answer",
    [DEED_TRICKLE] = "trickle",
};

const struct deed_row deed_rows[DEED_COUNT] = {
    [DEED_OK] = {.makes_document = true, .doc = "as if nothing had been told"},
    [DEED_SLOW] = {.makes_document = true,
                   .wait_ms = SLOW_MS,
                   .doc = "after wait_ms (10000 where not given) as usual"},
    [DEED_LATE] = {.makes_document = true,
                   .is_misdeed = true,
                   .wait_ms = LATE_MS,
                   .doc = "the document is made at once, the answer comes after wait_ms (15000)"},
    [DEED_CUT_BEFORE] = {.is_misdeed = true,
                         .doc = "reads the request, then cuts the connection before anything is "
                                "done"},
    [DEED_CUT_AFTER] = {.makes_document = true,
                        .is_misdeed = true,
                        .doc = "makes the document, then cuts the connection without a byte of "
                               "answer"},
    [DEED_CUT_WITHIN] = {.makes_document = true,
                         .is_misdeed = true,
                         .doc = "makes the document, then cuts the connection within the answer"},
    [DEED_SERVER_ERROR] = {.is_misdeed = true,
                           .http_status = 502,
                           .doc = "502 with an HTML page; no document unless \"taken\""},
    [DEED_STATUS] = {.http_status = 500,
                     .doc = "http_status (500) with `body`; no document unless \"taken\""},
    [DEED_RATE_LIMIT] = {.is_misdeed = true,
                         .http_status = 429,
                         .doc = "429 with Retry-After: retry_after (1)"},
    [DEED_NO_ORDER_ID] = {.makes_document = true,
                          .is_of_orders = true,
                          .is_misdeed = true,
                          .doc = "accepted without order_id, though the document is made"},
    [DEED_REJECTED] = {.is_of_orders = true,
                       .doc = "200, accepted false, with `body` as the message of the error; no "
                              "document"},
    [DEED_NONSENSE] = {.makes_document = true,
                       .is_misdeed = true,
                       .http_status = 200,
                       .doc = "200 with a body of the shape html, truncated, huge, empty or "
                              "other_json; the document is made"},
    [DEED_HUGE] = {.makes_document = true,
                   .is_misdeed = true,
                   .doc = "the usual answer within 1 MiB of blanks"},
    [DEED_REDIRECT] = {.is_misdeed = true,
                       .http_status = 302,
                       .doc = "302 (or http_status) to another path of this port; who follows is "
                              "recorded with method redirected, and makes no document"},
    [DEED_WRONG_TOKEN] = {.is_misdeed = true,
                          .http_status = 401,
                          .doc = "401 as for a wrong token"},
    [DEED_ANSWER] = {.http_status = 200,
                     .doc = "http_status (200), exactly `body` and the extra `headers`; no "
                            "document unless \"taken\""},
    [DEED_TRICKLE] = {.makes_document = true,
                      .wait_ms = TRICKLE_MS,
                      .doc = "the usual answer, a byte each wait_ms (100)"},
};

const char *const shape_words[SHAPE_COUNT + 1] = {
    [SHAPE_HTML] = "html",   [SHAPE_TRUNCATED] = "truncated",   [SHAPE_HUGE] = "huge",
    [SHAPE_EMPTY] = "empty", [SHAPE_OTHER_JSON] = "other_json",
};

struct behaviour behaviour_standard(enum deed deed)
{
    const struct deed_row *row = &deed_rows[deed];

    return (struct behaviour){
        .deed = deed,
        .wait_ms = row->wait_ms,
        .http_status = row->http_status,
        .is_taken = row->makes_document,
        .accepted = -1,
    };
}

/* ---- what was told ---- */

struct told {
    enum method method;
    char order[ORDER_TEXT_LEN + 1]; /* "": any */
    struct behaviour behaviour;
    struct arena *texts;
    int64_t left; /* below 0: without end */
};

struct behaviours {
    struct told rows[BEHAVIOURS_MAX];
    size_t count;
    struct mischief mischief;
    struct chance chance;
};

struct behaviours *behaviours_new(const struct mischief *mischief)
{
    struct behaviours *behaviours = calloc(1, sizeof(*behaviours));

    if (!behaviours) abort();
    behaviours->mischief = *mischief;
    behaviours->chance = chance_of((uint64_t)mischief->seed, PURPOSE_MISCHIEF, 0);
    return behaviours;
}

void behaviours_free(struct behaviours *behaviours)
{
    if (!behaviours) return;
    behaviours_clear(behaviours);
    free(behaviours);
}

static void drop_texts(struct told *row)
{
    arena_done(row->texts);
    free(row->texts);
}

void behaviours_clear(struct behaviours *behaviours)
{
    for (size_t i = 0; i < behaviours->count; i++)
        drop_texts(&behaviours->rows[i]);
    behaviours->count = 0;
}

static struct behaviour copy(const struct behaviour *behaviour, struct arena *arena)
{
    struct behaviour copied = *behaviour;

    copied.order_id = arena_text(arena, behaviour->order_id);
    copied.retry_after = arena_text(arena, behaviour->retry_after);
    copied.body = arena_text(arena, behaviour->body);
    copied.headers = arena_text(arena, behaviour->headers);
    return copied;
}

bool behaviours_add(struct behaviours *behaviours, const struct behaviour_scope *scope,
                    const struct behaviour *behaviour, int64_t count)
{
    if (behaviours->count == BEHAVIOURS_MAX) return false;
    struct told *row = &behaviours->rows[behaviours->count++];
    *row = (struct told){.method = scope->method, .left = count};
    if (scope->order) memcpy(row->order, scope->order, ORDER_TEXT_LEN);
    row->texts = calloc(1, sizeof(*row->texts));
    if (!row->texts) abort();
    arena_init(row->texts);
    row->behaviour = copy(behaviour, row->texts);
    return true;
}

/* ---- what a call meets ---- */

static bool holds(const struct told *row, const struct behaviour_scope *call)
{
    if (row->method != call->method) return false;
    return !row->order[0] || (call->order && strcmp(row->order, call->order) == 0);
}

static struct told *find_row(struct behaviours *behaviours, const struct behaviour_scope *call)
{
    struct told *endless = NULL;

    for (size_t i = 0; i < behaviours->count; i++) {
        struct told *row = &behaviours->rows[i];
        if (!holds(row, call)) continue;
        if (row->left > 0) return row;
        endless = row;
    }
    return endless;
}

static void use_up(struct behaviours *behaviours, struct told *row)
{
    if (row->left < 0 || --row->left > 0) return;
    size_t at = (size_t)(row - behaviours->rows);
    drop_texts(row);
    memmove(row, row + 1, (behaviours->count - at - 1) * sizeof(*row));
    behaviours->count--;
}

static struct behaviour draw_misdeed(struct behaviours *behaviours)
{
    struct chance *chance = &behaviours->chance;
    enum deed deeds[DEED_COUNT];
    uint32_t count = 0;

    for (enum deed deed = DEED_OK; deed < DEED_COUNT; deed++)
        if (deed_rows[deed].is_misdeed) deeds[count++] = deed;
    struct behaviour drawn = behaviour_standard(deeds[chance_below(chance, count)]);
    drawn.shape = (enum shape)chance_below(chance, SHAPE_COUNT);
    if (drawn.deed == DEED_LATE) drawn.wait_ms = behaviours->mischief.late_ms;
    return drawn;
}

struct behaviour behaviours_take(struct behaviours *behaviours, const struct behaviour_scope *call,
                                 struct arena *arena)
{
    struct told *row = find_row(behaviours, call);

    if (row) {
        struct behaviour taken = copy(&row->behaviour, arena);
        use_up(behaviours, row);
        return taken;
    }
    bool may_draw = call->method == METHOD_ORDER && behaviours->mischief.ppm > 0;
    if (may_draw && chance_below(&behaviours->chance, PPM) < behaviours->mischief.ppm)
        return draw_misdeed(behaviours);
    return behaviour_standard(DEED_OK);
}

int64_t behaviours_left(const struct behaviours *behaviours)
{
    int64_t left = 0;

    for (size_t i = 0; i < behaviours->count; i++) {
        if (behaviours->rows[i].left > 0) left += behaviours->rows[i].left;
    }
    return left;
}
