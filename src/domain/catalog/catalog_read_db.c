/*
 * Statements that read a catalog. A page is cut where its documents have more than PAGE_BYTES bytes
 * in all, before they are read: so neither a page nor the memory for it grows with what an ERP
 * sends.
 */
#include "domain/catalog/catalog_read_db.h"

#include "kit/base/macros.h"
#include "kit/json/record_stream.h"

#include <stdlib.h>

#define PAGE_BYTES "4194304"

/* Bytes of a text. SQLite 3.40 has no octet_length, and PostgreSQL no BLOB. */
#define SQLITE_BYTES(column)   "length(CAST(" column " AS BLOB))"
#define POSTGRES_BYTES(column) "octet_length(" column ")"

/* --- Products --------------------------------------------------------------------------------- */

/* `keys` is a SELECT of product, archived and updated_at. All products come first, then all
 * variants, both in order of product. */
#define SELECT_PRODUCTS(keys, bytes)                                                          \
    "WITH keys AS MATERIALIZED (" keys "),"                                                   \
    " sized AS (SELECT k.product, k.archived, k.updated_at, " bytes " AS size,"               \
    " sum(" bytes ") OVER (ORDER BY k.product) AS size_so_far, count(*) OVER () AS key_count" \
    " FROM keys k JOIN catalog_product_doc d ON d.product = k.product),"                      \
    " page AS MATERIALIZED (SELECT product, archived, updated_at, key_count FROM sized"       \
    " WHERE size_so_far <= " PAGE_BYTES " OR size_so_far = size)"                             \
    " SELECT 0 AS is_variant, page.product AS product, page.archived AS archived,"            \
    " page.updated_at AS updated_at, page.key_count AS key_count, d.doc AS doc,"              \
    " CAST(NULL AS TEXT) AS variant_id, CAST(NULL AS TEXT) AS price,"                         \
    " CAST(NULL AS BIGINT) AS stock"                                                          \
    " FROM page JOIN catalog_product_doc d ON d.product = page.product"                       \
    " UNION ALL"                                                                              \
    " SELECT 1, page.product, 0, o.updated_at, 0, NULL, v.id, o.price, o.stock"               \
    " FROM page JOIN catalog_variant v ON v.product = page.product"                           \
    " JOIN catalog_offer o ON o.product = v.product AND o.variant = v.variant"                \
    " WHERE v.archived <> 1"                                                                  \
    " ORDER BY is_variant, product"

/* CROSS JOIN: SQLite then reads the first table and looks up the second. It reads on no further
 * than to the LIMIT only where `product` is of the first table. `where`: nothing, or " AND ...". */
#define SELECT_KEYS(from) "SELECT p.product, p.archived, p.updated_at FROM " from
#define KEYS_OF(from, product, where)                                              \
    SELECT_KEYS(from)                                                              \
    " WHERE " product " > $1 AND " product " < $2 AND (p.archived = $4 OR $4 < 0)" \
    " AND (p.updated_at >= $5 OR EXISTS (SELECT 1 FROM catalog_offer o"            \
    " WHERE o.product > $1 AND o.product < $2"                                     \
    " AND o.product = p.product AND o.updated_at >= $5))" where " ORDER BY " product " LIMIT $3"

#define ALL_KEYS KEYS_OF("catalog_product p", "p.product", "")

#define NAMED_KEYS(contains)                                                    \
    KEYS_OF("catalog_product_name n CROSS JOIN catalog_product p", "n.product", \
            " AND p.product = n.product AND " contains "(n.folded, CAST($6 AS TEXT)) > 0")

#define CATEGORY_KEYS(contains)                                                              \
    KEYS_OF("catalog_product p", "p.product",                                                \
            " AND p.catalog = $6 AND p.category_id = $7"                                     \
            " AND (CAST($8 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM catalog_product_name n" \
            " WHERE n.product = p.product AND " contains "(n.folded, CAST($8 AS TEXT)) > 0))")

#define ONE_KEY SELECT_KEYS("catalog_product p") " WHERE p.catalog = $1 AND p.id = $2"

int catalog_compare_ids(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}
static_assert(offsetof(struct catalog_definition, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_value, id) == 0, "begins with its id");

