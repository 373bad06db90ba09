/*
 * The frozen body of an order: written once, when the order is taken, and the same bytes on every
 * attempt (contract, section 6). It names a customer, so it is stored sealed, bound to the order's
 * id, and goes when the order is accepted, or 30 days after it was rejected or failed.
 */
#pragma once

#include "domain/order/order.h"

/* Writes the order, which has its id, as JSON in the order of doc B's table, in the arena. */
const char *order_body_write(const struct order *order, struct arena *arena);

/* Reads from a body who ordered, in the arena. ERR_INTERNAL: it is no body. */
enum err order_body_contact(const char *body, struct arena *arena,
                            struct order_contact **ret_contact) MUST_CHECK;

/* Writes the ids of its products, each once, as a JSON array in the arena; `ret_count`: how many.
 */
const char *order_body_products(const struct order *order, struct arena *arena, int64_t *ret_count);

/* Equal orders with equal metadata (NULL: none), and no others, have the same fingerprint. It is
 * keyed, since a body could be guessed. */
void order_body_fingerprint(const struct vault *vault, const char *body, const char *metadata,
                            struct arena *arena, uint8_t ret_hash[static SECRET_HASH_LEN]);

/* ERR_INTERNAL: it was not sealed for this order, or with another key. */
enum err order_body_open(const struct vault *vault, const struct uuid *id, struct str sealed,
                         struct arena *arena, const char **ret_body) MUST_CHECK;
