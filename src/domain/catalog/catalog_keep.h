/*
 * What a product keeps of the snapshots before where an integration says `absent: keep` (contract,
 * section 9.18; doc B, section 2: a removed value is "distinguishable from a value not exported"):
 * fields of it without a default that are not there at all. What is null or empty is removed, and
 * so is what refers to a category, a definition or a value of one that the snapshot does not have,
 * or does not fit the type that its definition has now. Variants are what the snapshot says of
 * them; where their product keeps its option axes, one that names none of these has the choices
 * that it had, and any other must choose as if the snapshot had the axes.
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
/* Whether there was no memory for all that it was told, so that what it would keep is not known. */
bool catalog_keep_lacks_memory(const struct catalog_keep *keep);
/* Whether a field is not there that would be kept. */
bool catalog_keep_lacks_any(uint64_t seen);
/* Takes over from `stored` what `product` does not have; lists go into the arena, texts stay those
 * of `stored`. Returns how many fields that is. */
int64_t catalog_keep_fill(struct catalog_keep *keep, const struct catalog_product *stored,
                          uint64_t seen, struct catalog_product *product, struct arena *arena);
