/* domain/message on the wire: which bodies are taken, with every limit at n and n + 1, and how a
 * message is shown. */
#include "domain/message/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { BODY_MAX = 64 * 1024 };

struct decoding {
    struct arena arena;
    struct record_faults faults;
    struct message_input input;
    enum err err;
};

static void decode(struct decoding *d, const char *body)
{
    arena_init(&d->arena);
    record_faults_init(&d->faults, &d->arena);
    d->err =
        record_decode(&message_input_record, str_of(body), true, &d->arena, &d->input, &d->faults);
}

/* The faults as lines of "path: message"; none: "". */
static void assert_faults(const char *body, const char *expected)
{
    struct decoding d;
    AUTO_BUF found = {0};

    buf_init(&found, BODY_MAX);
    decode(&d, body);
    for (size_t i = 0; i < d.faults.count; i++)
        buf_printf(&found, "%s: %s\n", d.faults.rows[i].path, d.faults.rows[i].message);
    buf_char(&found, '\0');
    assert_string_equal(found.data, expected);
    assert_int_equal(d.err, d.faults.count > 0 ? ERR_VALIDATION : ERR_OK);
    arena_done(&d.arena);
}

#define PERSONAL "\"channel\":\"personal_messenger\""
#define BOT      "\"channel\":\"messenger_bot\""
#define CHAT_MESSAGE                                                                       \
    "chat_id: Must be the number of a chat, not 0, or the @name of a public one, such as " \
    "@example.\n"

