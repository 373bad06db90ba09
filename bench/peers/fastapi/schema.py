"""Makes the tables: python schema.py"""

from catalog import Base, engine
from sqlalchemy import text

Base.metadata.create_all(engine)
with engine.begin() as connection:
    connection.execute(text("ALTER TABLE package ALTER COLUMN body SET COMPRESSION lz4"))
