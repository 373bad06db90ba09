/*
 * The catalog of a sales point (doc B, sections 2 and 3; contract, section 5): what a snapshot
 * says, and the prices and stock that packages of changes set since. Packages are applied all or
 * nothing, and operators read what came of them. The catalog lives in the exchange store.
 *
 * Order is kept by receipt numbers: a package has one, larger than those of all packages of its
 * integration that came before, and each price and each stock has that of the package that set it.
 * A package only overwrites what an earlier one set. A snapshot sets all its prices without
 * touching the rows that stay the same: its number stands once, in the catalog.
 */
#pragma once

#include "domain/integration/integration.h"
#include "kit/json/record.h"

#include <stdatomic.h>

enum {
    CATALOG_ID_MAX = 128, /* characters of an ERP's identifier */
    CATALOG_NAME_MAX = 255,
    CATALOG_CODE_MAX = 128,
    CATALOG_UNIT_MAX = 32,
    CATALOG_CANONICAL_MAX = 64,
    CATALOG_GROUP_MAX = 64,
    CATALOG_DEFINITIONS_MAX = 5000, /* of a snapshot */
    CATALOG_ATTRIBUTES_MAX = 500,   /* of a product */
    CATALOG_AXES_MAX = 20,          /* of a product */
    CATALOG_BARCODES_MAX = 100,     /* of a variant */
    CATALOG_CHANGES_MAX = 5000,     /* rows of stock, and of prices, of a package */
    CATALOG_FAULTS_MAX = 100,       /* rows at fault that are told of a package */
};

/* --- What a snapshot says: decoded from packages and from what is stored ---------------------- */

struct catalog_category {
    const char *id, *name;
};

/* An allowed value of a definition or of an axis. */
struct catalog_value {
    const char *id, *code, *name;
};

enum catalog_value_type {
    VALUE_STRING,
    VALUE_DECIMAL,
    VALUE_INTEGER,
    VALUE_BOOLEAN,
    VALUE_DATE,
    VALUE_ENUM,
};
extern const char *const catalog_value_type_words[];

struct catalog_definition {
    const char *id, *code, *name;
    int type; /* enum catalog_value_type */
    const char *unit, *canonical_code;
    struct record_list values; /* of struct catalog_value; VALUE_ENUM only */
};

struct catalog_attribute {
    const char *attribute_id;
    struct scalar value;
    const char *value_id;
    const char *unit;
    /* Readings take these from the definition. */
    const char *canonical_code, *name, *value_name;
};

struct catalog_tax {
    const char *vat_rate; /* one of catalog_vat_rate_words, or of HERALD_ERP_VAT_RATES */
    bool is_vat_included;
    int tax_category; /* index in catalog_tax_category_words */
};
extern const char *const catalog_vat_rate_words[];
extern const char *const catalog_tax_category_words[];

struct catalog_marking {
    int is_required; /* 0, 1; -1: absent */
    const char *group;
    bool is_traceable;
};

struct catalog_axis {
    const char *id, *code, *name;
    struct record_list values; /* of struct catalog_value */
};

struct catalog_axis_choice {
    const char *axis_id, *value_id;
};

struct catalog_option {
    const char *id, *name;
    const char *price_delta; /* decimal; NULL: 0 */
    bool is_available;
    const char *sku;
};

struct catalog_option_group {
    const char *id, *name;
    bool is_required;
    int64_t min_select;
    int64_t max_select;         /* -1: as many as there are options */
    struct record_list options; /* of struct catalog_option */
};

/* The package that brought a price or a stock. */
struct catalog_origin {
    const char *value; /* decimal */
    const char *event_id;
    int64_t generated_at; /* when the ERP made it, as it says */
    int64_t set_at;       /* when it was applied */
};

