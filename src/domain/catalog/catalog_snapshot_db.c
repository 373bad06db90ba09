/* Statements on products, variants and offers that a snapshot needs. */
#include "domain/catalog/catalog_snapshot_db.h"

#include "kit/json/record_stream.h"
#include "kit/json/writer.h"

enum {
    KEYS_MAX = 1024 * 1024,   /* bytes of the keys of a question */
    STATEMENT_ROWS_MAX = 512, /* that run together */
};

/* --- What there is ---------------------------------------------------------------------------- */

/* False: it has not our length, and is read as zeros, which no text has. */
static bool read_hash(struct db_stmt *stmt, const char *column, struct arena *arena,
                      struct catalog_hash *ret_hash)
{
    struct arena_mark mark = arena_mark(arena);
    struct str bytes = db_get_blob(stmt, column, arena);
    bool is_whole = bytes.len == sizeof(ret_hash->bytes);

    *ret_hash = (struct catalog_hash){0};
    if (is_whole) memcpy(ret_hash->bytes, bytes.data, bytes.len);
    arena_rewind(arena, mark);
    return is_whole;
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
        struct live_row row = {.product = db_get_int(stmt, "product")};
        if (!read_hash(stmt, "text_hash", work->arena, &row.text_hash))
            return LOG_BROKEN("the hash of a product is not whole");
        row.variant_count = (int32_t)db_get_int(stmt, "variant_count");
        row.kept = db_get_int(stmt, "kept");
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

/* Writes keys as a JSON array, which both engines can read. */
static struct str write_ids(const struct product_keys *keys, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_array_begin(&writer);
    for (size_t i = 0; i < keys->count; i++)
        json_text(&writer, keys->ids[i]);
    json_array_end(&writer);
    return buf_view(out);
}

static struct str write_numbers(const struct product_keys *keys, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_array_begin(&writer);
    for (size_t i = 0; i < keys->count; i++)
        json_int(&writer, keys->products[i]);
    json_array_end(&writer);
    return buf_view(out);
}

enum err catalog_product_select_known(struct work *work, int64_t catalog,
                                      const struct product_keys *keys,
                                      void (*on_row)(void *arg, const struct known_product *row),
                                      void *arg)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF ids = {0};
    buf_init(&ids, KEYS_MAX);
    /* Each engine has its own way to read a list of keys. PostgreSQL knows little of tables that
     * were just filled: OFFSET 0 makes it look up each key all the same. */
    const char *sql = db_sql(
        work->tx,
        "SELECT k.key AS place, p.product, p.last_variant, p.text_hash, p.doc_hash, p.archived,"
        " p.kept FROM json_each($2) AS k CROSS JOIN catalog_product AS p"
        " WHERE p.catalog = $1 AND p.id = k.value",
        "SELECT k.place - 1 AS place, p.product, p.last_variant, p.text_hash, p.doc_hash,"
        " p.archived, p.kept FROM json_array_elements_text(CAST($2 AS json))"
        " WITH ORDINALITY AS k(id, place) CROSS JOIN LATERAL (SELECT q.product, q.last_variant,"
        " q.text_hash, q.doc_hash, q.archived, q.kept FROM catalog_product AS q"
        " WHERE q.catalog = $1 AND q.id = k.id OFFSET 0) AS p");
    enum err err =
        db_query(work->tx, sql, DB_ARGS(db_int(catalog), db_str(write_ids(keys, &ids))), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        struct known_product row = {
            .place = (size_t)db_get_int(stmt, "place"),
            .product = db_get_int(stmt, "product"),
            .last_variant = db_get_int(stmt, "last_variant"),
            .is_archived = db_get_int(stmt, "archived") != 0,
            .kept = db_get_int(stmt, "kept"),
        };
        /* Another length than ours is one that no text has: the product is written anew. */
        (void)read_hash(stmt, "text_hash", work->arena, &row.text_hash);
        (void)read_hash(stmt, "doc_hash", work->arena, &row.doc_hash);
        on_row(arg, &row);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err catalog_doc_select_known(
    struct work *work, const struct product_keys *keys, struct arena *arena,
    void (*on_row)(void *arg, size_t place, const struct catalog_product *stored), void *arg)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF numbers = {0};
    buf_init(&numbers, KEYS_MAX);
    /* The lists of keys are as above. SQLite reads no further than it is asked to, and a text has
     * at least a byte; a result of PostgreSQL comes as a whole, so it is cut before. */
    const char *sql = db_sql(
        work->tx,
        "SELECT k.key AS place, d.doc FROM json_each($1) AS k"
        " CROSS JOIN catalog_product_doc AS d WHERE d.product = k.value LIMIT $2",
        "SELECT s.place, d.doc FROM (SELECT k.place - 1 AS place, k.product, z.size,"
        " sum(z.size) OVER (ORDER BY k.place) AS size_so_far"
        " FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS k(product, place)"
        " CROSS JOIN LATERAL (SELECT octet_length(b.doc) AS size FROM catalog_product_doc AS b"
        " WHERE b.product = CAST(k.product AS BIGINT) OFFSET 0) AS z) AS s"
        " CROSS JOIN LATERAL (SELECT c.doc FROM catalog_product_doc AS c"
        " WHERE c.product = CAST(s.product AS BIGINT) OFFSET 0) AS d"
        " WHERE s.size_so_far <= $2 OR s.size_so_far = s.size");
    enum err err =
        db_query(work->tx, sql,
                 DB_ARGS(db_str(write_numbers(keys, &numbers)), db_int(CATALOG_DOCS_BYTES)), &stmt);
    size_t bytes = 0;
    while (!err && bytes < CATALOG_DOCS_BYTES && (err = db_step(stmt)) == ERR_OK) {
        struct catalog_product stored;
        struct str doc = str_of(db_get_text(stmt, "doc", arena));
        err = doc.data ? record_decode_known(&catalog_product_record, doc, arena, &stored)
                       : ERR_OVERLOADED;
        if (err == ERR_OVERLOADED) return err;
        if (err) return LOG_BROKEN("a stored product cannot be read");
        on_row(arg, (size_t)db_get_int(stmt, "place"), &stored);
        bytes += doc.len;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err catalog_variant_select_known(struct work *work, const struct product_keys *keys,
                                      struct arena *arena,
                                      void (*on_row)(void *arg, const struct known_variant *row),
                                      void *arg)
{
    AUTO_STMT stmt = NULL;
    AUTO_BUF numbers = {0};
    buf_init(&numbers, KEYS_MAX);
    /* The lists of keys are as above. */
    const char *sql = db_sql(
        work->tx,
        "SELECT k.key AS place, v.id, v.variant, v.archived, o.price, o.price_receipt"
        " FROM json_each($1) AS k CROSS JOIN catalog_variant AS v CROSS JOIN catalog_offer AS o"
        " WHERE v.product = k.value AND o.product = v.product AND o.variant = v.variant",
        "SELECT k.place - 1 AS place, v.id, v.variant, v.archived, o.price, o.price_receipt"
        " FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS k(product, place)"
        " CROSS JOIN LATERAL (SELECT w.product, w.id, w.variant, w.archived"
        " FROM catalog_variant AS w WHERE w.product = CAST(k.product AS BIGINT) OFFSET 0) AS v"
        " CROSS JOIN LATERAL (SELECT f.price, f.price_receipt FROM catalog_offer AS f"
        " WHERE f.product = v.product AND f.variant = v.variant OFFSET 0) AS o");
    enum err err = db_query(work->tx, sql, DB_ARGS(db_str(write_numbers(keys, &numbers))), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        struct known_variant row = {
            .place = (size_t)db_get_int(stmt, "place"),
            .id = db_get_text(stmt, "id", arena),
            .variant = db_get_int(stmt, "variant"),
            .archived = (int)db_get_int(stmt, "archived"),
            .price = db_get_text(stmt, "price", arena),
            .price_receipt = db_get_int(stmt, "price_receipt"),
        };
        if (!row.id || !row.price) return ERR_OVERLOADED;
        on_row(arg, &row);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* --- What is written -------------------------------------------------------------------------- */

static const struct {
    const char *sql;
    const char *sqlite_sql; /* NULL: the same */
} statements[SNAPSHOT_STATEMENT_COUNT] = {
    [PRODUCT_INSERT] = {"INSERT INTO catalog_product (product, catalog, id, category_id,"
                        " text_hash, doc_hash, last_variant, variant_count, archived, updated_at,"
                        " kept) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10)"},
    [PRODUCT_UPDATE] = {"UPDATE catalog_product SET category_id = $2, text_hash = $3,"
                        " doc_hash = $4, last_variant = $5, variant_count = $6, archived = 0,"
                        " updated_at = $7, kept = $8 WHERE product = $1"},
    [PRODUCT_TEXT_UPDATE] = {"UPDATE catalog_product SET text_hash = $2, kept = $3"
                             " WHERE product = $1"},
    [PRODUCT_ARCHIVE] = {"UPDATE catalog_product SET archived = 1, updated_at = $2"
                         " WHERE product = $1"},
    /* An update of many rows makes SQLite keep a journal to undo it alone, unless it may be left
     * half done; our transaction is never kept then. */
    [PRODUCT_ARCHIVE_VARIANTS] = {"UPDATE catalog_variant SET archived = 2"
                                  " WHERE product = $1 AND archived = 0",
                                  "UPDATE OR FAIL catalog_variant SET archived = 2"
                                  " WHERE product = $1 AND archived = 0"},
    [DOC_INSERT] = {"INSERT INTO catalog_product_doc (product, doc) VALUES ($1, $2)"},
    [DOC_UPDATE] = {"UPDATE catalog_product_doc SET doc = $2 WHERE product = $1"},
    [NAME_INSERT] = {"INSERT INTO catalog_product_name (product, folded) VALUES ($1, $2)"},
    [NAME_UPDATE] = {"UPDATE catalog_product_name SET folded = $2 WHERE product = $1"},
    [VARIANT_INSERT] = {"INSERT INTO catalog_variant (product, id, variant, archived)"
                        " VALUES ($1, $2, $3, 0)"},
    [VARIANT_ARCHIVE] = {"UPDATE catalog_variant SET archived = $3 WHERE product = $1 AND id = $2"},
    [OFFER_INSERT] = {"INSERT INTO catalog_offer (product, variant, price, price_receipt,"
                      " stock_receipt, updated_at) VALUES ($1, $2, $3, $4, 0, $5)"},
    [OFFER_PRICE_UPDATE] = {"UPDATE catalog_offer SET price = $3, price_receipt = $4,"
                            " updated_at = $5 WHERE product = $1 AND variant = $2"},
};

void catalog_snapshot_rows_init(struct snapshot_rows *rows, struct work *work)
{
    rows->now_ms = work->now_ms;
    for (int i = 0; i < SNAPSHOT_STATEMENT_COUNT; i++) {
        const char *sqlite_sql = statements[i].sqlite_sql;
        const char *sql =
            db_sql(work->tx, sqlite_sql ? sqlite_sql : statements[i].sql, statements[i].sql);
        rows->of[i] = (struct db_rows){work->tx, work->arena, sql, STATEMENT_ROWS_MAX};
    }
}

enum err catalog_snapshot_rows_run(struct snapshot_rows *rows)
{
    enum err err = ERR_OK;
    for (int i = 0; !err && i < SNAPSHOT_STATEMENT_COUNT; i++)
        err = db_rows_run(&rows->of[i]);
    return err;
}

static struct db_arg hash_arg(const struct catalog_hash *hash)
{
    return db_blob((struct str){(const char *)hash->bytes, sizeof(hash->bytes)});
}

enum err catalog_product_insert(struct snapshot_rows *rows, int64_t catalog, const char *id,
                                const struct product_row *row)
{
    return db_rows_add(
        &rows->of[PRODUCT_INSERT],
        DB_ARGS(db_int(row->product), db_int(catalog), db_text(id), db_text(row->category_id),
                hash_arg(row->text_hash), hash_arg(row->doc_hash), db_int(row->last_variant),
                db_int(row->variant_count), db_int(rows->now_ms), db_int(row->kept)));
}

enum err catalog_product_update(struct snapshot_rows *rows, const struct product_row *row)
{
    return db_rows_add(&rows->of[PRODUCT_UPDATE],
                       DB_ARGS(db_int(row->product), db_text(row->category_id),
                               hash_arg(row->text_hash), hash_arg(row->doc_hash),
                               db_int(row->last_variant), db_int(row->variant_count),
                               db_int(rows->now_ms), db_int(row->kept)));
}

enum err catalog_product_update_text(struct snapshot_rows *rows, int64_t product,
                                     const struct catalog_hash *text_hash, int64_t kept)
{
    return db_rows_add(&rows->of[PRODUCT_TEXT_UPDATE],
                       DB_ARGS(db_int(product), hash_arg(text_hash), db_int(kept)));
}

enum err catalog_product_archive(struct snapshot_rows *rows, int64_t product)
{
    enum err err =
        db_rows_add(&rows->of[PRODUCT_ARCHIVE], DB_ARGS(db_int(product), db_int(rows->now_ms)));
    return err ? err : db_rows_add(&rows->of[PRODUCT_ARCHIVE_VARIANTS], DB_ARGS(db_int(product)));
}

enum err catalog_product_insert_doc(struct snapshot_rows *rows, int64_t product, struct str doc,
                                    const char *folded_name)
{
    enum err err = db_rows_add(&rows->of[DOC_INSERT], DB_ARGS(db_int(product), db_str(doc)));
    return err ? err
               : db_rows_add(&rows->of[NAME_INSERT],
                             DB_ARGS(db_int(product), db_text(folded_name)));
}

enum err catalog_product_update_doc(struct snapshot_rows *rows, int64_t product, struct str doc,
                                    const char *folded_name)
{
    enum err err = db_rows_add(&rows->of[DOC_UPDATE], DB_ARGS(db_int(product), db_str(doc)));
    return err ? err
               : db_rows_add(&rows->of[NAME_UPDATE],
                             DB_ARGS(db_int(product), db_text(folded_name)));
}

enum err catalog_variant_insert(struct snapshot_rows *rows, int64_t product, int64_t variant,
                                const char *id)
{
    return db_rows_add(&rows->of[VARIANT_INSERT],
                       DB_ARGS(db_int(product), db_text(id), db_int(variant)));
}

enum err catalog_variant_set_archived(struct snapshot_rows *rows, int64_t product, const char *id,
                                      enum variant_archived archived)
{
    return db_rows_add(&rows->of[VARIANT_ARCHIVE],
                       DB_ARGS(db_int(product), db_text(id), db_int(archived)));
}

enum err catalog_offer_insert(struct snapshot_rows *rows, int64_t product, int64_t variant,
                              const char *price, int64_t receipt)
{
    return db_rows_add(&rows->of[OFFER_INSERT],
                       DB_ARGS(db_int(product), db_int(variant), db_text(price), db_int(receipt),
                               db_int(rows->now_ms)));
}

enum err catalog_offer_set_price(struct snapshot_rows *rows, int64_t product, int64_t variant,
                                 const char *price, int64_t receipt)
{
    return db_rows_add(&rows->of[OFFER_PRICE_UPDATE],
                       DB_ARGS(db_int(product), db_int(variant), db_text(price), db_int(receipt),
                               db_int(rows->now_ms)));
}
