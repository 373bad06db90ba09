-- stores: exchange
-- Nothing: PostgreSQL's check of a reference costs a lock, SQLite's a look into an index.
SELECT 1;
