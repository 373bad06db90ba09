/* Statements on offers that packages of changes need. */
#include "domain/catalog/catalog_changes_db.h"

#include "domain/service.h"
#include "kit/json/writer.h"

enum { KEYS_MAX = 64 * 1024 * 1024 };

#define OFFER_COLUMNS \
    "o.product, o.variant, o.price, o.price_receipt, o.stock, o.stock_receipt, o.updated_at"

static struct offer_row read_offer(struct work *work, struct db_stmt *stmt)
{
    return (struct offer_row){
        .product = db_get_int(stmt, "product"),
        .variant = db_get_int(stmt, "variant"),
        .price = db_get_text(stmt, "price", work->arena),
        .price_receipt = db_get_int(stmt, "price_receipt"),
        .stock = db_get_null(stmt, "stock") ? -1 : db_get_int(stmt, "stock"),
        .stock_receipt = db_get_int(stmt, "stock_receipt"),
        .updated_at = db_get_int(stmt, "updated_at"),
    };
}

/* --- One by one: in SQLite a statement costs nothing but its work -------------------------------
 */

static enum err select_number(struct work *work, int64_t catalog, const char *id,
                              int64_t *ret_product)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT product FROM catalog_product WHERE catalog = $1"
                                " AND id = $2",
                                DB_ARGS(db_int(catalog), db_text(id)), &stmt);
    *ret_product = err ? 0 : db_get_int(stmt, "product");
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err select_each_number(struct work *work, int64_t catalog, const char *const *ids,
                                   size_t count, int64_t *ret_products)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++) {
        if (i > 0 && strcmp(ids[i], ids[i - 1]) == 0)
            ret_products[i] = ret_products[i - 1];
        else
            err = select_number(work, catalog, ids[i], &ret_products[i]);
    }
    return err;
}

static enum err select_offer(struct work *work, const struct offer_key *key,
                             struct offer_row *ret_offer)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT " OFFER_COLUMNS " FROM catalog_variant AS v"
                                " CROSS JOIN catalog_offer AS o"
                                " WHERE v.product = $1 AND v.id = $2 AND v.archived = 0"
                                " AND o.product = v.product AND o.variant = v.variant",
                                DB_ARGS(db_int(key->product), db_text(key->variant_id)), &stmt);
    if (!err) *ret_offer = read_offer(work, stmt);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err select_each_offer(struct work *work, const struct offer_key *keys, size_t count,
                                  struct offer_row *ret_offers)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = keys[i].product ? select_offer(work, &keys[i], &ret_offers[i]) : ERR_OK;
    return err;
}

/* --- Together: PostgreSQL answers each statement over a network ---------------------------------
 */

static struct db_arg db_buf(const struct buf *text)
{
    return (struct db_arg){.type = DB_TEXT, .data = text->data, .len = text->len};
}

static void write_ids(const char *const *ids, size_t count, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_array_begin(&writer);
    for (size_t i = 0; i < count; i++)
        json_text(&writer, ids[i]);
    json_array_end(&writer);
}

/* OFFSET 0, here and below: each key is looked up, however little PostgreSQL knows of tables that
 * were just filled. */
