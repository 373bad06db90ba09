/*
 * Doc B, section 4 "Service reaction to the ERP order response" says what an answer of an ERP
 * means. Two answers are final, and both are read strictly; after everything else the order is
 * tried again, which by the contract never makes a second document. Answers are foreign bytes: they
 * are read whole or not at all, and only a few texts of them are kept, cut and cleaned.
 */
#include "domain/order/order.h"
#include "kit/base/macros.h"
#include "kit/base/terminal.h"
#include "kit/base/text_file.h"
#include "kit/fetch/fetch.h"
#include "kit/json/pointer.h"
#include "kit/json/said_text.h"

enum { JITTER_PERCENT = 20 };

/* --- Members of an acceptance response -------------------------------------------------------- */

enum member_name { MEMBER_ACCEPTED, MEMBER_ORDER_ID, MEMBER_NUMBER, MEMBER_COUNT };
static const char *const member_names[MEMBER_COUNT] = {"accepted", "order_id", "number"};

struct member {
    enum json_token type; /* JSON_END: it is absent */
    struct str text;      /* of a string or number */
    bool is_repeated;     /* so it says two things */
};

struct response {
    bool is_json;
    struct member members[MEMBER_COUNT];
};

static struct member *find_member(struct response *response, struct str name)
{
    for (int i = 0; i < MEMBER_COUNT; i++) {
        if (str_is(name, member_names[i])) return &response->members[i];
    }
    return NULL;
}

static void take_member(struct member *member, enum json_token token, struct str text,
                        struct arena *arena)
{
    if (member->type != JSON_END) member->is_repeated = true;
    member->type = token;
    member->text = (struct str){NULL, 0};
    if (token == JSON_STRING || token == JSON_NUMBER)
        member->text = (struct str){arena_str(arena, text), text.len};
}

/* A byte order mark may be read over (RFC 8259, section 8.1), and some ERPs send one. */
static struct str body_of(const struct fetch *fetch)
{
    struct str body = buf_view(&fetch->answer);

    return body.data ? text_behind_mark(body) : STR("");
}

static struct response read_response(struct str body, struct arena *arena)
{
    struct response response = {.is_json = false};
    struct json_reader *reader = json_reader_new(body.len + 1);
    struct member *member = NULL; /* that the next value is of */
    struct str text = {0};
    enum json_token token;

    for (int i = 0; i < MEMBER_COUNT; i++)
        response.members[i].type = JSON_END;
    json_feed(reader, body, true);
    while ((token = json_next(reader, &text)) > JSON_END) {
        if (member) take_member(member, token, text, arena);
        bool is_key = token == JSON_KEY && json_depth(reader) == 1;
        member = is_key ? find_member(&response, text) : NULL;
    }
    json_reader_free(reader);
    response.is_json = token == JSON_END;
    return response;
}

/* --- The ERP's own words ---------------------------------------------------------------------- */

static struct str token_of(const struct fetch *fetch)
{
    for (size_t i = 0; i < FETCH_HEADERS_MAX && fetch->headers[i].name; i++) {
        const char *value = fetch->headers[i].value;
        if (strcmp(fetch->headers[i].name, "Authorization") != 0) continue;
        const char *space = strchr(value, ' ');
        return str_of(space ? space + 1 : value);
    }
    return (struct str){NULL, 0};
}

/* Returns the first text in one of these places, or all of what is no JSON (contract,
 * section 6 "Why an ERP said no"); NULL: there is none. */
static const char *find_text(struct str body, struct arena *arena)
{
    static const char *const places[] = {
        "/reason", "/message",     "/error/message",    "/error",    "/error/code",
        "/detail", "/description", "/errors/0/message", "/errors/0",
    };

    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct json_value value;
        if (!json_find(body, places[i], arena, &value)) return arena_str(arena, body);
        if (value.type == JSON_STRING && str_trim(value.text).len > 0) return value.text.data;
    }
    return NULL;
}

/* Returns the reason that the ERP gives; NULL: it gave none. */
static const char *reason_of(const struct fetch *fetch, struct arena *arena)
{
    const struct said_rule rule = {.token = token_of(fetch)};
    return said_keep(arena, find_text(body_of(fetch), arena), &rule);
}

/* Returns an id of an ERP with a blank for each control character and each that turns the direction
 * of a text. */
static const char *clean_id(struct str text, size_t max, struct arena *arena)
{
    char *cleaned = arena_str(arena, utf8_cut(text, max)), *to = cleaned;
    const char *end = cleaned + strlen(cleaned);
    int len;

    for (const char *c = cleaned; c < end; to++) {
        bool is_dangerous = terminal_danger(c, end, &len) != 0;
        *to = is_dangerous ? ' ' : *c;
        c += is_dangerous ? len : 1;
    }
    *to = '\0';
    return cleaned;
}

/* --- Outcomes --------------------------------------------------------------------------------- */

static void conclude(struct order_answer *answer, enum order_outcome outcome, const char *error)
{
    answer->outcome = outcome;
    answer->error = error;
}

