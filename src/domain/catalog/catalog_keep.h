/*
 * What a product keeps of the snapshots before where an integration says `absent: keep` (contract,
 * section 9.18; doc B, section 2: a removed value is "distinguishable from a value not exported"):
 * fields of it without a default that are not there at all. What is null or empty is removed, and
 * so is what refers to a category, a definition or a value of one that the snapshot does not have.
 * Variants are what the snapshot says of them, but for the choices of option axes that are kept.
 */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "kit/base/text_map.h"

/* What the snapshot at hand has to refer to. */
struct catalog_keep {
    struct text_map categories;
    struct text_map definitions; /* with the type of each */
    struct text_map values;      /* of enums: pairs of definition and value */
    struct text_map variants;    /* of the product at hand: their places in what is stored */
};

void catalog_keep_init(struct catalog_keep *keep);
void catalog_keep_done(struct catalog_keep *keep);
/* Before the first product. */
void catalog_keep_category(struct catalog_keep *keep, const struct catalog_category *category);
void catalog_keep_definition(struct catalog_keep *keep,
                             const struct catalog_definition *definition);
/* Whether a field is not there that would be kept. */
bool catalog_keep_lacks_any(uint64_t seen);
/* Takes over from `stored` what `product` does not have; lists go into the arena, texts stay those
 * of `stored`. Returns how many fields that is. */
int64_t catalog_keep_fill(struct catalog_keep *keep, const struct catalog_product *stored,
                          uint64_t seen, struct catalog_product *product, struct arena *arena);
