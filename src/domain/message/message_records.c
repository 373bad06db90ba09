/* These tables say how messages look on the wire (doc A, section 2; contract, section 2). */
#include "core/personal.h"
#include "domain/message/message.h"
#include "kit/base/macros.h"

#include <stddef.h>

enum { CHAT_NAME_MIN = 4, CHAT_NAME_MAX = 32 };

/* --- The text --- */

/* This is the white space of an ECMA-262 pattern, as UTF-8: the bot's provider refuses a message
 * that nobody can see. */
static const char *const blanks[] = {
    "\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u00A0", "\u1680", "\u2000",
    "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
    "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000", "\uFEFF",
};

static size_t blank_length(struct str text)
{
    for (size_t i = 0; i < COUNT_OF(blanks); i++) {
        size_t len = strlen(blanks[i]);
        if (len <= text.len && memcmp(text.data, blanks[i], len) == 0) return len;
    }
    return 0;
}

static bool is_visible(struct str text)
{
    while (text.len > 0) {
        size_t len = blank_length(text);
        if (len == 0) return true;
        text.data += len;
        text.len -= len;
    }
    return false;
}

/* --- The chat --- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_chat_name(struct str name)
{
    if (name.len < CHAT_NAME_MIN || name.len > CHAT_NAME_MAX || !is_letter(name.data[0]))
        return false;
    for (size_t i = 1; i < name.len; i++) {
        char c = name.data[i];
        if (!is_letter(c) && !str_is_digit(c) && c != '_') return false;
    }
    return true;
}

/* A number has one form, without zeros in front and without -0, so that its chat has one turn. */
static bool is_chat_id(struct str text)
{
    size_t sign = text.len > 0 && text.data[0] == '-';
    long long number;
    if (text.len > 0 && text.data[0] == '@')
        return is_chat_name((struct str){text.data + 1, text.len - 1});
    return text.len > sign && text.data[sign] != '0' && str_to_int64(text, &number);
}

const struct field_format message_format_chat_id = {
    .is_valid = is_chat_id,
    .message = "Must be the number of a chat, not 0, or the @name of a public one, such as "
               "@example.",
    .pattern = "^(-?[1-9][0-9]{0,18}|@[A-Za-z][A-Za-z0-9_]{3,31})$",
};

/* --- MessageInput --- */

static const struct field input_fields[] = {
    FIELD(struct message_input, channel, FIELD_ENUM, FIELD_REQUIRED,
          "How it goes out. A channel without a configured driver answers 503.",
          .words = message_input_channel_words, .example = "messenger_bot"),
    FIELD(struct message_input, text, FIELD_STRING, FIELD_REQUIRED,
          "What to send, to the letter; for `messenger_bot` more than white space, and an "
          "emoji counts as two characters (units of UTF-16). It is kept "
          "encrypted until it is sent, and never returned.",
          .min = 1, .max = MESSAGE_TEXT_MAX, .example = "Your order is ready."),
    FIELD(struct message_input, account_id, FIELD_STRING, 0,
          "Only for `personal_messenger`, and required there: the account that sends it.", .min = 1,
          .max = ACCOUNT_ID_MAX, .example = "shop-12"),
    FIELD(struct message_input, recipient, FIELD_STRING, 0,
          "Only for `personal_messenger`, and required there: the number to send to.",
          .format = &format_e164, .example = "+79161234567"),
    FIELD(struct message_input, chat_id, FIELD_STRING_OR_INTEGER, 0,
          "Only for `messenger_bot`, and required there: the number of a known chat, as a number "
          "or a string, or the @name of a public one.",
          .format = &message_format_chat_id, .example = "-1001234567890"),
    METADATA_INPUT_ROW(struct message_input),
};

static void check_pair(struct record_faults *faults, const char *path, const void *value,
                       int channel, enum message_channel wanted)
{
    if (channel == (int)wanted && !value)
        record_fault(faults, path, "Required for the channel %s.", message_channel_words[wanted]);
    if (channel != (int)wanted && value)
        record_fault(faults, path, "Only goes with the channel %s; leave it out.",
                     message_channel_words[wanted]);
}

/* The messenger counts the units of UTF-16: a character beyond U+FFFF, such as an emoji, is two. */
static void check_bot_text(struct record_faults *faults, const char *text)
{
    size_t units = utf16_length(str_of(text));

    if (!is_visible(str_of(text))) record_fault(faults, "text", "Must hold more than white space.");
    if (units > MESSAGE_TEXT_MAX)
        record_fault(faults, "text",
                     "Must have at most %d characters for the channel messenger_bot, where an "
                     "emoji counts as two; this has %zu.",
                     MESSAGE_TEXT_MAX, units);
}

