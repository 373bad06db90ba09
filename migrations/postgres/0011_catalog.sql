-- stores: exchange
-- The catalogs of sales points (domain/catalog).

-- One row an integration. Whoever applies a package holds it until the end of the transaction.
CREATE TABLE catalog (
    integration_id   BYTEA PRIMARY KEY NOT NULL REFERENCES integration (id),
    number           BIGINT NOT NULL UNIQUE, -- small: the upper half of the numbers of its products
    last_product     BIGINT NOT NULL,        -- the lower half that was given last
    snapshot_receipt BIGINT NOT NULL,        -- of the newest snapshot applied; 0: none
    updated_at       BIGINT NOT NULL
);

CREATE TABLE catalog_category (
    catalog    BIGINT NOT NULL,
    id         TEXT NOT NULL,
    name       TEXT NOT NULL,
    archived   BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (catalog, id)
);

CREATE TABLE catalog_definition (
    catalog    BIGINT NOT NULL,
    id         TEXT NOT NULL,
    doc        TEXT NOT NULL, -- a JSON object: the definition as it was sent
    archived   BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (catalog, id)
);

-- product = catalog.number * 2^32 + a counter: short keys, in the order in which products came, so
-- that pages of a catalog are a range.
CREATE TABLE catalog_product (
    product     BIGINT PRIMARY KEY NOT NULL,
    catalog     BIGINT NOT NULL,
    id          TEXT NOT NULL,
    category_id TEXT,
    text_hash   BYTEA NOT NULL, -- of its bytes in the newest snapshot: equal bytes are not read again
    doc_hash    BYTEA NOT NULL, -- of its content: equal content is no change
    last_variant BIGINT NOT NULL,
    variant_count BIGINT NOT NULL, -- of those that are not archived
    archived    BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL -- of content and archival
);

-- A product by the ERP's id.
CREATE UNIQUE INDEX catalog_product_by_id ON catalog_product (catalog, id);
-- Products of a category, page by page. Partial, so that no planner takes it for a search by id.
CREATE INDEX catalog_product_by_category ON catalog_product (catalog, category_id, product)
    WHERE category_id IS NOT NULL;

-- What only readings of the product need, apart, so that the rows above stay short.
CREATE TABLE catalog_product_doc (
    product BIGINT PRIMARY KEY NOT NULL,
    doc     TEXT NOT NULL -- a JSON object: the product without prices
);

-- Names for the search, in lower case: read one behind the other.
CREATE TABLE catalog_product_name (
    product BIGINT PRIMARY KEY NOT NULL,
    folded  TEXT NOT NULL
);

-- The variants of a product by the ERP's id; `variant` numbers them within it and is never given
-- twice.
CREATE TABLE catalog_variant (
    product  BIGINT NOT NULL,
    id       TEXT NOT NULL,
    variant  BIGINT NOT NULL,
    archived BIGINT NOT NULL, -- 1: not among the variants of the newest snapshot that has the
                             -- product; 2: it was, when the product was archived
    PRIMARY KEY (product, id)
);

-- Price and stock, with the receipt number of the package that set each: short rows, since they are
-- what changes all day. A price that the newest snapshot set may have an older number.
CREATE TABLE catalog_offer (
    product       BIGINT NOT NULL,
    variant       BIGINT NOT NULL,
    price         TEXT NOT NULL, -- a decimal
    price_receipt BIGINT NOT NULL,
    stock         BIGINT,       -- units; NULL: never told
    stock_receipt BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (product, variant)
);