struct catalog_variant {
    const char *id, *name;
    const char *price; /* decimal; of a reading: the current one */
    const char *sku;
    struct record_list barcodes; /* of const char * */
    bool is_default;
    int measure_unit;                 /* index in catalog_measure_words */
    const char *measure_value;        /* decimal; NULL: 1 */
    struct record_list choices;       /* of struct catalog_axis_choice: `option_values` */
    struct record_list option_groups; /* of struct catalog_option_group */
    /* Only readings have these. */
    int64_t stock;     /* -1: never told */
    bool is_available; /* product available, not archived, and stock unknown or above 0 */
    /* Only the reading of one product has these; NULL: not known. */
    struct catalog_origin *price_origin, *stock_origin;
};
extern const char *const catalog_measure_words[];

struct catalog_product {
    const char *id, *name, *description, *composition;
    const char *category_id;
    bool is_available;
    struct catalog_tax *tax;
    struct catalog_marking *marking;
    struct record_list attributes; /* of struct catalog_attribute */
    struct record_list axes;       /* of struct catalog_axis */
    struct record_list variants;   /* of struct catalog_variant */
    struct record_list allergens;  /* of const char * */
    struct record_list tags;       /* of const char * */
    /* Only readings have these. */
    bool is_archived;
    int64_t updated_at; /* of its content, its prices or its stock */
};

enum { CATALOG_VAT_RATES_MAX = 50 };
/* The rates of HERALD_ERP_VAT_RATES unless it is set: those of doc B, and the base rate since 2026
 * (contract, section 5 "VAT"). */
#define CATALOG_VAT_RATES "none,0,5,7,10,20,22,105/5,107/7,110/10,120/20,122/22"
/* Reads rates separated by commas: `none`, a percentage, or one that a price includes, such as
 * 122/22. A list that ends with NULL, in the arena; false if one is none of these or stands twice,
 * or if there are none or too many. */
bool catalog_vat_rates_read(struct str text, struct arena *arena, const char *const **ret_rates);

/* Rows of packages of changes. */
struct catalog_price {
    const char *product_id, *variant_id;
    const char *price; /* decimal */
};

struct catalog_stock {
    const char *product_id, *variant_id;
    int64_t available_quantity; /* below 0: none */
};

/* The records of what ERPs send. */
extern const struct record catalog_category_record;
extern const struct record catalog_definition_record;
extern const struct record catalog_product_record;
extern const struct record catalog_price_record;
extern const struct record catalog_stock_record;

/* --- Applying --------------------------------------------------------------------------------- */

/* It tells whoever asks for the status of a package how far its applying is. Any thread may
 * look. */
struct catalog_progress {
    _Atomic int64_t rows_done;
};

struct catalog_package {
    struct uuid integration_id;
    int64_t receipt;
    struct str body; /* JSON that was checked at its receipt */
    /* The safety brake: parts per million of the live products that a snapshot may archive;
     * CATALOG_SHARE_OFF and above: all. Fewer than CATALOG_BRAKE_LEAST always may go (contract,
     * section 5 "Safety brake"). */
    int64_t archive_share_ppm;
    bool keeps_absent; /* fields of products that a snapshot does not have stay (catalog_keep.h) */
    bool is_released;  /* an operator lifted the brake for this package */
    struct catalog_progress *progress;
};
enum { CATALOG_SHARE_OFF = 1000000, CATALOG_BRAKE_LEAST = 20 };

struct catalog_content_tally {
    int64_t added, changed, unchanged, archived;
};
struct catalog_offer_tally {
    int64_t changed, unchanged, superseded;
};
/* All four are there, in the arena. They are pointers since records hold their members so. */
struct catalog_result {
    struct catalog_content_tally *products, *categories;
    struct catalog_offer_tally *prices, *stocks;
    int64_t kept; /* fields of products that stay though they are not there; -1: none would */
};
extern const struct record catalog_result_record;

