/* What a snapshot reads of the products that there are. */
#include "domain/catalog/catalog_live_db.h"

static enum err read_live(struct work *work, struct db_stmt *stmt, struct live_row *ret_row)
{
    struct arena_mark mark = arena_mark(work->arena);
    struct live_row row = {.product = db_get_int(stmt, "product")};
    struct str hash = db_get_blob(stmt, "text_hash", work->arena);
    bool is_whole = hash.len == sizeof(row.text_hash.bytes);

    if (is_whole) memcpy(row.text_hash.bytes, hash.data, hash.len);
    arena_rewind(work->arena, mark);
    row.variant_count = (int32_t)db_get_int(stmt, "variant_count");
    row.kept = db_get_int(stmt, "kept");
    *ret_row = row;
    return is_whole ? ERR_OK : LOG_BROKEN("the hash of a product is not whole");
}

enum err catalog_live_select(struct work *work, int64_t after, int64_t end,
                             void (*on_row)(void *arg, const struct live_row *row), void *arg)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT product, text_hash, variant_count, kept FROM catalog_product"
                            " WHERE product > $1 AND product < $2 AND archived = 0"
                            " ORDER BY product LIMIT $3",
                            DB_ARGS(db_int(after), db_int(end), db_int(CATALOG_LIVE_PART)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        struct live_row row;
        err = read_live(work, stmt, &row);
        if (err) return err;
        on_row(arg, &row);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err catalog_live_select_touched(struct work *work, const struct catalog_row *catalog,
                                     void (*on_row)(void *arg, int64_t product), void *arg)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT DISTINCT product FROM catalog_offer"
                 " WHERE product > $1 AND product < $2 AND price_receipt > $3",
                 DB_ARGS(db_int(catalog_first_product(catalog)),
                         db_int(catalog_end_product(catalog)), db_int(catalog->snapshot_receipt)),
                 &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        on_row(arg, db_get_int(stmt, "product"));
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