/* A variant as it is now. */
struct variant_offer {
    const char *id; /* first, as catalog_compare_ids has it */
    int64_t product;
    const char *price;
    int64_t stock;
    int64_t updated_at;
};

struct offer_rows {
    struct variant_offer *items;
    size_t count, capacity;
};

static enum err take_product(struct work *work, struct db_stmt *stmt,
                             struct catalog_product_rows *rows)
{
    struct catalog_product *product = &rows->products[rows->count];
    const char *doc = db_get_text(stmt, "doc", work->arena);

    if (record_decode_known(&catalog_product_record, str_of(doc), work->arena, product))
        return LOG_BROKEN("a stored product cannot be read");
    product->is_archived = db_get_int(stmt, "archived") != 0;
    product->updated_at = db_get_int(stmt, "updated_at");
    rows->numbers[rows->count++] = db_get_int(stmt, "product");
    rows->has_more = db_get_int(stmt, "key_count") > (int64_t)rows->count;
    return ERR_OK;
}

static void take_offer(struct work *work, struct db_stmt *stmt, struct offer_rows *offers)
{
    if (offers->count == offers->capacity) {
        size_t capacity = offers->capacity ? 2 * offers->capacity : 64;
        struct variant_offer *items = arena_array(work->arena, capacity, sizeof(*items));
        if (offers->count) memcpy(items, offers->items, offers->count * sizeof(*items));
        offers->items = items;
        offers->capacity = capacity;
    }
    offers->items[offers->count++] = (struct variant_offer){
        .id = db_get_text(stmt, "variant_id", work->arena),
        .product = db_get_int(stmt, "product"),
        .price = db_get_text(stmt, "price", work->arena),
        .stock = db_get_null(stmt, "stock") ? -1 : db_get_int(stmt, "stock"),
        .updated_at = db_get_int(stmt, "updated_at"),
    };
}

/* `offers`: all of the product. */
static void put_offers(struct catalog_product *product, struct variant_offer *offers, size_t count)
{
    struct catalog_variant *variants = product->variants.items;

    if (count > 1) qsort(offers, count, sizeof(*offers), catalog_compare_ids);
    for (size_t i = 0; i < product->variants.count; i++) {
        const struct variant_offer *offer = NULL;
        if (count > 0)
            offer = bsearch(&variants[i].id, offers, count, sizeof(*offers), catalog_compare_ids);
        variants[i].stock = -1;
        if (!offer) continue;
        variants[i].price = offer->price;
        variants[i].stock = offer->stock;
    }
    for (size_t i = 0; i < count; i++) {
        if (offers[i].updated_at > product->updated_at) product->updated_at = offers[i].updated_at;
    }
}

/* Both are in order of product. */
static void put_all_offers(struct catalog_product_rows *rows, const struct offer_rows *offers)
{
    size_t begin = 0;

    for (size_t i = 0; i < rows->count; i++) {
        size_t end = begin;
        while (end < offers->count && offers->items[end].product == rows->numbers[i])
            end++;
        put_offers(&rows->products[i], offers->items + begin, end - begin);
        begin = end;
    }
}

/* `limit`: the most products that the statement yields. */
static enum err read_products(struct work *work, const char *sql, const struct db_arg *args,
                              size_t arg_count, size_t limit, struct catalog_product_rows *ret_rows)
{
    struct catalog_product_rows rows = {
        .products = arena_array(work->arena, limit, sizeof(*rows.products)),
        .numbers = arena_array(work->arena, limit, sizeof(*rows.numbers)),
    };
    struct offer_rows offers = {0};
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx, sql, args, arg_count, &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        bool is_variant = db_get_int(stmt, "is_variant") != 0;
        if (is_variant)
            take_offer(work, stmt, &offers);
        else
            err = take_product(work, stmt, &rows);
    }
    if (err != ERR_NOT_FOUND) return err;
    put_all_offers(&rows, &offers);
    *ret_rows = rows;
    return ERR_OK;
}

