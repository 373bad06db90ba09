/* Two short lists, searched from one end to the other. */
#include "orders.h"

#include <stdlib.h>

const char *const deed_words[DEED_COUNT + 1] = {
    [DEED_OK] = "ok",
    [DEED_SLOW] = "slow",
    [DEED_CUT_BEFORE] = "cut_before",
    [DEED_CUT_AFTER] = "cut_after",
    [DEED_CUT_WITHIN] = "cut_within",
    [DEED_SERVER_ERROR] = "server_error",
    [DEED_NONSENSE] = "nonsense",
    [DEED_RATE_LIMIT] = "rate_limit",
    [DEED_WRONG_CREDENTIALS] = "wrong_credentials",
    [DEED_NO_BALANCE] = "no_balance",
    [DEED_UNREACHABLE] = "unreachable_recipient",
    [DEED_PENDING] = "pending",
    [DEED_DELIVERED] = "delivered",
    [DEED_READ] = "read",
    [DEED_UNDELIVERED] = "undelivered",
    [DEED_SILENT] = "silent",
    [DEED_FAULT] = "<fault>",
};

const char *const deed_docs[DEED_COUNT] = {
    [DEED_OK] = "as if nothing had been told",
    [DEED_SLOW] = "answers after wait_ms (10000 where not given)",
    [DEED_CUT_BEFORE] =
        "cuts the connection before it takes the request; such a call is not listed",
    [DEED_CUT_AFTER] = "does what is asked, then cuts the connection without a byte of answer",
    [DEED_CUT_WITHIN] = "does what is asked, then cuts the connection within the answer",
    [DEED_SERVER_ERROR] =
        "502 (or http_status) with an HTML page; nothing is done unless \"taken\"",
    [DEED_NONSENSE] = "200 with a body of the shape html, truncated, huge, empty or other_json",
    [DEED_RATE_LIMIT] = "the provider's own refusal of too many calls, with retry_after_s (5)",
    [DEED_WRONG_CREDENTIALS] = "the provider's own refusal of the key",
    [DEED_NO_BALANCE] = "the provider's own refusal for want of money",
    [DEED_UNREACHABLE] = "the provider's own way to say that this recipient cannot be reached",
    [DEED_PENDING] = "taken; nothing becomes known of it",
    [DEED_DELIVERED] = "taken; delivered, or the call placed, at once",
    [DEED_READ] = "taken; read at once",
    [DEED_UNDELIVERED] = "taken; expired, or not connected, at once",
    [DEED_SILENT] = "taken; the provider's status answers leave the status out",
    [DEED_FAULT] = "any name or number of the provider's table of errors",
};

const char *const shape_words[SHAPE_COUNT + 1] = {
    [SHAPE_HTML] = "html",   [SHAPE_TRUNCATED] = "truncated",   [SHAPE_HUGE] = "huge",
    [SHAPE_EMPTY] = "empty", [SHAPE_OTHER_JSON] = "other_json",
};

struct orders_row {
    struct order_scope scope;
    struct order order;
    int64_t left; /* below 0: without end */
};

struct orders {
    struct orders_row rows[ORDERS_MAX];
    size_t count;
};

static void *new_memory(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) abort();
    return memory;
}

/* Whether a scope that was told holds a call. */
static bool holds(const struct order_scope *told, const struct order_scope *call)
{
    if (told->provider && told->provider != call->provider) return false;
    if (told->method && (!call->method || strcmp(told->method, call->method) != 0)) return false;
    return !told->recipient[0] || strcmp(told->recipient, call->recipient) == 0;
}

struct orders *orders_new(void)
{
    return new_memory(sizeof(struct orders));
}

void orders_free(struct orders *orders)
{
    free(orders);
}

void orders_clear(struct orders *orders)
{
    orders->count = 0;
}

bool orders_add(struct orders *orders, const struct order_scope *scope, const struct order *order,
                int64_t count)
{
    if (orders->count == ORDERS_MAX) return false;
    orders->rows[orders->count++] = (struct orders_row){*scope, *order, count};
    return true;
}

/* The row that a call meets; NULL: none. A cut before the request is taken happens at its head,
 * or not at all. */
static struct orders_row *find_row(struct orders *orders, const struct order_scope *call,
                                   bool is_head)
{
    struct orders_row *endless = NULL;

    for (size_t i = 0; i < orders->count; i++) {
        struct orders_row *row = &orders->rows[i];
        if (!holds(&row->scope, call)) continue;
        if (!is_head && row->order.deed == DEED_CUT_BEFORE) continue;
        if (row->left > 0) return row;
        if (row->left < 0) endless = row;
    }
    return endless;
}

static struct order use_up(struct orders *orders, struct orders_row *row)
{
    struct order order = row->order;

    if (row->left < 0 || --row->left > 0) return order;
    size_t at = (size_t)(row - orders->rows);
    memmove(row, row + 1, (orders->count - at - 1) * sizeof(*row));
    orders->count--;
    return order;
}

struct order orders_take(struct orders *orders, const struct order_scope *call)
{
    struct orders_row *row = find_row(orders, call, false);

    if (!row) return (struct order){.deed = DEED_OK, .is_taken = true};
    return use_up(orders, row);
}

bool orders_take_cut_before(struct orders *orders, const struct order_scope *call)
{
    struct orders_row *row = find_row(orders, call, true);

    if (!row || row->order.deed != DEED_CUT_BEFORE) return false;
    use_up(orders, row);
    return true;
}

int64_t orders_left(const struct orders *orders)
{
    int64_t left = 0;

    for (size_t i = 0; i < orders->count; i++) {
        if (orders->rows[i].left > 0) left += orders->rows[i].left;
    }
    return left;
}

/* ---- outcomes ---- */

struct outcome {
    struct order_scope scope;
    struct destiny destiny;
};

struct outcomes {
    struct outcome rows[OUTCOMES_MAX];
    size_t count;
    struct destiny fallback;
};

struct outcomes *outcomes_new(struct destiny fallback)
{
    struct outcomes *outcomes = new_memory(sizeof(*outcomes));

    outcomes->fallback = fallback;
    return outcomes;
}

void outcomes_free(struct outcomes *outcomes)
{
    free(outcomes);
}

void outcomes_clear(struct outcomes *outcomes)
{
    outcomes->count = 0;
}

bool outcomes_set(struct outcomes *outcomes, const struct order_scope *scope,
                  struct destiny destiny)
{
    if (outcomes->count == OUTCOMES_MAX) return false;
    outcomes->rows[outcomes->count++] = (struct outcome){*scope, destiny};
    return true;
}

/* One that names the recipient goes before one that does not; among equals, the latest. */
struct destiny outcomes_find(const struct outcomes *outcomes, const struct provider *provider,
                             const char *recipient)
{
    struct order_scope call = {.provider = provider};
    const struct outcome *general = NULL;

    recipient_normalize(recipient, call.recipient);
    for (size_t i = outcomes->count; i > 0; i--) {
        const struct outcome *row = &outcomes->rows[i - 1];
        if (!holds(&row->scope, &call)) continue;
        if (row->scope.recipient[0]) return row->destiny;
        if (!general) general = row;
    }
    return general ? general->destiny : outcomes->fallback;
}
