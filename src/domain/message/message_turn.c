/*
 * The bot's pace in a chat (contract, section 3): each message takes a turn when it is created, so
 * that no worker has to know what another one sent. What does not go out at its turn takes another
 * one behind all others of the chat. What is found late, as after a restart, together with others
 * perhaps, goes at once if no other late one went to the chat within its pace.
 */
#include "domain/message/message_turn.h"

#include "domain/message/message_db.h"

/* Groups and channels have ids below 0 or a @name. */
static int64_t pace_of(const char *chat_id)
{
    bool is_group = chat_id[0] == '-' || chat_id[0] == '@';
    return is_group ? MESSAGE_GROUP_PACE_MS : MESSAGE_CHAT_PACE_MS;
}

/* A @name is the same in either case. */
static const char *lower_case(struct arena *arena, const char *name)
{
    char *lower = arena_text(arena, name);
    for (char *c = lower; *c; c++) {
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + ('a' - 'A'));
    }
    return lower;
}

enum err message_take_turn(struct work *work, const char *chat_id, int64_t *ret_run_at,
                           int64_t *ret_retry_after_ms)
{
    int64_t turn, last = work->now_ms + MESSAGE_CHAT_QUEUE_MS;
    enum err err = chat_turn_take(work, lower_case(work->arena, chat_id), pace_of(chat_id),
                                  work->now_ms, &turn);
    if (err) return err;
    if (turn > last) {
        *ret_retry_after_ms = turn - last;
        return ERR_RATE_LIMITED;
    }
    *ret_run_at = turn;
    return ERR_OK;
}

enum err message_take_another_turn(struct work *work, const char *chat_id, int64_t at_least_ms,
                                   int64_t *ret_run_at)
{
    const char *chat = lower_case(work->arena, chat_id);
    bool is_now = at_least_ms <= work->now_ms, may_go = false;

    enum err err = is_now ? chat_turn_go_late(work, chat, pace_of(chat_id), &may_go) : ERR_OK;
    if (err) return err;
    if (!may_go) return chat_turn_take(work, chat, pace_of(chat_id), at_least_ms, ret_run_at);
    *ret_run_at = work->now_ms;
    return ERR_OK;
}
