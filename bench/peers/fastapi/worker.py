"""Applies packages in their order, each in one transaction, woken by NOTIFY."""

import psycopg
from catalog import ACCEPTED, CategoryRow, PackageRow, ProductRow, VariantRow, engine
from pydantic_core import from_json
from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

POLL_S = 1  # should a notification be lost


def record_row(row, record, columns, **more):
    """The columns of a record, and what has none."""
    rest = {name: value for name, value in record.items() if name not in columns}
    return {**row, **{name: record.get(name) for name in columns}, **more, "rest": rest}


def product_rows(row, products):
    columns = ("id", "name", "description", "composition", "category_id", "available")
    for product in products:
        own = {"available": True, **product}
        del own["variants"]
        yield record_row(row, own, columns, archived=False)


def variant_rows(row, products):
    columns = ("id", "name", "price", "sku")
    for product in products:
        for variant in product["variants"]:
            own = {"name": "", **variant}
            yield record_row(row, own, columns, product_id=product["id"])


def upsert(connection, table, rows):
    statement = insert(table)
    key = table.__table__.primary_key
    values = {
        column.name: statement.excluded[column.name]
        for column in table.__table__.columns
        if column not in key.columns.values()
    }
    statement = statement.on_conflict_do_update(index_elements=key, set_=values)
    connection.execute(statement, list(rows))


def is_gone(table, package):
    """Not in this snapshot."""
    return (table.integration_id == package.integration_id) & (table.receipt < package.receipt)


def apply(connection, package):
    snapshot = from_json(package.body)
    products = snapshot["products"]
    row = {"integration_id": package.integration_id, "receipt": package.receipt}
    categories = (record_row(row, one, ("id", "name")) for one in snapshot["categories"])
    upsert(connection, CategoryRow, categories)
    upsert(connection, ProductRow, product_rows(row, products))
    upsert(connection, VariantRow, variant_rows(row, products))
    for table in (CategoryRow, VariantRow):
        connection.execute(delete(table).where(is_gone(table, package)))
    archive = update(ProductRow).where(is_gone(ProductRow, package)).values(archived=True)
    connection.execute(archive)


def set_status(connection, package, status, error=None):
    connection.execute(
        update(PackageRow)
        .where(PackageRow.receipt == package.receipt)
        .values(status=status, error=error)
    )


def apply_next():
    """False: there is nothing to do."""
    oldest = (
        select(PackageRow.receipt, PackageRow.integration_id, PackageRow.body)
        .where(PackageRow.status == "accepted")
        .order_by(PackageRow.receipt)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    with engine.begin() as connection:
        package = connection.execute(oldest).one_or_none()
        if not package:
            return False
        try:
            with connection.begin_nested():
                apply(connection, package)
            set_status(connection, package, "applied")
        except Exception as fault:
            set_status(connection, package, "failed", str(fault)[:500])
    return True


def main():
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(url, autocommit=True) as listener:
        listener.execute(f"LISTEN {ACCEPTED}")
        while True:
            while apply_next():
                pass
            for _ in listener.notifies(timeout=POLL_S, stop_after=1):
                pass


if __name__ == "__main__":
    main()