static const char *products_sql(struct work *work, const struct catalog_product_query *query)
{
    if (query->category_id)
        return db_sql(work->tx, SELECT_PRODUCTS(CATEGORY_KEYS("instr"), SQLITE_BYTES("d.doc")),
                      SELECT_PRODUCTS(CATEGORY_KEYS("strpos"), POSTGRES_BYTES("d.doc")));
    if (query->folded)
        return db_sql(work->tx, SELECT_PRODUCTS(NAMED_KEYS("instr"), SQLITE_BYTES("d.doc")),
                      SELECT_PRODUCTS(NAMED_KEYS("strpos"), POSTGRES_BYTES("d.doc")));
    return db_sql(work->tx, SELECT_PRODUCTS(ALL_KEYS, SQLITE_BYTES("d.doc")),
                  SELECT_PRODUCTS(ALL_KEYS, POSTGRES_BYTES("d.doc")));
}

/* One more key than asked for tells whether there are more. */
enum err catalog_product_select_page(struct work *work, const struct catalog_row *catalog,
                                     const struct catalog_product_query *query,
                                     struct catalog_product_rows *ret_rows)
{
    struct db_arg args[8] = {
        db_int(query->after),       db_int(catalog_end_product(catalog)), db_int(query->limit + 1),
        db_int(query->is_archived), db_int(query->updated_since_ms),
    };
    size_t arg_count = 5, limit = (size_t)query->limit;

    if (query->category_id) {
        args[arg_count++] = db_int(catalog->number);
        args[arg_count++] = db_text(query->category_id);
    }
    if (query->category_id || query->folded) args[arg_count++] = db_text(query->folded);
    enum err err =
        read_products(work, products_sql(work, query), args, arg_count, limit + 1, ret_rows);
    if (err || ret_rows->count <= limit) return err;
    ret_rows->count = limit;
    ret_rows->has_more = true;
    return ERR_OK;
}

enum err catalog_product_select(struct work *work, const struct catalog_row *catalog,
                                const char *product_id, struct catalog_product *ret_product,
                                int64_t *ret_number)
{
    struct catalog_product_rows rows;
    const char *sql = db_sql(work->tx, SELECT_PRODUCTS(ONE_KEY, SQLITE_BYTES("d.doc")),
                             SELECT_PRODUCTS(ONE_KEY, POSTGRES_BYTES("d.doc")));

    enum err err =
        read_products(work, sql, DB_ARGS(db_int(catalog->number), db_text(product_id)), 1, &rows);
    if (err) return err;
    if (rows.count == 0) return ERR_NOT_FOUND;
    *ret_product = rows.products[0];
    *ret_number = rows.numbers[0];
    return ERR_OK;
}

/* --- Origins ---------------------------------------------------------------------------------- */

struct variant_place {
    const char *id; /* first, as catalog_compare_ids has it */
    struct catalog_variant *variant;
};

/* The variants of a product in order of their ids. */
static struct variant_place *sort_variants(struct arena *arena, struct catalog_product *product)
{
    size_t count = product->variants.count;
    struct catalog_variant *variants = product->variants.items;
    struct variant_place *places = arena_array(arena, count + 1, sizeof(*places));

    for (size_t i = 0; i < count; i++)
        places[i] = (struct variant_place){variants[i].id, &variants[i]};
    if (count > 1) qsort(places, count, sizeof(*places), catalog_compare_ids);
    return places;
}

/* NULL: there is no such value, or the package is not there. `columns`: of the value, event_id,
 * generated_at and set_at. */
static struct catalog_origin *read_origin(struct work *work, struct db_stmt *stmt,
                                          const char *const columns[4])
{
    if (db_get_null(stmt, columns[0]) || db_get_null(stmt, columns[3])) return NULL;
    struct catalog_origin *origin = ARENA_NEW(work->arena, struct catalog_origin);
    origin->value = db_get_text(stmt, columns[0], work->arena);
    origin->event_id = db_get_text(stmt, columns[1], work->arena);
    origin->generated_at = db_get_int(stmt, columns[2]);
    origin->set_at = db_get_int(stmt, columns[3]);
    return origin;
}

