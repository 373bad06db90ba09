/* Statements on offers that packages of changes need. */
#include "domain/catalog/catalog_changes_db.h"

#include "core/columns.h"
#include "core/service.h"
#include "kit/db/rows.h"
#include "kit/json/writer.h"

#include <inttypes.h>

enum {
    KEYS_MAX = 64 * 1024 * 1024, /* bytes of the keys of a question */
    UPDATES_MAX = 256,           /* that run together */
};

#define OFFER_ROW(FIRST, NEXT)                \
    FIRST(o.product, product, INT)            \
    NEXT(o.variant, variant, INT)             \
    NEXT(o.price, price, TEXT)                \
    NEXT(o.price_receipt, price_receipt, INT) \
    NEXT(o.stock, stock, INT_OR(-1))          \
    NEXT(o.stock_receipt, stock_receipt, INT) \
    NEXT(o.updated_at, updated_at, INT)
#define OFFER_COLUMNS COLUMNS(OFFER_ROW)
COLUMNS_READER(read_columns, struct offer_row *, OFFER_ROW)

static struct offer_row read_offer(struct work *work, struct db_stmt *stmt)
{
    struct offer_row offer = {0};

    (void)read_columns(work, stmt, &offer); /* it has no words */
    return offer;
}

/* --- Looking up: each engine has its own way to read a list of keys --------------------------- */

/* Writes the ids as an object of variants and their products, which may have a key several times.
 */
static struct db_arg write_ids(struct catalog_pair *const *pairs, size_t count, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_object_begin(&writer);
    for (size_t i = 0; i < count; i++)
        json_put_text(&writer, pairs[i]->variant_id, pairs[i]->product_id);
    json_object_end(&writer);
    return db_str(buf_view(out));
}

/* OFFSET 0, here and below, makes PostgreSQL look up each key, however little it knows of tables
 * that were just filled. */
static const char *pairs_sql(struct work *work)
{
    return db_sql(work->tx,
                  "SELECT k.rowid AS place, v.product, v.variant FROM json_each($2) AS k"
                  " CROSS JOIN catalog_product AS p CROSS JOIN catalog_variant AS v"
                  " WHERE p.catalog = $1 AND p.id = k.value"
                  " AND v.product = p.product AND v.id = k.key AND v.archived = 0",
                  "SELECT k.place - 1 AS place, v.product, v.variant"
                  " FROM json_each_text(CAST($2 AS json))"
                  " WITH ORDINALITY AS k(variant_id, product_id, place)"
                  " CROSS JOIN LATERAL (SELECT q.product FROM catalog_product AS q"
                  " WHERE q.catalog = $1 AND q.id = k.product_id OFFSET 0) AS p"
                  " CROSS JOIN LATERAL (SELECT w.product, w.variant FROM catalog_variant AS w"
                  " WHERE w.product = p.product AND w.id = k.variant_id AND w.archived = 0"
                  " OFFSET 0) AS v");
}

