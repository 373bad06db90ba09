"""Reading the catalog: filters, paging, ids in paths (contract section 5, "Reading the catalog")."""

import itertools

import pytest

from harness import catalog
from harness.catalog_model import Exchange, expect_rows, read_rows, walk
from harness.exchange import MISSING_ID
from harness.packages import Desk, Sender
from harness.tools import at_once

NAMES = {"m-1": "Молоко 3,2 %", "m-2": "МОЛОКО топлёное", "m-3": "Сухое молоко", "b": "Хлеб Ёлка",
         "s": "100% сок_1", "x": "Milk & bread", "y": "Straße", "z": "a*b?c[d]"}
CATEGORY = {"m-1": "c-1", "m-2": "c-1", "m-3": "c-2", "b": "c-2"}
ODD_IDS = ["a/b", "a%2Fb", "a b", "ä", "п/р ?#&=+", "..", ".", "😀", "%", "x" * 128, "я" * 128, "a\\b",
           "\u00a0", "'", '"', "a\nb"]


@pytest.fixture
def exchange(site):
    return Exchange(site, Sender.of(site))


@pytest.fixture(scope="module")
def shop(site):
    """A catalog that no test changes: those of NAMES, and `b` is archived."""
    made = Exchange(site, Sender.of(site))
    rows = [catalog.product(key, name=name, category_id=CATEGORY.get(key))
            for key, name in NAMES.items()]
    categories = [catalog.category("c-1", "Молоко"), catalog.category("c-2", "Other")]
    made.put(catalog.snapshot(rows, categories))
    made.put(catalog.snapshot([row for row in rows if row["id"] != "b"], categories))
    return made


def ids(shop, **query):
    return {row["id"] for row in walk(shop.desk.products, "products", **query)}


# --- filters


@pytest.mark.parametrize("text, found", [
    ("молоко", {"m-1", "m-2", "m-3"}), ("МОЛОКО", {"m-1", "m-2", "m-3"}), ("Milk", {"x"}),
    ("milk & BREAD", {"x"}), ("ёлка", {"b"}), ("3,2 %", {"m-1"}), ("%", {"m-1", "s"}),
    ("_", {"s"}), ("сок_1", {"s"}), ("*", {"z"}), ("?c[", {"z"}), ("\\", set()), ("no such", set()),
    ("'", set()), ("straße", {"y"}), (" ", {"m-1", "m-2", "m-3", "b", "s", "x"}),
])
def test_products_are_found_by_a_part_of_their_name(shop, text, found):
    assert ids(shop, q=text) == found


def test_products_are_found_by_category_and_archive(shop):
    assert ids(shop) == set(NAMES)
    assert ids(shop, category_id="c-1") == {"m-1", "m-2"}
    assert ids(shop, category_id="c-2") == {"m-3", "b"}
    assert ids(shop, category_id="no such") == set()
    assert ids(shop, archived="true") == {"b"}
    assert ids(shop, archived="false") == set(NAMES) - {"b"}
    assert ids(shop, category_id="c-2", archived="false", q="молоко") == {"m-3"}


def test_filters_go_with_paging(shop):
    for limit in (1, 2, 3, 200):
        assert ids(shop, limit=limit) == set(NAMES)
        assert ids(shop, limit=limit, q="молоко") == {"m-1", "m-2", "m-3"}
        assert ids(shop, limit=limit, category_id="c-2", archived="false") == {"m-3"}
    shop.expect(limit=1)


def test_page_of_a_full_list_is_as_long_as_was_asked(exchange):
    exchange.put(catalog.snapshot(catalog.numbered_products(120)))
    for limit, query in ((50, {}), (1, {"limit": 1}), (120, {"limit": 200}), (7, {"limit": 7})):
        page = exchange.desk.products(**query).expect(200)
        assert len(page["products"]) == limit
        assert (page["next_cursor"] is None) == (limit == 120)


@pytest.mark.parametrize("query", [
    {"limit": 0}, {"limit": 201}, {"limit": "x"}, {"archived": "maybe"}, {"updated_since": "soon"},
    {"cursor": "no cursor of ours"},
])
def test_bad_queries_are_told(shop, query):
    shop.desk.products(**query).expect(422, "validation_error")


def test_what_changed_since_a_moment(exchange):
    exchange.put(catalog.snapshot(catalog.numbered_products(6)))

    def newest():
        return max(row["updated_at"] for row in walk(exchange.desk.products, "products"))

    def changed(act):
        """The products that have changed by it, by what `updated_since` shows."""
        since = newest()
        known = ids(exchange, updated_since=since)
        act()
        moved = {row["id"] for row in walk(exchange.desk.products, "products")
                 if row["updated_at"] > since}
        assert moved | known == ids(exchange, updated_since=since)
        return moved

    def put(body):
        return lambda: exchange.put(body)

    assert changed(put(catalog.changes([catalog.stock_row(5, "p-1", "v")]))) == {"p-1"}
    assert changed(put(catalog.changes([catalog.stock_row(5, "p-1", "v")]))) == set()
    assert changed(put(catalog.changes(prices=[catalog.price_row(5, "p-2", "v")]))) == {"p-2"}
    rows = catalog.numbered_products(6)
    rows[2]["variants"][0]["price"] = 5
    rows[3]["name"] = "Another"
    assert changed(put(catalog.snapshot(rows))) == {"p-3"}
    assert changed(put(catalog.snapshot(rows[:5]))) == {"p-5"}
    assert changed(put(catalog.snapshot(rows))) == {"p-5"}
    assert ids(exchange, updated_since="2999-01-01T00:00:00Z") == set()
    assert len(ids(exchange, updated_since="2020-01-01T00:00:00+03:00")) == 6