/* Each channel wants its own fields. The channel is -1 where it is at fault itself. */
static void check_input(struct record_faults *faults, const void *value)
{
    const struct message_input *input = value;
    const char *chat_id = input->chat_id.text;

    /* A string has passed this check already; a number has not. */
    if (chat_id && !is_chat_id(str_of(chat_id)))
        record_fault(faults, "chat_id", "%s", message_format_chat_id.message);
    if (input->channel < 0) return;
    check_pair(faults, "account_id", input->account_id, input->channel, MESSAGE_PERSONAL_MESSENGER);
    check_pair(faults, "recipient", input->recipient, input->channel, MESSAGE_PERSONAL_MESSENGER);
    check_pair(faults, "chat_id", chat_id, input->channel, MESSAGE_MESSENGER_BOT);
    if (input->channel == MESSAGE_MESSENGER_BOT && input->text) check_bot_text(faults, input->text);
}

const struct record message_input_record = {
    .name = "MessageInput",
    .doc = "Asks for a message.",
    .size = sizeof(struct message_input),
    RECORD_FIELDS(input_fields),
    .check = check_input,
};

/* --- Message --- */

static const struct field message_fields[] = {
    FIELD(struct message, id, FIELD_UUID, FIELD_REQUIRED, "The id of the message."),
    FIELD(struct message, channel, FIELD_ENUM, FIELD_REQUIRED,
          "How it goes out. sms: herald itself tells of a trouble (HERALD_ALERT_NUMBER).",
          .words = message_channel_words, .example = "messenger_bot"),
    FIELD(
        struct message, state, FIELD_ENUM, FIELD_REQUIRED,
        "Where it stands: accepted (stored, not sent as far as is known), sent (by the phone or "
        "the bot, which is not delivered), delivered, failed, as what could not be sent within 24 "
        "hours has, or unknown: it may have been sent, and is not sent again; `error` says why, "
        "and a late report may still tell.",
        .words = message_state_words, .example = "sent"),
    FIELD(struct message, account_id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The account that sends it, if its channel is `personal_messenger`.", .example = "null"),
    FIELD(struct message, recipient, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL,
          "The number it is sent to, if phones send it; masked for roles that may not see it.",
          .example = "null"),
    FIELD(struct message, chat_id, FIELD_STRING_OR_INTEGER,
          FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL,
          "The chat it is sent to, as it was given, if its channel is `messenger_bot`; that of a "
          "person is masked for roles that may not see it.",
          .example = "-1001234567890"),
    FIELD(struct message, error, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "Why it failed, or why it is not known whether it was sent.", .example = "null"),
    FIELD(struct message, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was accepted."),
    FIELD(struct message, updated_at, FIELD_TIME, FIELD_REQUIRED, "When its state last changed."),
    FIELD(struct message, test, FIELD_BOOLEAN, FIELD_OMIT_NULL,
          "True for a test number, to which nothing is sent; otherwise it is left out.",
          .example = "true"),
    METADATA_ROW(struct message),
    PERSONAL_ERASED_ROW(struct message),
};

const struct record message_record = {
    .name = "Message",
    .doc = "A message, without its text.",
    .size = sizeof(struct message),
    RECORD_FIELDS(message_fields),
};

/* --- Lists --- */

static const struct field filter_fields[] = {
    SEARCH_NUMBER_ROW("recipient", struct message_filter, search.number,
                      "Only messages to this number, by a personal messenger."),
    FIELD(struct message_filter, state, FIELD_ENUM, 0, "Only messages that are in this state now.",
          .words = message_state_words, .example = "failed"),
    FIELD(struct message_filter, channel, FIELD_ENUM, 0, "Only messages that go out by it.",
          .words = message_channel_words, .example = "messenger_bot"),
    FIELD(struct message_filter, account_id, FIELD_STRING, 0, "Only messages of this account.",
          .min = 1, .max = ACCOUNT_ID_MAX, .example = "shop-12"),
    FIELD(struct message_filter, chat_id, FIELD_STRING, 0,
          "Only messages to this chat: its number, or the @name that they were sent to.", .min = 1,
          .max = 1 + CHAT_NAME_MAX, .format = &message_format_chat_id, .example = "-1001234567890"),
    SEARCH_NUMBER_ROW("gateway_number", struct message_filter, gateway_number,
                      "Only messages that go out as an SMS of the SIM with this number."),
    SEARCH_TIME_ROWS(struct message_filter),
};

const struct record message_filter_query = {.size = sizeof(struct message_filter),
                                            RECORD_FIELDS(filter_fields)};

static const struct field list_fields[] = {
    FIELD(struct message_list, messages, FIELD_RECORDS, FIELD_REQUIRED, SEARCH_LIST_DOC,
          .record = &message_record),
    PAGE_NEXT_ROW(struct message_list),
};

const struct record message_list_record = {
    .name = "MessageList",
    .doc = "A page of messages.",
    .size = sizeof(struct message_list),
    RECORD_FIELDS(list_fields),
};