enum err catalog_pairs_select(struct work *work, int64_t catalog, struct catalog_pair *const *pairs,
                              size_t count)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF ids = {0};
    buf_init(&ids, KEYS_MAX);
    enum err err = db_query(work->tx, pairs_sql(work),
                            DB_ARGS(db_int(catalog), write_ids(pairs, count, &ids)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        int64_t place = db_get_int(stmt, "place");
        if (place < 0 || (size_t)place >= count) return LOG_BROKEN("a row has no place");
        pairs[place]->product = db_get_int(stmt, "product");
        pairs[place]->variant = db_get_int(stmt, "variant");
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* Writes the numbers as an object of products and their variants. */
static struct db_arg write_numbers(const struct catalog_pair *const *pairs, size_t count,
                                   struct buf *out)
{
    buf_char(out, '{');
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s\"%" PRId64 "\":%" PRId64, i ? "," : "", pairs[i]->product,
                   pairs[i]->variant);
    buf_char(out, '}');
    return db_str(buf_view(out));
}

static const char *offers_sql(struct work *work)
{
    return db_sql(work->tx,
                  "SELECT k.rowid AS place, " OFFER_COLUMNS " FROM json_each($1) AS k"
                  " CROSS JOIN catalog_offer AS o"
                  " WHERE o.product = CAST(k.key AS INTEGER) AND o.variant = k.value",
                  "SELECT k.place - 1 AS place, " OFFER_COLUMNS
                  " FROM json_each_text(CAST($1 AS json))"
                  " WITH ORDINALITY AS k(product, variant, place)"
                  " CROSS JOIN LATERAL (SELECT f.product, f.variant, f.price, f.price_receipt,"
                  " f.stock, f.stock_receipt, f.updated_at FROM catalog_offer AS f"
                  " WHERE f.product = CAST(k.product AS BIGINT)"
                  " AND f.variant = CAST(k.variant AS BIGINT) OFFSET 0) AS o");
}

enum err catalog_offers_select(struct work *work, const struct catalog_pair *const *pairs,
                               size_t count, struct offer_row *ret_offers)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF numbers = {0};
    buf_init(&numbers, KEYS_MAX);
    memset(ret_offers, 0, count * sizeof(*ret_offers));
    enum err err =
        db_query(work->tx, offers_sql(work), DB_ARGS(write_numbers(pairs, count, &numbers)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        int64_t place = db_get_int(stmt, "place");
        if (place < 0 || (size_t)place >= count) return LOG_BROKEN("a row has no place");
        ret_offers[place] = read_offer(work, stmt);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* A stock that was never told stays so. */
static struct db_arg stock_arg(int64_t stock)
{
    return stock < 0 ? db_null() : db_int(stock);
}

static struct db_rows rows_for(struct work *work, const char *sql, size_t count)
{
    size_t max = count < UPDATES_MAX ? count : UPDATES_MAX;
    return (struct db_rows){work->tx, work->arena, sql, max};
}

enum err catalog_offers_update(struct work *work, const struct offer_row *offers, size_t count)
{
    static const char sql[] =
        "UPDATE catalog_offer SET price = $3, price_receipt = $4, stock = $5, stock_receipt = $6,"
        " updated_at = $7 WHERE product = $1 AND variant = $2";
    struct db_rows rows = rows_for(work, sql, count);
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++) {
        const struct offer_row *offer = &offers[i];
        err = db_rows_add(&rows, DB_ARGS(db_int(offer->product), db_int(offer->variant),
                                         db_text(offer->price), db_int(offer->price_receipt),
                                         stock_arg(offer->stock), db_int(offer->stock_receipt),
                                         db_int(offer->updated_at)));
    }
    return err ? err : db_rows_run(&rows);
}

enum err catalog_offers_renew(struct work *work, const struct offer_news *news, size_t count,
                              int64_t receipt, int64_t *ret_written)
{
    static const char sql[] =
        "UPDATE catalog_offer SET price = COALESCE($3, price),"
        " price_receipt = CASE WHEN CAST($3 AS TEXT) IS NULL THEN price_receipt ELSE $5 END,"
        " stock = COALESCE($4, stock),"
        " stock_receipt = CASE WHEN CAST($4 AS BIGINT) IS NULL THEN stock_receipt ELSE $5 END,"
        " updated_at = $6 WHERE product = $1 AND variant = $2"
        " AND (CAST($3 AS TEXT) IS NULL OR (price <> $3 AND price_receipt <= $5))"
        " AND (CAST($4 AS BIGINT) IS NULL"
        " OR (stock IS DISTINCT FROM $4 AND stock_receipt <= $5))";
    struct db_rows rows = rows_for(work, sql, count);
    enum err err = ERR_OK;

    rows.changed = ret_written;
    for (size_t i = 0; !err && i < count; i++)
        err = db_rows_add(&rows, DB_ARGS(db_int(news[i].product), db_int(news[i].variant),
                                         db_text(news[i].price), stock_arg(news[i].stock),
                                         db_int(receipt), db_int(work->now_ms)));
    return err ? err : db_rows_run(&rows);
}

/* --- Why a pair is not there ------------------------------------------------------------------ */

enum err catalog_pair_select_state(struct work *work, int64_t catalog, const char *product_id,
                                   const char *variant_id, struct pair_state *ret_state)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT p.archived AS product_archived,"
        " (SELECT v.variant FROM catalog_variant v WHERE v.product = p.product AND v.id = $3)"
        " AS variant,"
        " (SELECT v.archived FROM catalog_variant v WHERE v.product = p.product AND v.id = $3)"
        " AS variant_archived FROM catalog_product p WHERE p.catalog = $1 AND p.id = $2",
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
