"""What a snapshot of a catalog looks like, and the tables that it goes to."""

import os
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic_core import to_json
from sqlalchemy import BigInteger, Identity, UniqueConstraint, create_engine
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

ACCEPTED = "package_accepted"  # the channel that the worker listens to
DATABASE_URL = os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg://", 1)

engine = create_engine(DATABASE_URL, json_serializer=lambda value: to_json(value).decode())

Id = Annotated[str, Field(min_length=1, max_length=128)]
Name = Annotated[str, Field(max_length=512)]
Money = Annotated[Decimal, Field(max_digits=21, decimal_places=6)]


# --- The body -------------------------------------------------------------------------------------


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Value(Record):
    id: Id
    code: Name | None = None
    name: Name


class Axis(Value):
    values: list[Value]


class Definition(Value):
    type: Literal["string", "integer", "decimal", "boolean", "enum", "date"]
    unit: Name | None = None
    canonical_code: Name | None = None
    values: list[Value] = []


class Category(Record):
    id: Id
    name: Name
    parent_id: Id | None = None


class Attribute(Record):
    attribute_id: Id
    value_id: Id | None = None
    value: str | float | bool | None = None
    unit: Name | None = None


class OptionValue(Record):
    axis_id: Id
    value_id: Id


class Option(Record):
    id: Id
    name: Name
    price_delta: Money
    available: bool
    sku: Name | None = None


class OptionGroup(Record):
    id: Id
    name: Name
    required: bool
    min_select: int
    max_select: int
    options: list[Option]


class Variant(Record):
    id: Id
    name: Name = ""
    price: Annotated[Money, Field(ge=0)]
    sku: Name | None = None
    barcodes: list[Name] = []
    default: bool = False
    measure_unit: Name | None = None
    measure_value: float | None = None
    option_values: list[OptionValue] = []
    option_groups: list[OptionGroup] = []


class Tax(Record):
    vat_rate: str | int
    vat_included: bool
    tax_category: Name


class Marking(Record):
    required: bool
    group: Name | None
    traceable: bool


class Product(Record):
    id: Id
    name: Name
    description: str | None = None
    composition: str | None = None
    category_id: Id | None = None
    available: bool = True
    tax: Tax | None = None
    marking: Marking | None = None
    attributes: list[Attribute] = []
    option_axes: list[Axis] = []
    variants: Annotated[list[Variant], Field(min_length=1)]
    allergens: list[Name] = []
    tags: list[Name] = []


class Snapshot(Record):
    event_id: Id
    generated_at: AwareDatetime
    attribute_definitions: list[Definition] = []
    categories: Annotated[list[Category], Field(min_length=1)]
    products: Annotated[list[Product], Field(min_length=1)]


# --- The tables -----------------------------------------------------------------------------------


class Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSONB, int: BigInteger}


class PackageRow(Base):
    __tablename__ = "package"
    __table_args__ = (UniqueConstraint("integration_id", "event_id"),)
    receipt: Mapped[int] = mapped_column(Identity(), primary_key=True)
    integration_id: Mapped[str]
    event_id: Mapped[str]
    status: Mapped[str] = mapped_column(default="accepted", index=True)
    error: Mapped[str | None]
    body: Mapped[str]


class CategoryRow(Base):
    __tablename__ = "category"
    integration_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    receipt: Mapped[int]  # of the package that had it last
    name: Mapped[str]
    rest: Mapped[dict[str, Any]]


class ProductRow(Base):
    __tablename__ = "product"
    integration_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    receipt: Mapped[int]
    archived: Mapped[bool] = mapped_column(default=False)
    name: Mapped[str]
    description: Mapped[str | None]
    composition: Mapped[str | None]
    category_id: Mapped[str | None]
    available: Mapped[bool]
    rest: Mapped[dict[str, Any]]


class VariantRow(Base):
    __tablename__ = "variant"
    integration_id: Mapped[str] = mapped_column(primary_key=True)
    product_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    receipt: Mapped[int]
    name: Mapped[str]
    price: Mapped[Decimal]
    sku: Mapped[str | None]
    rest: Mapped[dict[str, Any]]
