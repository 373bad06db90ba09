-- stores: verification exchange
-- The secret key can be replaced by another one while herald runs (contract, section 10.4). All of
-- this stands in the one row of vault_check.

-- What values will begin with when every process has heard of the key that comes, and since when it
-- is announced. NULL: none is.
ALTER TABLE vault_check ADD COLUMN next_prefix BLOB;
ALTER TABLE vault_check ADD COLUMN next_since INTEGER;
-- Values may still begin with this, which the key before the present one gave them. NULL: none does.
ALTER TABLE vault_check ADD COLUMN old_prefix BLOB;
-- The key of fingerprints and marks, sealed; only in the verification store. NULL: it is still the
-- one that is made from the secret key.
ALTER TABLE vault_check ADD COLUMN own_key BLOB;
