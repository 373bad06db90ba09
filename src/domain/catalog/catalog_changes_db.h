/* Statements on offers that packages of changes need (migration 0011). */
#pragma once

#include "domain/catalog/catalog_hold_db.h"
#include "domain/catalog/catalog_memory.h"

/* An offer as it stands. */
struct offer_row {
    int64_t product, variant;
    const char *price;
    int64_t price_receipt;
    int64_t stock; /* -1: never told */
    int64_t stock_receipt;
    int64_t updated_at;
};

/* Finds the numbers of pairs by the ERP's ids. It is fast where neighbours in the list have
 * neighbouring ids. */
enum err catalog_pairs_select(struct work *work, int64_t catalog, struct catalog_pair *const *pairs,
                              size_t count) MUST_CHECK;
/* Reads the offers of pairs by their numbers, each to the place of its pair, with texts in the
 * arena. This and what follows is fast where the pairs are in order of number. */
enum err catalog_offers_select(struct work *work, const struct catalog_pair *const *pairs,
                               size_t count, struct offer_row *ret_offers) MUST_CHECK;
enum err catalog_offers_update(struct work *work, const struct offer_row *offers,
                               size_t count) MUST_CHECK;

/* The news that a package has of an offer. */
struct offer_news {
    int64_t product, variant;
    const char *price; /* NULL: nothing */
    int64_t stock;     /* -1: nothing */
};
/* Writes the news of each offer that differs in every value that they tell, and has each from an
 * older package. `ret_written` gets 1 where it was written, else 0. Snapshots set prices, too:
 * whoever asks has to know that none did since. */
enum err catalog_offers_renew(struct work *work, const struct offer_news *news, size_t count,
                              int64_t receipt, int64_t *ret_written) MUST_CHECK;

/* The state of a pair that has no offer. */
struct pair_state {
    bool has_product, is_product_archived;
    bool has_variant, is_variant_archived;
};
enum err catalog_pair_select_state(struct work *work, int64_t catalog, const char *product_id,
                                   const char *variant_id, struct pair_state *ret_state) MUST_CHECK;
