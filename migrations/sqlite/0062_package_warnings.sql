-- stores: exchange
-- What a package says that was probably not meant (contract, section 5 "Warnings"), as JSON; NULL:
-- nothing, or it came before.
ALTER TABLE erp_package ADD COLUMN warnings TEXT;
