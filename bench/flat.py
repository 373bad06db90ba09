"""What stands beside the lines about packages: the least that taking one costs, and the same rows
laid flat into the PostgreSQL at hand."""

import json
import os
import socket
import statistics
import subprocess
import time

from bodies import CHANGE_ROWS
from host import BenchFailed, Program

RUNS = 5
MARK = "bench-is-done"
TABLES = """\
CREATE TABLE product (
    id text PRIMARY KEY, name text NOT NULL, description text, composition text, category_id text,
    available boolean NOT NULL, tax text, marking text, rest text NOT NULL
);
CREATE TABLE variant (
    product_id text, id text, name text NOT NULL, price numeric NOT NULL, sku text,
    measure_unit text, measure_value numeric, is_default boolean, stock bigint, rest text NOT NULL,
    PRIMARY KEY (product_id, id)
);
"""


# --- The least that taking costs ----------------------------------------------------------------


class IntakeFloor(Program):
    """One `intake_floor`."""

    def __init__(self, program, folder):
        super().__init__(os.path.join(folder, "intake-floor.log"))
        self.command = [program, os.path.join(folder, "intake-floor")]

    def __enter__(self):
        self.spawn(self.command, os.environ)
        give_up = time.monotonic() + 5
        while self.process.poll() is None and time.monotonic() < give_up:
            with open(self.log_file, encoding="ascii") as log:
                line = log.read()
            if line.endswith("\n"):
                self.address = ("127.0.0.1", int(line))
                return self
            time.sleep(0.01)
        self.stop()
        raise BenchFailed("intake_floor does not start")

    def __exit__(self, *_):
        self.stop()

    def take_ms(self, body):
        with socket.create_connection(self.address) as connection:
            start = time.monotonic()
            connection.sendall(body)
            connection.shutdown(socket.SHUT_WR)
            if connection.recv(1) != b"k":
                raise BenchFailed("intake_floor: " + self.last_words())
            return (time.monotonic() - start) * 1000


def intake_floor_ms(options, folder, package):
    """The median of some runs."""
    _, body = package.renew()
    with IntakeFloor(options.intake_floor, folder) as floor:
        return statistics.median(floor.take_ms(body) for _ in range(RUNS))


# --- Rows laid flat -----------------------------------------------------------------------------


def cell(value):
    if value is None:
        return "\\N"
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False)
    text = str(value).replace("\\", "\\\\")
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def flat_rows(records, columns, rest):
    """As COPY takes them; what is no column goes into the last one."""

    def row(record):
        values = (*columns(record), {key: record.get(key) for key in rest})
        return "\t".join(cell(value) for value in values) + "\n"

    return "".join(row(record) for record in records)


def product_rows(products):
    def columns(product):
        names = ("id", "name", "description", "composition", "category_id", "available")
        return *(product.get(name) for name in names), product.get("tax"), product.get("marking")

    return flat_rows(products, columns, ("attributes", "option_axes", "allergens", "tags"))


def variant_rows(products):
    def columns(variant):
        names = ("id", "name", "price", "sku", "measure_unit", "measure_value", "default")
        return variant["product_id"], *(variant.get(name) for name in names), None

    variants = [
        {**row, "product_id": product["id"]}
        for product in products
        for row in product["variants"]
    ]
    return flat_rows(variants, columns, ("barcodes", "option_values", "option_groups"))


class FlatTables:
    """Tables of products and variants in a database of their own, and one psql at work in it."""

    def __init__(self, postgres):
        self.postgres = postgres

    def __enter__(self):
        self.name, url = self.postgres.create()
        self.psql = subprocess.Popen(
            ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.run_ms(TABLES)
        return self

    def __exit__(self, *_):
        self.psql.stdin.close()
        self.psql.wait(timeout=20)
        self.psql.stdout.close()
        self.postgres.drop(self.name)

    def run_ms(self, script):
        """Milliseconds that a script takes."""
        start = time.monotonic()
        try:
            self.psql.stdin.write(f"{script}\n\\echo {MARK}\n")
            self.psql.stdin.flush()
        except BrokenPipeError as fault:
            raise BenchFailed("psql gave up") from fault
        for line in self.psql.stdout:
            if line.strip() == MARK:
                return (time.monotonic() - start) * 1000
        raise BenchFailed("psql gave up")

    def upsert_script(self, products):
        """COPY into a table of the transaction, and from there into place."""
        parts = ["BEGIN;"]
        tables = (
            ("product", ("id",), product_rows(products)),
            ("variant", ("product_id", "id"), variant_rows(products)),
        )
        for table, key, rows in tables:
            columns = columns_of(table)
            values = [name for name in columns if name not in (*key, "stock")]
            updates = ", ".join(f"{name} = EXCLUDED.{name}" for name in values)
            parts += [
                f"CREATE TEMP TABLE new_{table} (LIKE {table}) ON COMMIT DROP;",
                f"COPY new_{table} FROM STDIN;\n{rows}\\.",
                f"INSERT INTO {table} SELECT * FROM new_{table}"
                f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {updates};",
            ]
        return "\n".join([*parts, "COMMIT;"])


def columns_of(table):
    """In their order, from the text above."""
    text = TABLES.split(f"CREATE TABLE {table} (")[1].split(");")[0].split("PRIMARY KEY (")[0]
    return [part.split()[0] for part in text.split(",") if part.strip()]


def upsert_ms(postgres, products):
    """The medians into empty tables, and over themselves."""
    first, again = [], []
    for _ in range(RUNS):
        with FlatTables(postgres) as tables:
            script = tables.upsert_script(products)
            first.append(tables.run_ms(script))
            again.append(tables.run_ms(script))
    return statistics.median(first), statistics.median(again)


def update_script(offers, number):
    """Prices and stocks of as many rows as a package of changes has."""
    start = number * CHANGE_ROWS % (len(offers) - CHANGE_ROWS)
    rows = ",".join(
        f"('{product}','{variant}',{number * 1000 + place + 0.25},{number * 1000 + place})"
        for place, (product, variant) in enumerate(offers[start : start + CHANGE_ROWS])
    )
    return (
        "UPDATE variant AS v SET price = new.price, stock = new.stock FROM (VALUES "
        f"{rows}) AS new (product_id, id, price, stock)"
        " WHERE v.product_id = new.product_id AND v.id = new.id;"
    )


def update_ms(postgres, products, offers):
    """The median of one UPDATE of so many rows."""
    with FlatTables(postgres) as tables:
        tables.run_ms(tables.upsert_script(products))
        tables.run_ms("ANALYZE;")
        return statistics.median(
            tables.run_ms(update_script(offers, number)) for number in range(1, 4 * RUNS + 1)
        )
