/*
 * Answers of ERPs to an order. The first byte of the input chooses the HTTP status, the rest is the
 * body. Aborts where an order is taken for accepted or rejected by an answer that does not say so,
 * where a text that is kept breaks a line or is too long, where words tell the token, and where
 * herald's own word tells what is personal.
 */
#include "core/said.h"
#include "domain/order/order.h"
#include "kit/fetch/fetch.h"
#include "kit/json/pointer.h"

#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = 70000, ERROR_BYTES_MAX = 100, WORDS_BYTES_MAX = 4 * SAID_MAX + ERROR_BYTES_MAX };

#define TOKEN "s3cr3t-T0ken"

static const char order_body[] =
    "{\"number\":\"1\",\"created_at\":\"2026-11-21T04:32:58.000Z\",\"point_id\":"
    "\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\",\"type\":\"delivery\",\"status\":\"confirmed\","
    "\"payment_method\":null,\"payment_status\":\"paid\",\"currency\":\"RUB\",\"subtotal\":\"1\","
    "\"delivery_fee\":\"1\",\"total\":\"2\",\"customer\":{\"name\":\"Anna Karenina\",\"phone\":"
    "\"+79161234567\"},\"delivery\":{\"address\":\"Tverskaya 17\",\"scheduled_for\":null},"
    "\"comment\":\"Zvonite "
    "dvazhdy\",\"items\":[{\"product_id\":\"p\",\"variant_id\":\"v\",\"name\":"
    "\"n\",\"quantity\":\"1\",\"unit_price\":\"1\",\"line_total\":\"1\",\"modifiers\":[]}]}";

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool is_one_line(const char *text)
{
    for (const char *at = text; at && *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7F) return false;
    }
    return true;
}

static void check_error(const struct order_answer *answer)
{
    static const char *const hidden[] = {"anna",      "karenina", "1234567",
                                         "tverskaya", "zvonite",  "dvazhdy"};

    require((answer->outcome == ATTEMPT_ACCEPTED) == !answer->error, "a failure without a reason");
    if (!answer->error) return;
    require(is_one_line(answer->error), "an error that breaks its line");
    require(strlen(answer->error) <= ERROR_BYTES_MAX, "an error that is too long");
    for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
        require(!strcasestr(answer->error, hidden[i]), "an error that tells too much");
    if (!answer->words) return;
    require(is_one_line(answer->words), "words that break their line");
    require(strlen(answer->words) <= WORDS_BYTES_MAX, "words that are too long");
    require(!strstr(answer->words, TOKEN), "words that tell the token");
}

static struct json_value find(const struct fetch *fetch, const char *pointer, struct arena *arena)
{
    struct json_value value = {.type = JSON_FAULT};
    struct str body = buf_view(&fetch->answer);
    if (body.len >= 3 && memcmp(body.data, "\xEF\xBB\xBF", 3) == 0)
        body = (struct str){body.data + 3, body.len - 3};
    if (!json_find(body, pointer, arena, &value)) value.type = JSON_FAULT;
    return value;
}

static void check_outcome(const struct fetch *fetch, const struct order_answer *answer,
                          struct arena *arena)
{
    bool is_accepted = answer->outcome == ATTEMPT_ACCEPTED;
    bool is_success = fetch->status >= 200 && fetch->status <= 299;

    require(is_accepted == (answer->erp_order_id != NULL), "accepted without a document");
    require(is_accepted || !answer->erp_number, "a number without a document");
    require(is_success == (answer->outcome != ATTEMPT_REFUSED), "a status that was not looked at");
    if (answer->outcome == ATTEMPT_REJECTED)
        require(find(fetch, "/accepted", arena).type == JSON_FALSE, "rejected by itself");
    if (!is_accepted) return;
    require(find(fetch, "/accepted", arena).type == JSON_TRUE, "accepted by itself");
    require(find(fetch, "/order_id", arena).type == JSON_STRING, "an id of its own");
    require(utf8_length(str_of(answer->erp_order_id)) <= ORDER_ERP_ID_MAX,
            "an id that is too long");
    require(is_one_line(answer->erp_order_id), "an id that breaks its line");
    require(utf8_length(str_of(answer->erp_number)) <= ORDER_NUMBER_MAX, "a number too long");
    require(is_one_line(answer->erp_number), "a number that breaks its line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 200, 200, 202, 204, 302, 400, 401, 409, 422, 500, 503};
    struct order_answer answer;
    struct arena arena;

    if (size < 1 || size > INPUT_MAX) return 0;
    arena_init(&arena);
    struct fetch fetch = {
        .headers = {{"Authorization", "Bearer " TOKEN}},
        .body = STR(order_body),
        .end = FETCH_ANSWERED,
        .status = statuses[data[0] % (sizeof(statuses) / sizeof(*statuses))],
        .retry_after_ms = -1,
    };
    buf_init(&fetch.answer, INPUT_MAX);
    buf_append(&fetch.answer, data + 1, size - 1);
    memset(&answer, 0x55, sizeof(answer));
    order_read_answer(&fetch, &arena, &answer);
    check_error(&answer);
    check_outcome(&fetch, &answer, &arena);
    buf_done(&fetch.answer);
    arena_done(&arena);
    return 0;
}