static enum err select_numbers(struct work *work, int64_t catalog, const char *const *ids,
                               size_t count, int64_t *ret_products)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF text;
    buf_init(&text, KEYS_MAX);
    write_ids(ids, count, &text);
    enum err err = db_query(work->tx,
                            "SELECT k.place - 1 AS place, p.product"
                            " FROM json_array_elements_text(CAST($2 AS json))"
                            " WITH ORDINALITY AS k(id, place)"
                            " CROSS JOIN LATERAL (SELECT q.product FROM catalog_product AS q"
                            " WHERE q.catalog = $1 AND q.id = k.id OFFSET 0) AS p",
                            DB_ARGS(db_int(catalog), db_buf(&text)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        int64_t place = db_get_int(stmt, "place");
        if (place < 0 || (size_t)place >= count) return ERR_INTERNAL;
        ret_products[place] = db_get_int(stmt, "product");
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* As an array of pairs. */
static void write_keys(const struct offer_key *keys, size_t count, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_array_begin(&writer);
    for (size_t i = 0; i < count; i++) {
        json_array_begin(&writer);
        json_int(&writer, keys[i].product);
        json_text(&writer, keys[i].variant_id);
        json_array_end(&writer);
    }
    json_array_end(&writer);
}

static enum err select_offers(struct work *work, const struct offer_key *keys, size_t count,
                              struct offer_row *ret_offers)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF text;
    buf_init(&text, KEYS_MAX);
    write_keys(keys, count, &text);
    enum err err = db_query(
        work->tx,
        "SELECT k.place - 1 AS place, " OFFER_COLUMNS " FROM json_array_elements(CAST($1 AS json))"
        " WITH ORDINALITY AS k(pair, place)"
        " CROSS JOIN LATERAL (SELECT w.product, w.variant FROM catalog_variant AS w"
        " WHERE w.product = CAST(k.pair->>0 AS BIGINT) AND w.id = k.pair->>1"
        " AND w.archived = 0 OFFSET 0) AS v"
        " CROSS JOIN LATERAL (SELECT f.product, f.variant, f.price, f.price_receipt, f.stock,"
        " f.stock_receipt, f.updated_at FROM catalog_offer AS f"
        " WHERE f.product = v.product AND f.variant = v.variant OFFSET 0) AS o",
        DB_ARGS(db_buf(&text)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        int64_t place = db_get_int(stmt, "place");
        if (place < 0 || (size_t)place >= count) return ERR_INTERNAL;
        ret_offers[place] = read_offer(work, stmt);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* --- Either ----------------------------------------------------------------------------------- */

static bool is_embedded(const struct work *work)
{
    return db_engine_of(work->service->exchange) == DB_SQLITE;
}

enum err numbers_select(struct work *work, int64_t catalog, const char *const *ids, size_t count,
                        int64_t *ret_products)
{
    memset(ret_products, 0, count * sizeof(*ret_products));
    return is_embedded(work) ? select_each_number(work, catalog, ids, count, ret_products)
                             : select_numbers(work, catalog, ids, count, ret_products);
}

enum err offers_select(struct work *work, const struct offer_key *keys, size_t count,
                       struct offer_row *ret_offers)
{
    memset(ret_offers, 0, count * sizeof(*ret_offers));
    return is_embedded(work) ? select_each_offer(work, keys, count, ret_offers)
                             : select_offers(work, keys, count, ret_offers);
}

/* --- The rest --------------------------------------------------------------------------------- */

enum { UPDATE_COLUMNS = 7, UPDATES_MAX = 256 };

static enum err update_some(struct work *work, const struct offer_row *offers, size_t count)
{
    struct db_arg args[UPDATES_MAX * UPDATE_COLUMNS];

    for (size_t i = 0; i < count; i++) {
        const struct offer_row *offer = &offers[i];
        const struct db_arg row[UPDATE_COLUMNS] = {
            db_int(offer->product),
            db_int(offer->variant),
            db_text(offer->price),
            db_int(offer->price_receipt),
            offer->stock < 0 ? db_null() : db_int(offer->stock),
            db_int(offer->stock_receipt),
            db_int(offer->updated_at),
        };
        memcpy(&args[i * UPDATE_COLUMNS], row, sizeof(row));
    }
    return db_exec_many(work->tx,
                        "UPDATE catalog_offer SET price = $3, price_receipt = $4, stock = $5,"
                        " stock_receipt = $6, updated_at = $7 WHERE product = $1 AND variant = $2",
                        args, UPDATE_COLUMNS, count, NULL);
}

enum err offers_update(struct work *work, const struct offer_row *offers, size_t count)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i += UPDATES_MAX)
        err = update_some(work, &offers[i], count - i < UPDATES_MAX ? count - i : UPDATES_MAX);
    return err;
}

enum err pair_select(struct work *work, int64_t catalog, const char *product_id,
                     const char *variant_id, struct pair_state *ret_state)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT p.archived AS product_archived, v.variant, v.archived AS variant_archived"
        " FROM catalog_product AS p LEFT JOIN catalog_variant AS v"
        " ON v.product = p.product AND v.id = $3 WHERE p.catalog = $1 AND p.id = $2",
        DB_ARGS(db_int(catalog), db_text(product_id), db_text(variant_id)), &stmt);
    if (err == ERR_NOT_FOUND) {
        *ret_state = (struct pair_state){0};
        return ERR_OK;
    }
    if (err) return err;
    *ret_state = (struct pair_state){
        .has_product = true,
        .is_product_archived = db_get_int(stmt, "product_archived") != 0,
        .has_variant = !db_get_null(stmt, "variant"),
        .is_variant_archived = db_get_int(stmt, "variant_archived") != 0,
    };
    return ERR_OK;
}
