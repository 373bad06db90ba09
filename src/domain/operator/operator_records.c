/* These records say how operators and sessions look on the wire (contract, section 18.2). */
#include "core/words.h"
#include "domain/operator/operator.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"

#include <stddef.h>

#define EXAMPLE_NAME "Anna"
#define NAME_DOC     "How the person is called, and by what they log in. Case does not matter."
#define ROLE_DOC                                                                                \
    "What the person may do. viewer: reads, with personal numbers masked. support: also "       \
    "cancels, retries, releases and sends by SMS as well. operator: also phones, integrations " \
    "and clients, and bodies of packages. admin: everything."

/* Controls, what nobody sees, what ends a line, and what turns a text around: with these one name
 * passes for another. */
static bool is_deceptive(uint32_t point)
{
    static const struct {
        uint32_t first, last;
    } rows[] = {{0, 0x1F},        {0x7F, 0x9F},     {0x200B, 0x200F},
                {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (point >= rows[i].first && point <= rows[i].last) return true;
    }
    return false;
}

static bool is_name(struct str name)
{
    struct str rest = name;

    if (name.len == 0 || name.data[0] == ' ' || name.data[name.len - 1] == ' ') return false;
    while (rest.len > 0) {
        if (is_deceptive(utf8_take(&rest))) return false;
    }
    return terminal_width(utf8_cut(name, 1)) > 0;
}

static const struct field_format format_name = {
    .is_valid = is_name,
    .message = "Must be one line without marks of direction, and neither begin nor end with a "
               "space, nor begin with what nobody sees.",
};

static const struct field input_fields[] = {
    FIELD(struct operator_input, name, FIELD_STRING, FIELD_REQUIRED, NAME_DOC, .min = 1,
          .max = OPERATOR_NAME_MAX, .format = &format_name, .example = EXAMPLE_NAME),
    FIELD(struct operator_input, role, FIELD_ENUM, FIELD_REQUIRED, ROLE_DOC, .words = role_words,
          .example = "support"),
};

const struct record operator_input_record = {
    .name = "OperatorInput",
    .doc = "A person who shall use the console.",
    .size = sizeof(struct operator_input),
    RECORD_FIELDS(input_fields),
};

static const struct field change_fields[] = {
    FIELD(struct operator_change, name, FIELD_STRING, 0, NAME_DOC, .min = 1,
          .max = OPERATOR_NAME_MAX, .format = &format_name, .example = EXAMPLE_NAME),
    FIELD(struct operator_change, role, FIELD_ENUM, 0, ROLE_DOC, .words = role_words,
          .example = "operator"),
};

const struct record operator_change_record = {
    .name = "OperatorChange",
    .doc = "What changes of an operator; the rest stays.",
    .size = sizeof(struct operator_change),
    RECORD_FIELDS(change_fields),
};

#define OPERATOR_MEMBERS                                                                        \
    FIELD(struct operator, id, FIELD_UUID, FIELD_REQUIRED, "The id of the operator."),          \
        FIELD(struct operator, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED, NAME_DOC,      \
              .example = EXAMPLE_NAME),                                                         \
        FIELD(struct operator, role, FIELD_ENUM, FIELD_REQUIRED, ROLE_DOC, .words = role_words, \
              .example = "support"),                                                            \
        FIELD(struct operator, has_password, FIELD_BOOLEAN, FIELD_REQUIRED,                     \
              "Whether a password was set.", .example = "true"),                                \
        FIELD(struct operator, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was made."),    \
        FIELD(struct operator, login_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,           \
              "When the person last logged in; null: never."),                                  \
        FIELD(struct operator, link_until, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,         \
              "Until when the last link is good by which a password is set; null: it was used.")

static const struct field operator_fields[] = {OPERATOR_MEMBERS};

const struct record operator_record = {
    .name = "Operator",
    .doc = "A person who uses the console.",
    .size = sizeof(struct operator),
    RECORD_FIELDS(operator_fields),
};

static const struct field shown_fields[] = {
    OPERATOR_MEMBERS,
    FIELD(struct operator, link, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The link by which the person sets a password, once, within 24 hours; shown this once. "
          "Where this process has no console, it is the path of one.",
          .example = "http://127.0.0.1:8081/console/#/welcome/"
                     "hl_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"),
};

const struct record operator_shown_record = {
    .name = "OperatorWithLink",
    .doc = "An operator with a link that was just made.",
    .size = sizeof(struct operator),
    RECORD_FIELDS(shown_fields),
};

static const struct field list_fields[] = {
    FIELD(struct operator_list, operators, FIELD_RECORDS, FIELD_REQUIRED,
          "The operators in order of creation.", .record = &operator_record),
    PAGE_NEXT_ROW(struct operator_list),
};

const struct record operator_list_record = {
    .name = "OperatorList",
    .doc = "A page of operators.",
    .size = sizeof(struct operator_list),
    RECORD_FIELDS(list_fields),
};

static const struct field session_fields[] = {
    FIELD(struct operator_session, id, FIELD_UUID, FIELD_REQUIRED, "The id of the session."),
    FIELD(struct operator_session, created_at, FIELD_TIME, FIELD_REQUIRED,
          "When the person logged in."),
    FIELD(struct operator_session, seen_at, FIELD_TIME, FIELD_REQUIRED,
          "When it was last used, to a minute or so."),
    FIELD(struct operator_session, expires_at, FIELD_TIME, FIELD_REQUIRED,
          "When it ends by itself: 12 hours after its last use, 7 days after its beginning."),
    FIELD(struct operator_session, address, FIELD_STRING, FIELD_REQUIRED,
          "From where the person logged in.", .example = "192.0.2.7"),
    FIELD(struct operator_session, agent, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "What the browser says of itself.", .example = "Mozilla/5.0"),
    FIELD_AS("own", struct operator_session, is_own, FIELD_BOOLEAN, FIELD_REQUIRED,
             "Whether it is the one that asks.", .example = "false"),
};

const struct record operator_session_record = {
    .name = "OperatorSession",
    .doc = "A browser in which an operator is logged in.",
    .size = sizeof(struct operator_session),
    RECORD_FIELDS(session_fields),
};

static const struct field session_list_fields[] = {
    FIELD(struct operator_session_list, sessions, FIELD_RECORDS, FIELD_REQUIRED,
          "The sessions, the oldest first; 20 at most.", .record = &operator_session_record),
};

const struct record operator_session_list_record = {
    .name = "OperatorSessionList",
    .doc = "Where an operator is logged in.",
    .size = sizeof(struct operator_session_list),
    RECORD_FIELDS(session_list_fields),
};

/* --- What the console alone asks --- */

static const struct field login_fields[] = {
    FIELD(struct operator_login, name, FIELD_STRING, FIELD_REQUIRED, NAME_DOC, .min = 1,
          .max = OPERATOR_NAME_MAX, .example = EXAMPLE_NAME),
    FIELD(struct operator_login, password, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The password.", .min = 1, .max = PASSWORD_MAX, .example = "correct horse battery"),
};

const struct record operator_login_record = {
    .name = "OperatorLogin",
    .doc = "Who wants a session.",
    .size = sizeof(struct operator_login),
    RECORD_FIELDS(login_fields),
};

static const struct field welcome_fields[] = {
    FIELD(struct operator_welcome, link, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The token of the link.", .min = 1, .max = 100,
          .example = "hl_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"),
    FIELD(struct operator_welcome, password, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The password to set.", .min = PASSWORD_MIN, .max = PASSWORD_MAX,
          .example = "correct horse battery"),
};

const struct record operator_welcome_record = {
    .name = "OperatorWelcome",
    .doc = "Sets a password by a link.",
    .size = sizeof(struct operator_welcome),
    RECORD_FIELDS(welcome_fields),
};

static const struct field password_change_fields[] = {
    FIELD(struct operator_password_change, password, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The password that is.", .min = 1, .max = PASSWORD_MAX,
          .example = "correct horse battery"),
    FIELD(struct operator_password_change, new_password, FIELD_STRING,
          FIELD_REQUIRED | FIELD_SECRET, "The password to set.", .min = PASSWORD_MIN,
          .max = PASSWORD_MAX, .example = "staple battery horse"),
};

const struct record operator_password_change_record = {
    .name = "OperatorPasswordChange",
    .doc = "Sets another password by the one that is.",
    .size = sizeof(struct operator_password_change),
    RECORD_FIELDS(password_change_fields),
};