static void test_what_goes_with_which_channel(void **state)
{
    static const struct {
        const char *body, *faults;
    } rows[] = {
        {"{" PERSONAL ",\"text\":\"t\",\"account_id\":\"a\",\"recipient\":\"+79161234567\"}", ""},
        {"{" BOT ",\"text\":\"t\",\"chat_id\":42}", ""},
        {"{}", "channel: Required.\ntext: Required.\n"},
        {"{" PERSONAL "}", "text: Required.\n"
                           "account_id: Required for the channel personal_messenger.\n"
                           "recipient: Required for the channel personal_messenger.\n"},
        {"{" BOT "}", "text: Required.\nchat_id: Required for the channel messenger_bot.\n"},
        {"{" PERSONAL
         ",\"text\":\"t\",\"account_id\":\"a\",\"recipient\":\"+79161234567\",\"chat_id\":1}",
         "chat_id: Only goes with the channel messenger_bot; leave it out.\n"},
        {"{" BOT ",\"text\":\"t\",\"chat_id\":1,\"account_id\":\"a\","
         "\"recipient\":\"+79161234567\"}",
         "account_id: Only goes with the channel personal_messenger; leave it out.\n"
         "recipient: Only goes with the channel personal_messenger; leave it out.\n"},
        /* All at once, one a path. */
        {"{" PERSONAL ",\"text\":\" \",\"recipient\":\"89161234567\",\"chat_id\":0,\"more\":1}",
         "recipient: Must be a phone number such as +79161234567.\n"
         "more: Unknown property.\n" CHAT_MESSAGE
         "account_id: Required for the channel personal_messenger.\n"},
        {"{\"channel\":\"sms\",\"text\":\"t\",\"chat_id\":\"\"}",
         "channel: Must be one of: personal_messenger, messenger_bot.\n" CHAT_MESSAGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_faults(rows[i].body, rows[i].faults);
}

static void assert_chat(const char *chat_id, const char *faults)
{
    char body[200];
    snprintf(body, sizeof(body), "{" BOT ",\"text\":\"t\",\"chat_id\":%s}", chat_id);
    assert_faults(body, faults);
}

static void test_chats(void **state)
{
    static const char *const sound[] = {
        "1",
        "-1",
        "-1001234567890",
        "9223372036854775807",
        "-9223372036854775808",
        "\"9223372036854775807\"",
        "\"-9223372036854775808\"",
        "\"@abcd\"",
        "\"@Herald_News_1\"",
        "\"@a2345678901234567890123456789012\"",
    };
    static const char *const unsound[] = {
        "0",
        "-0",
        "\"0\"",
        "\"-0\"",
        "\"\"",
        "\"-\"",
        "\"007\"",
        "\"+7\"",
        "\" 7\"",
        "\"7.0\"",
        "\"9223372036854775808\"",
        "\"-9223372036854775809\"",
        "\"@\"",
        "\"@abc\"",
        "\"@1abc\"",
        "\"@_abc\"",
        "\"@ab-cd\"",
        "\"@имя_имя\"",
        "\"@a23456789012345678901234567890123\"",
        "\"herald_news\"",
        "\"https://t.me/herald\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sound) / sizeof(*sound); i++)
        assert_chat(sound[i], "");
    for (size_t i = 0; i < sizeof(unsound) / sizeof(*unsound); i++)
        assert_chat(unsound[i], CHAT_MESSAGE);
    assert_chat("9223372036854775808", "chat_id: Must be a string or an integer.\n");
    assert_chat("1.5", "chat_id: Must be a string or an integer.\n");
    assert_chat("null", "chat_id: Must be a string or an integer.\n");
}

/* A body whose `name` has `count` times `unit`. */
static void assert_long(const char *rest, const char *name, const char *unit, int count,
                        const char *faults)
{
    AUTO_BUF body = {0};

    buf_init(&body, BODY_MAX);
    buf_printf(&body, "{%s,\"%s\":\"", rest, name);
    for (int i = 0; i < count; i++)
        buf_text(&body, unit);
    buf_text(&body, "\"}");
    buf_char(&body, '\0');
    assert_false(body.is_full);
    assert_faults(body.data, faults);
}

static void test_lengths(void **state)
{
    static const char bot[] = BOT ",\"chat_id\":1";
    static const char personal[] = PERSONAL ",\"text\":\"t\",\"recipient\":\"+79161234567\"";

    (void)state;
    assert_long(bot, "text", "x", 0, "text: Must have at least 1 character; this has 0.\n");
    assert_long(bot, "text", "x", 1, "");
    assert_long(bot, "text", "Ж", 4096, "");
    assert_long(bot, "text", "Ж", 4097,
                "text: Must have at most 4096 characters; this has 4097.\n");
    assert_long(bot, "text", "🙂", 2048, "");
    assert_long(bot, "text", "🙂", 2049,
                "text: Must have at most 4096 characters for the channel messenger_bot, where an "
                "emoji counts as two; this has 4098.\n");
    assert_long(personal, "account_id", "x", 0,
                "account_id: Must have at least 1 character; this has 0.\n");
    assert_long(personal, "account_id", "x", 1, "");
    assert_long(personal, "account_id", "Ж", 128, "");
    assert_long(personal, "account_id", "Ж", 129,
                "account_id: Must have at most 128 characters; this has 129.\n");
}

/* A text that nobody can see is no message of a bot, in any script's white space; a phone sends
 * what it is told to. */
static void test_white_space_is_no_text_for_the_bot(void **state)
{
    static const char personal[] = PERSONAL ",\"account_id\":\"a\",\"recipient\":\"+79161234567\"";
    static const char *const blank[] = {
        " ", "\\n", "\\t \\r\\n", "\\u00a0", "\\u2003\\u3000 \\u2028", "\\ufeff", "\\u1680\\u000b",
    };
    static const char *const visible[] = {" x ", "\\n.", "\\u00a1", "\\u200d", "\\u3001 "};

    (void)state;
    for (size_t i = 0; i < sizeof(blank) / sizeof(*blank); i++) {
        assert_long(BOT ",\"chat_id\":1", "text", blank[i], 1,
                    "text: Must hold more than white space.\n");
        assert_long(personal, "text", blank[i], 1, "");
    }
    for (size_t i = 0; i < sizeof(visible) / sizeof(*visible); i++)
        assert_long(BOT ",\"chat_id\":1", "text", visible[i], 1, "");
}

static void test_a_message_is_shown_without_its_text(void **state)
{
    struct message message = {.channel = MESSAGE_MESSENGER_BOT,
                              .state = MESSAGE_FAILED,
                              .chat_id = {"-100", true},
                              .error = "403: Forbidden",
                              .created_at = 1795235580123,
                              .updated_at = 1795235581123,
                              .sealed_text = STR("sealed")};
    AUTO_BUF out = {0};
    struct json_writer writer;

    (void)state;
    assert_true(uuid_parse(STR("0193503c-6d5b-7000-8000-000000000001"), &message.id));
    buf_init(&out, BODY_MAX);
    json_writer_init(&writer, &out);
    record_encode(&message_record, &message, &writer);
    buf_char(&out, '\0');
    assert_string_equal(out.data,
                        "{\"id\":\"0193503c-6d5b-7000-8000-000000000001\","
                        "\"channel\":\"messenger_bot\",\"state\":\"failed\",\"account_id\":null,"
                        "\"recipient\":null,\"chat_id\":-100,\"error\":\"403: Forbidden\","
                        "\"created_at\":\"2026-11-21T04:33:00.123Z\","
                        "\"updated_at\":\"2026-11-21T04:33:01.123Z\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_goes_with_which_channel),
        cmocka_unit_test(test_chats),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_white_space_is_no_text_for_the_bot),
        cmocka_unit_test(test_a_message_is_shown_without_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
