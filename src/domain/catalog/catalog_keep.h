/*
 * If an integration says `absent: keep`, a product keeps fields that a snapshot does not have
 * (contract, section 5 "What a package does not say"; doc B, section 2: a removed value is
 * "distinguishable from a value not exported").
 *
 * A field without a default is kept if it is not there at all; null and empty remove it. What
 * refers to a category, a definition or a value that the snapshot does not have is removed, and so
 * is a value that does not fit the type that its definition has now. Variants are those of the
 * snapshot. Where their product keeps its option axes, a variant that names none of these keeps the
 * choices that it had, and any other must choose as if the snapshot had the axes.
 */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_check_rules.h"

struct catalog_keep {
    struct catalog_targets targets; /* all of the snapshot, before its first product is filled */
    struct text_map variants;       /* of the product at hand: their places in what is stored */
};

void catalog_keep_init(struct catalog_keep *keep);
void catalog_keep_done(struct catalog_keep *keep);
/* Returns whether there was too little memory, so that it is not known what would be kept. */
bool catalog_keep_lacks_memory(const struct catalog_keep *keep);
/* Returns whether some field that would be kept is not there. */
bool catalog_keep_lacks_any(uint64_t seen);
/* Takes over from `stored` what `product` does not have, and returns how many fields that is. Lists
 * go into the arena; texts stay those of `stored`. */
int64_t catalog_keep_fill(struct catalog_keep *keep, const struct catalog_product *stored,
                          uint64_t seen, struct catalog_product *product, struct arena *arena);
