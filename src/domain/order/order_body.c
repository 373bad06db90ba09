/* The body is written by the table that decoded the order, so nothing is lost or added on the way;
 * decimals are strings there, and so keep each digit. */
#include "domain/order/order_body.h"

#include "kit/base/text_map.h"
#include "kit/json/pointer.h"
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

enum err order_body_contact(const char *body, struct arena *arena,
                            struct order_contact **ret_contact)
{
    struct order_contact *contact = ARENA_NEW(arena, struct order_contact);
    struct json_value name, phone;

    bool has_both = json_find(str_of(body), "/customer/name", arena, &name) &&
                    json_find(str_of(body), "/customer/phone", arena, &phone);
    if (!has_both || name.type != JSON_STRING || phone.type != JSON_STRING)
        return LOG_BROKEN("the body of an order names no customer");
    *contact = (struct order_contact){arena_str(arena, name.text), arena_str(arena, phone.text)};
    *ret_contact = contact;
    return ERR_OK;
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

/* Without metadata it is what it was before there was any. The body has no line break. */
void order_body_fingerprint(const struct vault *vault, const char *body, const char *metadata,
                            struct arena *arena, uint8_t ret_hash[static SECRET_HASH_LEN])
{
    const char *content = metadata ? arena_printf(arena, "%s\n%s", body, metadata) : body;
    vault_fingerprint(vault, str_of(content), ret_hash);
}

enum err order_body_open(const struct vault *vault, const struct uuid *id, struct str sealed,
                         struct arena *arena, const char **ret_body)
{
    return vault_open_text(vault, sealed_at(SEALED_ORDER_BODY, uuid_view(id)), sealed, arena,
                           ret_body);
}
