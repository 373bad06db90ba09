/* Codes, challenges and messages are shown as tables that fit 80 columns, and one of them by itself
 * with all that the service tells. */
#include "app/admin/admin_show.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/otp/otp.h"
#include "kit/base/macros.h"

enum { LIST_COLUMNS = 4, TO_SHOWN_MAX = 16 };

/* A row of a list. */
struct list_row {
    const struct uuid *id;
    const char *number, *state;
    int64_t created_at;
};

static void fill_row(const struct list_row *row, struct arena *arena, const char **cells)
{
    cells[0] = uuid_text(row->id, arena);
    cells[1] = row->number ? show_short(row->number, TO_SHOWN_MAX, arena) : NULL;
    cells[2] = row->state;
    cells[3] = show_short_time(row->created_at, arena);
}

/* A page may be empty though older ones go on: the service looks at so many records only. */
static void show_list(const struct admin_view *view, const char *noun, const char *number_head,
                      const struct list_row *rows, size_t count, const char *next_cursor)
{
    const char **cells = arena_array(view->arena, (count + 1) * LIST_COLUMNS, sizeof(char *));

    cells[0] = "ID";
    cells[1] = number_head;
    cells[2] = "STATE";
    cells[3] = "CREATED";
    for (size_t i = 0; i < count; i++)
        fill_row(&rows[i], view->arena, cells + (i + 1) * LIST_COLUMNS);
    if (count > 0)
        show_table(cells, LIST_COLUMNS, count + 1, view->out);
    else if (next_cursor)
        buf_printf(view->out, "There is no such %s among those that were looked at.\n", noun);
    else
        buf_printf(view->out, "There is no such %s.\n", noun);
    if (next_cursor) buf_printf(view->out, "\nOlder ones: --cursor %s\n", next_cursor);
}

/* --- Codes ------------------------------------------------------------------------------------ */

void show_codes(const struct admin_view *view)
{
    const struct otp_list *list = view->value;
    const struct otp *codes = list->codes.items;
    size_t count = list->codes.count;
    struct list_row *rows = arena_array(view->arena, count, sizeof(*rows));

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct list_row){&codes[i].id, codes[i].recipient,
                                    otp_state_words[codes[i].state], codes[i].created_at};
    show_list(view, "code", "RECIPIENT", rows, count, list->next_cursor);
}

static void show_sends(const struct record_list *list, struct arena *arena, struct buf *out)
{
    static const char *const heads[] = {"SEND", "OVER", "STATE", "CHANGED", "ERROR"};
    enum { COLUMNS = COUNT_OF(heads) };
    const struct otp_send *sends = list->items;
    const char **cells = arena_array(arena, (list->count + 1) * COLUMNS, sizeof(char *));

    memcpy(cells, heads, sizeof(heads));
    for (size_t i = 0; i < list->count; i++) {
        const char **row = cells + (i + 1) * COLUMNS;
        row[0] = otp_channel_words[sends[i].channel];
        row[1] = sends[i].gateway_number;
        row[2] = otp_send_state_words[sends[i].state];
        row[3] = show_short_time(sends[i].updated_at, arena);
        row[4] = sends[i].error;
    }
    show_table(cells, COLUMNS, list->count + 1, out);
}

void show_code(const struct admin_view *view)
{
    const struct otp *otp = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"id", uuid_text(&otp->id, arena)},
        {"channel", otp_channel_words[otp->channel]},
        {"recipient", otp->recipient},
        {"state", otp_state_words[otp->state]},
        {"attempts_left", show_number(otp->attempts_left, arena)},
        {"created_at", show_time(otp->created_at, arena)},
        {"expires_at", show_time(otp->expires_at, arena)},
        {"confirmed_at", show_time(otp->confirmed_at, arena)},
        {"test", otp->test ? "yes" : "no"},
        {"metadata", otp->metadata},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
    buf_char(view->out, '\n');
    show_sends(&otp->sends, arena, view->out);
}

void show_fallback(const struct admin_view *view)
{
    buf_text(view->out, "An SMS with the code is queued, or was before: `otp show` tells what "
                        "becomes of it.\n");
}

void show_code_canceled(const struct admin_view *view)
{
    buf_printf(view->out, "The code %s is good no more.\n", view->input->ids[0]);
}

/* --- Challenges ------------------------------------------------------------------------------- */

void show_challenges(const struct admin_view *view)
{
    const struct call_challenge_list *list = view->value;
    const struct call_challenge *challenges = list->challenges.items;
    size_t count = list->challenges.count;
    struct list_row *rows = arena_array(view->arena, count, sizeof(*rows));

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct list_row){&challenges[i].id, challenges[i].caller,
                                    inbound_call_state_words[challenges[i].state],
                                    challenges[i].created_at};
    show_list(view, "challenge", "CALLER", rows, count, list->next_cursor);
}

void show_challenge(const struct admin_view *view)
{
    const struct call_challenge *challenge = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"id", uuid_text(&challenge->id, arena)},
        {"caller", challenge->caller},
        {"gateway_number", challenge->gateway_number},
        {"state", inbound_call_state_words[challenge->state]},
        {"created_at", show_time(challenge->created_at, arena)},
        {"expires_at", show_time(challenge->expires_at, arena)},
        {"confirmed_at", show_time(challenge->confirmed_at, arena)},
        {"gateway_ready", challenge->gateway_ready < 0 ? NULL
                          : challenge->gateway_ready   ? "yes"
                                                       : "no"},
        {"test", challenge->test ? "yes" : "no"},
        {"metadata", challenge->metadata},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
}

void show_challenge_canceled(const struct admin_view *view)
{
    buf_printf(view->out, "No call confirms the challenge %s any more.\n", view->input->ids[0]);
}

/* --- Messages --------------------------------------------------------------------------------- */

void show_messages(const struct admin_view *view)
{
    const struct message_list *list = view->value;
    const struct message *messages = list->messages.items;
    size_t count = list->messages.count;
    struct list_row *rows = arena_array(view->arena, count, sizeof(*rows));

    for (size_t i = 0; i < count; i++) {
        const struct message *message = &messages[i];
        const char *to = message->recipient ? message->recipient : message->chat_id.text;
        rows[i] = (struct list_row){&message->id, to, message_state_words[message->state],
                                    message->created_at};
    }
    show_list(view, "message", "TO", rows, count, list->next_cursor);
}

void show_message(const struct admin_view *view)
{
    const struct message *message = view->value;
    struct arena *arena = view->arena;
    const char *const cells[][2] = {
        {"id", uuid_text(&message->id, arena)},
        {"channel", message_channel_words[message->channel]},
        {"account_id", message->account_id},
        {"recipient", message->recipient},
        {"chat_id", message->chat_id.text},
        {"state", message_state_words[message->state]},
        {"error", message->error},
        {"created_at", show_time(message->created_at, arena)},
        {"updated_at", show_time(message->updated_at, arena)},
        {"test", message->test ? "yes" : "no"},
        {"metadata", message->metadata},
    };
    show_table(&cells[0][0], 2, COUNT_OF(cells), view->out);
}