/* Puts the reason that the ERP gave behind herald's own word. */
static void add_reason(const struct fetch *fetch, struct arena *arena, struct order_answer *answer)
{
    const char *reason = reason_of(fetch, arena);
    if (reason) answer->words = arena_printf(arena, "%s: %s", answer->error, reason);
}

static void break_contract(struct order_answer *answer, const char *how, struct arena *arena)
{
    conclude(answer, ATTEMPT_CONTRACT_ERROR,
             arena_printf(arena, "contract error: HTTP %d, %s", answer->status, how));
}

/* Returns what is wrong with the order_id; NULL: it can be one. */
static const char *fault_of_order_id(const struct member *order_id, const char *cleaned)
{
    if (order_id->is_repeated) return "order_id is given twice";
    if (order_id->type == JSON_END || order_id->type == JSON_NULL)
        return "accepted, but no order_id";
    if (order_id->type != JSON_STRING) return "order_id is no string";
    if (str_trim(str_of(cleaned)).len == 0) return "order_id is empty";
    if (utf8_length(order_id->text) > ORDER_ERP_ID_MAX)
        return "order_id has more than 128 characters";
    return NULL;
}

static void take_accepted(const struct response *response, struct arena *arena,
                          struct order_answer *answer)
{
    const struct member *order_id = &response->members[MEMBER_ORDER_ID];
    const struct member *number = &response->members[MEMBER_NUMBER];
    const char *cleaned = clean_id(order_id->text, ORDER_ERP_ID_MAX, arena);
    const char *fault = fault_of_order_id(order_id, cleaned);

    if (fault) {
        break_contract(answer, fault, arena);
        return;
    }
    conclude(answer, ATTEMPT_ACCEPTED, NULL);
    answer->erp_order_id = cleaned;
    if (number->text.len > 0) answer->erp_number = clean_id(number->text, ORDER_NUMBER_MAX, arena);
}

static void take_success(const struct fetch *fetch, struct arena *arena,
                         struct order_answer *answer)
{
    struct response response = read_response(body_of(fetch), arena);
    const struct member *accepted = &response.members[MEMBER_ACCEPTED];

    if (!response.is_json) {
        break_contract(answer, "the answer is no JSON", arena);
        add_reason(fetch, arena, answer);
    } else if (accepted->is_repeated) {
        break_contract(answer, "accepted is given twice", arena);
    } else if (accepted->type == JSON_TRUE) {
        take_accepted(&response, arena, answer);
    } else if (accepted->type == JSON_FALSE) {
        const char *reason = reason_of(fetch, arena);
        conclude(answer, ATTEMPT_REJECTED,
                 reason ? "the ERP rejected it" : "the ERP gave no reason");
        answer->words = reason;
    } else {
        break_contract(answer, "accepted is neither true nor false", arena);
    }
}

static void take_refusal(const struct fetch *fetch, struct arena *arena,
                         struct order_answer *answer)
{
    int status = fetch->status;
    bool is_redirect = status >= 300 && status <= 399;
    const char *why = is_redirect ? ": redirects are not followed" : "";

    answer->is_unauthorized = status == 401 || status == 403;
    answer->is_of_order = status == 400 || status == 409 || status == 413 || status == 422;
    conclude(answer, ATTEMPT_REFUSED, arena_printf(arena, "HTTP %d%s", status, why));
    if (!is_redirect) add_reason(fetch, arena, answer);
}

void order_read_answer(const struct fetch *fetch, struct arena *arena,
                       struct order_answer *ret_answer)
{
    bool has_answer = fetch->end == FETCH_ANSWERED;
    bool was_sent =
        fetch->end == FETCH_UNKNOWN || (fetch->end == FETCH_CANCELED && fetch->was_sent);
    struct order_answer answer = {
        .status = has_answer ? fetch->status : 0,
        .retry_after_ms = has_answer ? fetch->retry_after_ms : -1,
    };

    if (!has_answer)
        conclude(&answer, was_sent ? ATTEMPT_UNKNOWN : ATTEMPT_NOT_SENT, fetch->error);
    else if (fetch->status >= 200 && fetch->status <= 299)
        take_success(fetch, arena, &answer);
    else
        take_refusal(fetch, arena, &answer);
    *ret_answer = answer;
}

/* --- When to try again ------------------------------------------------------------------------ */

int64_t order_retry_delay_ms(int64_t failures, int64_t retry_after_ms, uint32_t random)
{
    static const int64_t steps_ms[] = {1000, 5000, 15000, 30000, 60000, 120000};
    static const int64_t last_ms = 300000;
    enum { STEPS = COUNT_OF(steps_ms) };
    int64_t step = failures > 0 ? failures - 1 : 0;
    int64_t base_ms = step < STEPS ? steps_ms[step] : last_ms;

    assert(random < ORDER_RANDOM_MAX);
    int64_t spread_ms = base_ms * JITTER_PERCENT / 100;
    int64_t delay_ms = base_ms - spread_ms + 2 * spread_ms * random / (ORDER_RANDOM_MAX - 1);
    if (retry_after_ms > ORDER_RETRY_AFTER_MAX_MS) retry_after_ms = ORDER_RETRY_AFTER_MAX_MS;
    return retry_after_ms > delay_ms ? retry_after_ms : delay_ms;
}
