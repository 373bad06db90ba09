-- stores: exchange
-- The catalogs of sales points (domain/catalog).

-- One row an integration. Whoever applies a package holds it until the end of the transaction.
CREATE TABLE catalog (
    integration_id   BLOB PRIMARY KEY NOT NULL REFERENCES integration (id),
    number           INTEGER NOT NULL UNIQUE, -- small: the upper half of the numbers of its products
    last_product     INTEGER NOT NULL,        -- the lower half that was given last
    snapshot_receipt INTEGER NOT NULL,        -- of the newest snapshot applied; 0: none
    updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE catalog_category (
    catalog    INTEGER NOT NULL,
    id         TEXT NOT NULL,
    name       TEXT NOT NULL,
    archived   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (catalog, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE catalog_definition (
    catalog    INTEGER NOT NULL,
    id         TEXT NOT NULL,
    doc        TEXT NOT NULL, -- a JSON object: the definition as it was sent
    archived   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (catalog, id)
) STRICT, WITHOUT ROWID;

-- product = catalog.number * 2^32 + a counter: short keys, in the order in which products came, so
-- that pages of a catalog are a range.
CREATE TABLE catalog_product (
    product     INTEGER PRIMARY KEY NOT NULL,
    catalog     INTEGER NOT NULL,
    id          TEXT NOT NULL,
    category_id TEXT,
    text_hash   BLOB NOT NULL, -- of its bytes in the newest snapshot: equal bytes are not read again
    doc_hash    BLOB NOT NULL, -- of its content: equal content is no change
    last_variant INTEGER NOT NULL,
    variant_count INTEGER NOT NULL, -- of those that are not archived
    archived    INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL -- of content and archival
) STRICT;

-- A product by the ERP's id.
CREATE UNIQUE INDEX catalog_product_by_id ON catalog_product (catalog, id);
-- Products of a category, page by page. Partial, so that no planner takes it for a search by id.
CREATE INDEX catalog_product_by_category ON catalog_product (catalog, category_id, product)
    WHERE category_id IS NOT NULL;

-- What only readings of the product need, apart, so that the rows above stay short.
CREATE TABLE catalog_product_doc (
    product INTEGER PRIMARY KEY NOT NULL,
    doc     TEXT NOT NULL -- a JSON object: the product without prices
) STRICT;

-- Names for the search, in lower case: read one behind the other.
CREATE TABLE catalog_product_name (
    product INTEGER PRIMARY KEY NOT NULL,
    folded  TEXT NOT NULL
) STRICT;

-- The variants of a product by the ERP's id; `variant` numbers them within it and is never given
-- twice.
CREATE TABLE catalog_variant (
    product  INTEGER NOT NULL,
    id       TEXT NOT NULL,
    variant  INTEGER NOT NULL,
    archived INTEGER NOT NULL, -- 1: not among the variants of the newest snapshot that has the
                             -- product; 2: it was, when the product was archived
    PRIMARY KEY (product, id)
) STRICT, WITHOUT ROWID;

-- Price and stock, with the receipt number of the package that set each: short rows, since they are
-- what changes all day. A price that the newest snapshot set may have an older number.
CREATE TABLE catalog_offer (
    product       INTEGER NOT NULL,
    variant       INTEGER NOT NULL,
    price         TEXT NOT NULL, -- a decimal
    price_receipt INTEGER NOT NULL,
    stock         INTEGER,       -- units; NULL: never told
    stock_receipt INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (product, variant)
) STRICT, WITHOUT ROWID;
