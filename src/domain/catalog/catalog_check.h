/*
 * The intake of packages uses this part of the catalog. It checks what needs nothing but the
 * package, beyond the form of each value: references, ids that are unique in their list, rules
 * between fields (contract, section 5 "Required", "References"). Items are given in the order of
 * the text, also those with faults of their own; what is absent in them is passed over.
 */
#pragma once

#include "domain/catalog/catalog.h"
#include "kit/json/record_stream.h"

struct catalog_check;

struct catalog_check *catalog_check_new(void);
void catalog_check_free(struct catalog_check *check);
/* Returns whether there was too little memory for the ids so far; then neither a fault nor its
 * absence means anything. */
bool catalog_check_lacks_memory(const struct catalog_check *check);
/* Bytes that the ids take by now. */
size_t catalog_check_memory(const struct catalog_check *check);

/* Items of a snapshot; faults go to `stream`, with places from the item on. */
void catalog_check_category(struct catalog_check *check, struct record_stream *stream,
                            const struct catalog_category *category);
void catalog_check_definition(struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_definition *definition);
/* Checks all of a product but its references and the choices of its variants. */
void catalog_check_product(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product);
/* Checks the choices of its variants. That has to wait where the axes may be those that the catalog
 * keeps. */
void catalog_check_choices(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product);
/* Returns whether its variants choose values although the axes are not there; `seen` has the fields
 * that are. */
bool catalog_check_lacks_axes(const struct catalog_product *product, uint64_t seen);
/* Checks its references. They need the whole lists of categories and definitions, and so may have
 * to wait for a second reading of the products. */
void catalog_check_references(const struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_product *product);
