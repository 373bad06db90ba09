/*
 * A public part of the catalog, for the intake of packages: what can be checked of one without the
 * catalog's state, beyond the form of its values: references, ids that are unique in their list,
 * rules between fields (contract, section 5 "Required", "References"). Items are given in the order
 * of the text, and also with faults of their own: what is absent in them is passed over.
 */
#pragma once

#include "domain/catalog/catalog.h"
#include "kit/json/record_stream.h"

struct catalog_check;

struct catalog_check *catalog_check_new(void);
void catalog_check_free(struct catalog_check *check);
/* Whether there was no memory for all the ids so far: then faults and their absence say nothing. */
bool catalog_check_lacks_memory(const struct catalog_check *check);
/* Bytes that the ids take by now. */
size_t catalog_check_memory(const struct catalog_check *check);

/* Items of a snapshot; faults go to `stream`, with places from the item on. */
void catalog_check_category(struct catalog_check *check, struct record_stream *stream,
                            const struct catalog_category *category);
void catalog_check_definition(struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_definition *definition);
/* All of it but what its variants choose, and what it refers to. */
void catalog_check_product(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product);
/* This has to wait where the axes may be those that the catalog keeps. */
void catalog_check_choices(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product);
/* Whether its variants choose, but the axes are not there; `seen`: its fields that are. */
bool catalog_check_lacks_axes(const struct catalog_product *product, uint64_t seen);
/* What it refers to needs the lists of categories and definitions whole, and so may have to wait
 * for a second reading of the products. */
void catalog_check_references(const struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_product *product);
