/* Statements on offers that packages of changes need (migration 0011). */
#pragma once

#include "domain/catalog/catalog_hold_db.h"

struct offer_key {
    int64_t product; /* 0: there is none */
    const char *variant_id;
};

/* An offer as it stands. */
struct offer_row {
    int64_t product, variant; /* 0: there is none, or it is archived */
    const char *price;
    int64_t price_receipt;
    int64_t stock; /* -1: never told */
    int64_t stock_receipt;
    int64_t updated_at;
};

/* The numbers of `count` products, side by side; archived ones have theirs. Equal ids stand side by
 * side. */
enum err numbers_select(struct work *work, int64_t catalog, const char *const *ids, size_t count,
                        int64_t *ret_products) MUST_CHECK;
/* The offers of `count` pairs, side by side; texts in the arena. */
enum err offers_select(struct work *work, const struct offer_key *keys, size_t count,
                       struct offer_row *ret_offers) MUST_CHECK;
enum err offers_update(struct work *work, const struct offer_row *offers, size_t count) MUST_CHECK;

/* Why a pair has no offer: what there is of it. */
struct pair_state {
    bool has_product, is_product_archived;
    bool has_variant, is_variant_archived;
};
enum err pair_select(struct work *work, int64_t catalog, const char *product_id,
                     const char *variant_id, struct pair_state *ret_state) MUST_CHECK;