def test_categories_and_definitions_are_listed_with_and_without_archived(exchange):
    exchange.put(catalog.full_snapshot())
    half = catalog.full_snapshot()
    half["products"], half["attribute_definitions"] = half["products"][1:], []
    half["categories"] = half["categories"][:1]
    exchange.put(half)
    desk = exchange.desk
    for page, name, kept in ((desk.categories, "categories", {"cat-1"}),
                             (desk.definitions, "attribute_definitions", set())):
        rows = read_rows(page, name)
        live = {key: row for key, row in rows.items() if not row["archived"]}
        assert set(live) == kept and len(rows) > len(kept)
        expect_rows(read_rows(page, name, archived="false", limit=1), live, name)
        gone = {key: row for key, row in rows.items() if row["archived"]}
        expect_rows(read_rows(page, name, archived="true", limit=1), gone, name)


# --- ids and places


def test_odd_ids_are_found_percent_encoded(exchange):
    rows = [catalog.product(key, [catalog.variant(key)]) for key in ODD_IDS]
    exchange.put(catalog.snapshot(rows, [catalog.category(key) for key in ODD_IDS]))
    exchange.put(catalog.changes([catalog.stock_row(index, key, key)
                                  for index, key in enumerate(ODD_IDS)]))
    exchange.expect(limit=3, singles=len(ODD_IDS))
    for index, key in enumerate(ODD_IDS):
        assert exchange.desk.variants(key)[key]["stock"] == index


def test_ids_that_differ_in_case_or_form_are_different(exchange):
    keys = ["abc", "ABC", "é", "e\u0301", "abc ", " abc"]
    exchange.put(catalog.snapshot([catalog.product(key, [
        catalog.variant("v"), catalog.variant("V")]) for key in keys]))
    for index, key in enumerate(keys):
        exchange.put(catalog.changes([catalog.stock_row(index, key, "V")]))
    exchange.expect(limit=2)


def test_what_is_not_there_is_404(shop, site):
    shop.desk.product("no such").expect(404, "not_found")
    nowhere = Desk(site.address, site.internal_key, MISSING_ID)
    for ask in (nowhere.products, nowhere.categories, nowhere.definitions, nowhere.packages):
        ask().expect(404, "not_found")
    nowhere.product("m-1").expect(404, "not_found")


def test_catalog_before_the_first_snapshot_is_empty(exchange):
    desk = exchange.desk
    for page, name in ((desk.products, "products"), (desk.categories, "categories"),
                       (desk.definitions, "attribute_definitions")):
        assert page().expect(200) == {name: [], "next_cursor": None}
    desk.product("p-1").expect(404, "not_found")


def test_catalog_is_for_the_internal_key_alone(shop, site):
    stranger = Desk(site.address, "wrong", shop.desk.integration_id)
    for ask in (stranger.products, stranger.categories, stranger.definitions):
        ask().expect(401, "unauthorized")
    path = f"/internal/v1/integrations/{shop.desk.integration_id}/products"
    shop.sender.get(path).expect(401, "unauthorized")


def test_many_read_at_once(shop):
    pages = at_once(16, lambda _: shop.desk.products(limit=200).expect(200))
    assert all(page == pages[0] for page in pages)


def test_order_of_a_walk_is_the_same_every_time(exchange):
    rows = catalog.numbered_products(40)
    exchange.put(catalog.snapshot(rows))
    walks = [[row["id"] for row in walk(exchange.desk.products, "products", limit=limit)]
             for limit in (1, 7, 50)]
    exchange.put(catalog.snapshot(rows[::-1]))
    walks += [[row["id"] for row in walk(exchange.desk.products, "products")]]
    assert all(first == second for first, second in itertools.pairwise(walks))


def test_price_and_stock_tell_the_package_that_brought_them(exchange):
    def origins():
        row = exchange.desk.variants("a")["v"]
        return [(origin["value"], origin["event_id"]) if origin else None
                for origin in (row.get("price_origin"), row.get("stock_origin"))]

    def put(body):
        exchange.put(body)
        return body["event_id"]

    def snapshot(price):
        return catalog.snapshot([catalog.product("a", [catalog.variant("v", price)])])

    first = put(snapshot(10.5))
    assert origins() == [(10.5, first), None]
    stocks = put(catalog.changes([catalog.stock_row(4, "a", "v")]))
    put(snapshot(10.5))
    assert origins() == [(10.5, first), (4, stocks)]
    prices = put(catalog.changes(prices=[catalog.price_row(12, "a", "v")]))
    assert origins() == [(12, prices), (4, stocks)]
    last = put(snapshot(13))
    assert origins() == [(13, last), (4, stocks)]
    origin = exchange.desk.variants("a")["v"]["price_origin"]
    package = exchange.desk.package(last).expect(200)
    assert (origin["generated_at"], origin["set_at"]) == (package["generated_at"], package["processed_at"])
    assert all("price_origin" not in row for row in exchange.desk.products().expect(200)["products"][0]["variants"])
