/* An order for the tests of domain/order: as JSON, in the order of doc B's table. */
#pragma once

#include "domain/order/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLE_ID    "0192f0cc-3333-7d3e-8f00-3b2a1c0d9e8f"
#define SAMPLE_POINT "5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4"

#define SAMPLE_MODIFIER                                                                     \
    "{\"id\":\"o-1\",\"group_id\":\"g-1\",\"name\":\"Oat milk\",\"quantity\":\"2.000000\"," \
    "\"unit_price\":\"-40.0\",\"line_total\":\"-80\"}"
#define SAMPLE_ITEM                                                                              \
    "{\"product_id\":\"p-1\",\"variant_id\":\"v-1\",\"name\":\"Cappuccino\",\"quantity\":"       \
    "\"02\",\"unit_price\":\"250.10\",\"line_total\":\"500.20\",\"modifiers\":[" SAMPLE_MODIFIER \
    "]}"
#define SAMPLE_ORDER                                                                              \
    "{\"id\":\"" SAMPLE_ID "\",\"number\":\"A-1042\",\"created_at\":\"2026-11-21T04:32:58.000Z"   \
    "\",\"point_id\":\"" SAMPLE_POINT "\",\"type\":\"delivery\",\"status\":\"confirmed\","        \
    "\"payment_method\":\"card_online\",\"payment_status\":\"paid\",\"currency\":\"RUB\","        \
    "\"subtotal\":\"580.00\",\"delivery_fee\":\"0\",\"total\":\"679.000\",\"customer\":{"         \
    "\"name\":\"Anna Karenina\",\"phone\":\"+79161234567\"},\"delivery\":{\"address\":"           \
    "\"Tverskaya 17\",\"scheduled_for\":null},\"comment\":\"Ring twice\",\"items\":[" SAMPLE_ITEM \
    "]}"

/* `text` with `to` in the place of `from`, which stands there once. */
static inline const char *replaced(struct arena *arena, const char *text, const char *from,
                                   const char *to)
{
    const char *at = strstr(text, from);

    if (!at || strstr(at + 1, from)) fail_msg("%s does not stand once in %s", from, text);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* A text of `count` times `part`. */
static inline const char *repeated(struct arena *arena, const char *part, size_t count)
{
    size_t len = strlen(part);
    char *text = arena_alloc(arena, len * count + 1);

    for (size_t i = 0; i < count; i++)
        snprintf(text + i * len, len + 1, "%s", part);
    return text;
}

/* Decoded as in a request. The faults as lines of "path: message" in the arena; none: "". */
static inline const char *decode_order(struct arena *arena, const char *text,
                                       struct order *ret_order)
{
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    const char *lines = "";

    record_faults_init(faults, arena);
    enum err err = record_decode(&order_record, str_of(text), true, arena, ret_order, faults);
    assert_int_equal(err, faults->count > 0 ? ERR_VALIDATION : ERR_OK);
    for (size_t i = 0; i < faults->count; i++)
        lines =
            arena_printf(arena, "%s%s: %s\n", lines, faults->rows[i].path, faults->rows[i].message);
    return lines;
}
