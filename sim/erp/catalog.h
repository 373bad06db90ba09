/*
 * The ERP of a simulated shop knows categories, attribute definitions and products in the records
 * of doc B, section 2, which are made from a seed. The same plan gives the same catalog; a change
 * seed gives what became of it on another day.
 */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { CATALOG_PRODUCTS_MAX = 2 * 1000 * 1000, CATALOG_SHARE_ALL = 1000000 };

struct catalog_plan {
    uint64_t seed;
    int64_t product_count;
    uint64_t change_seed;
    int64_t change_ppm;    /* of the products that differ from how they were first made */
    int64_t filling;       /* bytes that each description is longer */
    int64_t filling_extra; /* of the first product, beyond that */
};

/* --- Records of doc B. Numbers are texts, as they stand in JSON ------------------------------- */

struct shop_value {
    const char *id, *code, *name;
};

struct definition {
    const char *id, *code, *name, *type, *unit, *canonical_code;
    const struct shop_value *values;
    size_t value_count;
};

struct attribute {
    const char *attribute_id;
    const char *value;    /* JSON; NULL where there is a value_id */
    const char *value_id; /* of an enum */
    const char *unit;
};

struct axis {
    const char *id, *code, *name;
    struct shop_value *values;
    size_t value_count;
};

struct choice {
    const char *axis_id, *value_id;
};

struct modifier {
    const char *id, *name, *price_delta, *sku; /* sku NULL: left out */
    bool is_available;
};

struct modifier_group {
    const char *id, *name;
    bool is_required;
    int64_t min_select, max_select;
    const struct modifier *options;
    size_t option_count;
};

struct variant {
    const char *id, *name, *price, *sku, *measure_unit, *measure_value;
    bool is_default;
    const char **barcodes;
    size_t barcode_count;
    struct choice *choices;
    size_t choice_count;
    const struct modifier_group *groups;
    size_t group_count;
};

struct product {
    int64_t index;
    const char *id, *name, *description, *composition;
    const char *category_id; /* NULL: null */
    bool is_available;
    const char *vat_rate; /* JSON; NULL: no tax */
    bool is_vat_included;
    const char *tax_category;
    bool has_marking, is_marking_required, is_traceable;
    const char *marking_group; /* NULL: null */
    struct attribute *attributes;
    size_t attribute_count;
    struct axis *axes;
    size_t axis_count;
    struct variant *variants;
    size_t variant_count;
    const char **allergens;
    size_t allergen_count;
    const char **tags;
    size_t tag_count;
};

/* --- The catalog ------------------------------------------------------------------------------ */

struct catalog {
    struct catalog_plan plan;
    struct arena arena;
    struct shop_value *categories; /* id and name */
    size_t category_count;
    struct definition *definitions;
    size_t definition_count;
};

void catalog_init(struct catalog *catalog, const struct catalog_plan *plan);
void catalog_done(struct catalog *catalog);

/* It says where in the catalog somebody reads. */
struct catalog_walk {
    int64_t index; /* of what comes next */
    int64_t left;  /* how many places are still to be looked at; a change may have emptied some */
    bool is_addition_due;
};

struct catalog_walk catalog_walk_all(const struct catalog *catalog);
/* All of it, from the place `start` on, which may be any, and around the end. */
struct catalog_walk catalog_walk_from(const struct catalog *catalog, uint64_t start);
/* False: there are no more. The product is the arena's. */
bool catalog_next(const struct catalog *catalog, struct catalog_walk *walk, struct arena *arena,
                  struct product *ret_product);
