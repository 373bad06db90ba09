/* The body is written by the table that decoded the order, so nothing is lost or added on the way;
 * decimals are strings there, and so keep each digit. */
#include "domain/order/order_body.h"

#include "kit/json/writer.h"

const char *order_body_write(const struct order *order, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF body = {0};

    /* A request has 64 KiB, and an escape is at most six times as long as what it stands for. */
    buf_init(&body, ORDER_BODY_MAX);
    json_writer_init(&writer, &body);
    record_encode(&order_record, order, &writer);
    assert(!body.is_full);
    return arena_str(arena, buf_view(&body));
}

void order_body_fingerprint(const struct vault *vault, const char *body,
                            uint8_t ret_hash[static SECRET_HASH_LEN])
{
    vault_fingerprint(vault, str_of(body), ret_hash);
}

struct str order_body_seal(const struct vault *vault, const struct uuid *id, const char *body,
                           struct arena *arena)
{
    return vault_seal(vault, sealed_at(SEALED_ORDER_BODY, uuid_view(id)), str_of(body), arena);
}

enum err order_body_open(const struct vault *vault, const struct uuid *id, struct str sealed,
                         struct arena *arena, const char **ret_body)
{
    return vault_open_text(vault, sealed_at(SEALED_ORDER_BODY, uuid_view(id)), sealed, arena,
                           ret_body);
}