#define SELECT_ORIGINS                                                             \
    "SELECT v.id AS variant_id, o.price AS price, CAST(o.stock AS TEXT) AS stock," \
    " p.event_id AS price_event, p.generated_at AS price_generated_at,"            \
    " p.processed_at AS price_set_at, s.event_id AS stock_event,"                  \
    " s.generated_at AS stock_generated_at, s.processed_at AS stock_set_at"        \
    " FROM catalog_variant v"
#define ORIGIN_VARIANTS " WHERE v.product = $1 AND v.archived <> 1"

static const char sqlite_origins[] =
    SELECT_ORIGINS " CROSS JOIN catalog_offer o ON o.product = v.product AND o.variant = v.variant"
                   " LEFT JOIN erp_package p ON p.integration_id = $2"
                   " AND p.receipt = o.price_receipt"
                   " LEFT JOIN erp_package s ON s.integration_id = $2"
                   " AND s.receipt = o.stock_receipt" ORIGIN_VARIANTS;

/* PostgreSQL would rather read all packages of the integration and join them. */
#define PACKAGE_OF(receipt, as)                                             \
    " LEFT JOIN LATERAL (SELECT e.event_id, e.generated_at, e.processed_at" \
    " FROM erp_package e WHERE e.integration_id = $2 AND e.receipt = " receipt " OFFSET 0)" as
#define OFFERS                                                                       \
    " CROSS JOIN LATERAL (SELECT f.price, f.price_receipt, f.stock, f.stock_receipt" \
    " FROM catalog_offer f WHERE f.product = v.product"                              \
    " AND f.variant = v.variant OFFSET 0) AS o"

static const char postgres_origins[] =
    SELECT_ORIGINS OFFERS PACKAGE_OF("o.price_receipt", " AS p ON true")
        PACKAGE_OF("o.stock_receipt", " AS s ON true") ORIGIN_VARIANTS;

/* A statement of its own, which may read a later moment than the one of the product: so an origin
 * says of which value it is. */
