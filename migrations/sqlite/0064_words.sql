-- stores: verification
-- What a phone or a provider said of a failure, sealed (contract, section 2, rule 14). `error` is
-- herald's own word for it, and in older rows what was kept of their words.
ALTER TABLE phone_task ADD COLUMN words BLOB;
ALTER TABLE channel_send ADD COLUMN words BLOB;
ALTER TABLE message ADD COLUMN words BLOB;
-- Operators are few, and are found by reading them all. name_key is not read any more.
DROP INDEX operator_by_name;
