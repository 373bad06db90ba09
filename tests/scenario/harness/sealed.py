"""Sealed values as they lie in the database, and how herald 0.5.0 sealed them."""

import base64
import ctypes
import ctypes.util
import os
import sqlite3
from contextlib import closing

NONCE, TAG, PREFIX = 24, 16, 5

# Every sealed column: its store's file, table, column and the key of its row.
COLUMNS = (
    ("herald.db", "otp", "code", "id"),
    ("herald.db", "channel_send", "success_code", "id"),
    ("herald.db", "message", "text", "id"),
    ("herald.db", "subject_job", "number", "id"),
    ("herald.db", "subject_job", "result", "id"),
    ("herald.db", "webhook_endpoint", "secret", "id"),
    ("herald.db", "webhook_endpoint", "old_secret", "id"),
    ("herald-exchange.db", "integration", "erp_token", "id"),
    ("herald-exchange.db", "signing_key", "sealed_seed", "kid"),
    ("herald-exchange.db", "order_body", "sealed", "id"),
)

_sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
_size = ctypes.c_ulonglong


class Vault:
    """What a secret key opens and seals."""

    def __init__(self, secret_key):
        self._master = base64.urlsafe_b64decode(secret_key + "=" * (-len(secret_key) % 4))
        self._key = self._derive(1)
        self.prefix = b"\x02" + self._derive(3)[:PREFIX - 1]

    def _derive(self, number):
        room = ctypes.create_string_buffer(32)
        assert _sodium.crypto_kdf_derive_from_key(
            room, ctypes.c_size_t(32), ctypes.c_uint64(number), b"hrldrest", self._master) == 0
        return room.raw

    def open(self, sealed, table, column, row):
        """The plain bytes of a value in the new form."""
        assert sealed.startswith(self.prefix), f"not the new form: {sealed[:8].hex()}"
        context = b"%s%s\0%s\0%s" % (self.prefix, table.encode(), column.encode(), row)
        nonce, rest = sealed[PREFIX:PREFIX + NONCE], sealed[PREFIX + NONCE:]
        room = ctypes.create_string_buffer(len(rest))
        assert _sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
            room, None, None, rest, _size(len(rest)), context, _size(len(context)), nonce,
            self._key) == 0, f"{table}.{column} does not open"
        return room.raw[:len(rest) - TAG]

    def seal_as_0_5_0(self, plain, row):
        """Bound to the key of its row, and to nothing else."""
        nonce = os.urandom(NONCE)
        room = ctypes.create_string_buffer(len(plain) + TAG)
        assert _sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
            room, None, plain, _size(len(plain)), row, _size(len(row)), None, nonce,
            self._key) == 0
        return nonce + room.raw


class SealedStore:
    """The sealed values of a site. An embedded one is asked while nothing runs."""

    def __init__(self, site):
        self.site = site
        self.vault = Vault(site.settings["HERALD_SECRET_KEY"])

    def _rows(self, file, sql):
        if self.site.database:
            lines = self.site.database.ask(sql).splitlines()
            return [tuple(map(bytes.fromhex, line.split("|"))) for line in lines]
        with closing(sqlite3.connect(self.site.state / file)) as connection:
            return [tuple(map(bytes.fromhex, row)) for row in connection.execute(sql)]

    def _run(self, file, sql):
        if self.site.database:
            self.site.database.ask(sql)
            return
        with closing(sqlite3.connect(self.site.state / file)) as connection:
            connection.executescript(sql)

    def _literal(self, value):
        return f"'\\x{value.hex()}'::bytea" if self.site.database else f"X'{value.hex()}'"

    def _key(self, key, row):
        return f"'{row.decode()}'" if key == "kid" else self._literal(row)

    def _hex(self, column):
        if not self.site.database:
            return f"hex({column})"
        return f"encode({'convert_to(kid, $$UTF8$$)' if column == 'kid' else column}, 'hex')"

    def _has(self, file, table):
        """A database that an older version left may not have the table yet."""
        if self.site.database:
            return self.site.database.ask(f"SELECT to_regclass('{table}')").strip() != ""
        with closing(sqlite3.connect(self.site.state / file)) as connection:
            sql = "SELECT count(*) FROM sqlite_master WHERE name = ?"
            return connection.execute(sql, (table,)).fetchone()[0] > 0

    def values(self):
        """(file, table, column, key, row, sealed) of each sealed value."""
        return [
            (file, table, column, key, row, sealed)
            for file, table, column, key in COLUMNS if self._has(file, table)
            for row, sealed in self._rows(
                file, f"SELECT {self._hex(key)}, {self._hex(column)} FROM {table}"
                      f" WHERE {column} IS NOT NULL")
        ]

    def prefixes(self):
        """What the stored values begin with, also those by which a database knows its key."""
        prefixes = {sealed[:PREFIX] for *_, sealed in self.values()}
        files = {"herald.db"} if self.site.database else {file for file, *_ in COLUMNS}
        for file in files:
            for column in ("sealed", "own_key"):
                prefixes |= {row[0][:PREFIX] for row in self._rows(
                    file, f"SELECT {self._hex(column)} FROM vault_check"
                          f" WHERE {column} IS NOT NULL")}
        return prefixes

    def expect_sealed_by(self, secret_key):
        """Each value opens, and by this key alone."""
        vault = Vault(secret_key)
        assert self.prefixes() == {vault.prefix}
        for _, table, column, _, row, sealed in self.values():
            vault.open(sealed, table, column, row)

    def make_old(self):
        """Everything becomes as herald 0.5.0 would have left it; returns how many values."""
        values = self.values()
        for file, table, column, key, row, sealed in values:
            old = self.vault.seal_as_0_5_0(self.vault.open(sealed, table, column, row), row)
            self._run(file, f"UPDATE {table} SET {column} = {self._literal(old)}"
                            f" WHERE {key} = {self._key(key, row)}")
        known = self.vault.seal_as_0_5_0(b"herald", b"vault_check")
        for file in {file for file, *_ in COLUMNS}:
            self._run(file, f"UPDATE vault_check SET sealed = {self._literal(known)},"
                            " prefix = NULL, prefix_since = NULL, is_resealed = 0")
        return len(values)

    def forms(self):
        """How many values have the new form, and how many another one."""
        has_prefix = [sealed.startswith(self.vault.prefix) for *_, sealed in self.values()]
        return has_prefix.count(True), has_prefix.count(False)