enum err catalog_origins_select(struct work *work, const struct uuid *integration_id,
                                int64_t number, struct catalog_product *product)
{
    static const char *const price[] = {"price", "price_event", "price_generated_at",
                                        "price_set_at"};
    static const char *const stock[] = {"stock", "stock_event", "stock_generated_at",
                                        "stock_set_at"};
    const struct variant_place *places = sort_variants(work->arena, product);
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx, db_sql(work->tx, sqlite_origins, postgres_origins),
                            DB_ARGS(db_int(number), db_uuid(integration_id)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        const char *id = db_get_text(stmt, "variant_id", work->arena);
        const struct variant_place *place =
            bsearch(&id, places, product->variants.count, sizeof(*places), catalog_compare_ids);
        if (!place) continue;
        place->variant->price_origin = read_origin(work, stmt, price);
        place->variant->stock_origin = read_origin(work, stmt, stock);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* --- Definitions ------------------------------------------------------------------------------ */

/* Only the values of an enum have a meaning; what was sent for other types is not shown. */
static enum err read_definition(struct work *work, struct db_stmt *stmt,
                                struct catalog_definition *ret_definition)
{
    const char *doc = db_get_text(stmt, "doc", work->arena);

    if (record_decode_known(&catalog_definition_record, str_of(doc), work->arena, ret_definition))
        return LOG_BROKEN("a stored definition cannot be read");
    if (ret_definition->type != VALUE_ENUM) ret_definition->values.count = 0;
    return ERR_OK;
}

enum err catalog_definition_select(struct work *work, const struct catalog_row *catalog,
                                   const char *const *ids, size_t id_count,
                                   struct catalog_definition *ret_definitions, size_t *ret_count)
{
    struct db_arg args[1 + CATALOG_DEFINITION_BATCH] = {db_int(catalog->number)};
    size_t count = 0;
    AUTO_STMT stmt = NULL;

    assert(id_count > 0 && id_count <= CATALOG_DEFINITION_BATCH);
    for (size_t i = 0; i < CATALOG_DEFINITION_BATCH; i++)
        args[1 + i] = i < id_count ? db_text(ids[i]) : db_null();
    /* Each id is looked up by itself: for id IN (...) PostgreSQL reads the whole catalog, which it
     * takes for small. */
    enum err err = db_query(
        work->tx,
        "SELECT (SELECT d.doc FROM catalog_definition d WHERE d.catalog = $1 AND d.id = column1)"
        " AS doc FROM (VALUES ($2), ($3), ($4), ($5), ($6), ($7), ($8), ($9), ($10), ($11), ($12),"
        " ($13), ($14), ($15), ($16), ($17), ($18), ($19), ($20), ($21), ($22), ($23), ($24),"
        " ($25), ($26), ($27), ($28), ($29), ($30), ($31), ($32), ($33)) AS wanted",
        args, COUNT_OF(args), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        if (!db_get_null(stmt, "doc")) err = read_definition(work, stmt, &ret_definitions[count++]);
    if (err != ERR_NOT_FOUND) return err;
    *ret_count = count;
    return ERR_OK;
}

#define SELECT_DEFINITIONS(bytes)                                                                 \
    "WITH page AS (SELECT id, doc, archived, updated_at FROM catalog_definition"                  \
    " WHERE catalog = $1 AND id > $2 AND (archived = $3 OR $3 < 0) ORDER BY id LIMIT $4),"        \
    " sized AS (SELECT id, doc, archived, updated_at, " bytes " AS size,"                         \
    " sum(" bytes ") OVER (ORDER BY id) AS size_so_far, count(*) OVER () AS key_count FROM page)" \
    " SELECT doc, archived, updated_at, key_count FROM sized"                                     \
    " WHERE size_so_far <= " PAGE_BYTES " OR size_so_far = size ORDER BY id"

enum err catalog_definition_select_page(struct work *work, const struct catalog_row *catalog,
                                        const struct catalog_id_query *query,
                                        struct catalog_page *ret_page)
{
    size_t count = 0, limit = (size_t)query->limit;
    int64_t key_count = 0;
    struct catalog_definition_view *views = arena_array(work->arena, limit + 1, sizeof(*views));
    const char *sql = db_sql(work->tx, SELECT_DEFINITIONS(SQLITE_BYTES("doc")),
                             SELECT_DEFINITIONS(POSTGRES_BYTES("doc")));
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx, sql,
                            DB_ARGS(db_int(catalog->number), db_text(query->after),
                                    db_int(query->is_archived), db_int(query->limit + 1)),
                            &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        key_count = db_get_int(stmt, "key_count");
        views[count].is_archived = db_get_int(stmt, "archived") != 0;
        views[count].updated_at = db_get_int(stmt, "updated_at");
        err = read_definition(work, stmt, &views[count++].definition);
    }
    if (err != ERR_NOT_FOUND) return err;
    if (count > limit) count = limit;
    bool has_more = key_count > (int64_t)count;
    *ret_page =
        (struct catalog_page){{views, count}, has_more ? views[count - 1].definition.id : NULL};
    return ERR_OK;
}

/* --- Categories ------------------------------------------------------------------------------- */

enum err catalog_category_select_page(struct work *work, const struct catalog_row *catalog,
                                      const struct catalog_id_query *query,
                                      struct catalog_page *ret_page)
{
    size_t count = 0, limit = (size_t)query->limit;
    struct catalog_category_view *views = arena_array(work->arena, limit + 1, sizeof(*views));
    AUTO_STMT stmt = NULL;

    enum err err = db_query(work->tx,
                            "SELECT id, name, archived, updated_at FROM catalog_category"
                            " WHERE catalog = $1 AND id > $2 AND (archived = $3 OR $3 < 0)"
                            " ORDER BY id LIMIT $4",
                            DB_ARGS(db_int(catalog->number), db_text(query->after),
                                    db_int(query->is_archived), db_int(query->limit + 1)),
                            &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        views[count++] = (struct catalog_category_view){
            .id = db_get_text(stmt, "id", work->arena),
            .name = db_get_text(stmt, "name", work->arena),
            .is_archived = db_get_int(stmt, "archived") != 0,
            .updated_at = db_get_int(stmt, "updated_at"),
        };
    if (err != ERR_NOT_FOUND) return err;
    bool has_more = count > limit;
    if (has_more) count = limit;
    *ret_page = (struct catalog_page){{views, count}, has_more ? views[count - 1].id : NULL};
    return ERR_OK;
}
