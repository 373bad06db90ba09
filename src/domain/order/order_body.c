/* The body is written by the table that decoded the order, so nothing is lost or added on the way;
 * decimals are strings there, and so keep each digit. */
#include "domain/order/order_body.h"

#include "kit/base/text_map.h"
#include "kit/json/writer.h"

const char *order_body_write(const struct order *order, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF body = {0};

    buf_init(&body, ORDER_BODY_MAX);
    json_writer_init(&writer, &body);
    record_encode(&order_record, order, &writer);
    assert(!body.is_full);
    return arena_str(arena, buf_view(&body));
}

const char *order_body_products(const struct order *order, struct arena *arena, int64_t *ret_count)
{
    const struct order_item *items = order->items.items;
    struct json_writer writer;
    struct text_map seen;
    AUTO_BUF ids = {0};

    text_map_init(&seen);
    buf_init(&ids, ORDER_BODY_MAX);
    json_writer_init(&writer, &ids);
    json_array_begin(&writer);
    for (size_t i = 0; i < order->items.count; i++) {
        if (text_map_add(&seen, str_of(items[i].product_id), 0, NULL))
            json_text(&writer, items[i].product_id);
    }
    json_array_end(&writer);
    *ret_count = (int64_t)seen.count;
    text_map_done(&seen);
    return arena_str(arena, buf_view(&ids));
}

void order_body_fingerprint(const struct vault *vault, const char *body,
                            uint8_t ret_hash[static SECRET_HASH_LEN])
{
    vault_fingerprint(vault, str_of(body), ret_hash);
}

enum err order_body_seal(const struct vault *vault, const struct uuid *id, const char *body,
                         struct arena *arena, struct str *ret_sealed)
{
    return vault_seal(vault, sealed_at(SEALED_ORDER_BODY, uuid_view(id)), str_of(body), arena,
                      ret_sealed);
}

enum err order_body_open(const struct vault *vault, const struct uuid *id, struct str sealed,
                         struct arena *arena, const char **ret_body)
{
    return vault_open_text(vault, sealed_at(SEALED_ORDER_BODY, uuid_view(id)), sealed, arena,
                           ret_body);
}