/* A row that cannot be applied. */
struct catalog_row_fault {
    const char *list; /* "prices", "stocks" */
    int64_t index;    /* in the package, from 0 */
    const char *product_id, *variant_id;
    const char *message;
};
extern const struct record catalog_row_fault_record;

#define CATALOG_DAMAGED "The stored body is damaged: it cannot be read any more."
/* A word of the contract (section 5 "Safety brake"). */
#define CATALOG_ARCHIVE_LIMIT "archive_limit"

struct catalog_outcome {
    struct catalog_result result;
    /* Set with ERR_PACKAGE_REFUSED: */
    const char *problem;       /* a sentence, or CATALOG_ARCHIVE_LIMIT */
    bool is_final;             /* no retry can mend it */
    struct record_list faults; /* of struct catalog_row_fault */
};

/* This process remembers products that packages were about. The memory has a fixed size, and any
 * thread may use it. */
struct catalog_memory;
struct catalog_memory *catalog_memory_new(void);
void catalog_memory_free(struct catalog_memory *memory);

/* Both apply a package in the transaction at hand, which holds the catalog, and say what they did.
 * ERR_PACKAGE_REFUSED: it cannot be applied as things are. The outcome says why; its memory is the
 * arena's, and outlives the rollback. Changes that are refused have written nothing; after a
 * refused snapshot the transaction must be rolled back. */
enum err catalog_apply_snapshot(struct work *work, const struct catalog_package *package,
                                struct catalog_outcome *ret_outcome) MUST_CHECK;
enum err catalog_apply_changes(struct work *work, const struct catalog_package *package,
                               struct catalog_outcome *ret_outcome) MUST_CHECK;
/* Holds the catalog of the integration until the end of the transaction, and makes it if there is
 * none. `ret_is_held` false: another transaction has it. */
enum err catalog_try_hold(struct work *work, const struct uuid *integration_id,
                          bool *ret_is_held) MUST_CHECK;

/* --- Reading ---------------------------------------------------------------------------------- */

/* A category or definition as it stands. */
struct catalog_category_view {
    const char *id, *name;
    bool is_archived;
    int64_t updated_at;
};
struct catalog_definition_view {
    struct catalog_definition definition;
    bool is_archived;
    int64_t updated_at;
};

struct catalog_filter {
    const char *category_id;  /* NULL: any */
    const char *query;        /* NULL: any; part of a name, in either case */
    int is_archived;          /* 0, 1; -1: either */
    int64_t updated_since_ms; /* 0: any */
    int64_t limit;
    const char *cursor; /* NULL: from the beginning */
};

struct catalog_page {
    /* Items are of struct catalog_category_view, catalog_definition_view or catalog_product. */
    struct record_list items;
    const char *next_cursor; /* NULL: that was the last page */
};

/* ERR_NOT_FOUND: no such integration. ERR_VALIDATION: the cursor is none of ours. Only read. */
enum err catalog_list_categories(struct work *work, const struct uuid *integration_id,
                                 const struct catalog_filter *filter,
                                 struct catalog_page *ret_page) MUST_CHECK;
enum err catalog_list_definitions(struct work *work, const struct uuid *integration_id,
                                  const struct catalog_filter *filter,
                                  struct catalog_page *ret_page) MUST_CHECK;
enum err catalog_list_products(struct work *work, const struct uuid *integration_id,
                               const struct catalog_filter *filter,
                               struct catalog_page *ret_page) MUST_CHECK;
/* Each variant has its origins, too (contract, section 5). ERR_NOT_FOUND: no such product either.
 */
enum err catalog_read_product(struct work *work, const struct uuid *integration_id,
                              const char *product_id,
                              struct catalog_product *ret_product) MUST_CHECK;

extern const struct record catalog_product_view_record;
extern const struct record catalog_category_list_record;
extern const struct record catalog_definition_list_record;
extern const struct record catalog_product_list_record;

/* --- For the tables of app/ ------------------------------------------------------------------- */

struct route_table;
extern const struct route_table catalog_routes;
