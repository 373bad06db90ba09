"""docs/erp/README.md and its Russian twin: their examples are what herald takes and answers (doc B,
section 4), and their tables name all that a package may come to. Both pages have the same of both."""

import json
import re

import pytest

from harness import catalog
from harness.exchange import Operator
from harness.packages import CHANGES, SNAPSHOT, Sender, expect_acceptance
from harness.site import PROJECT

PAGES = {name: (PROJECT / "docs" / "erp" / name).read_text(encoding="utf-8")
         for name in ("README.md", "README.ru.md")}
TOKEN, WHOLE, ACCEPTED, PACKAGE, FAULTS, APPLIED, RETRIED, WARNED = range(8)  # in the order of the page
VARYING = {"received_at": None, "processed_at": None, "attempts": None}  # from run to run


@pytest.fixture(params=PAGES)
def examples(request):
    """The JSON of a page."""
    return [json.loads(block) for block in blocks_of(request.param, "json")]


@pytest.fixture
def sender(site):
    """The ERP of a new shop."""
    return Sender.of(site)


def blocks_of(name, kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGES[name], re.DOTALL)


# --- The examples -----------------------------------------------------------------------------


def test_token_answer_has_what_the_page_shows(examples, site):
    answer = Operator.of(site).new_erp().ask_token().expect(200)
    assert answer.keys() == examples[TOKEN].keys()
    assert {**answer, "access_token": examples[TOKEN]["access_token"]} == examples[TOKEN]


def test_the_day_of_a_shop_goes_as_the_page_shows(examples, sender):
    """The whole snapshot, then the changes; then some that no snapshot has brought."""
    whole, package, retried = examples[WHOLE], examples[PACKAGE], examples[RETRIED]
    reply = sender.snapshot(whole)
    assert reply.expect(202) == examples[ACCEPTED]
    assert sender.wait_for(whole["event_id"]) | VARYING == examples[APPLIED] | VARYING
    expect_acceptance(sender.snapshot(whole), whole["event_id"], "duplicate")

    result = sender.apply(CHANGES, package)["result"]
    assert result["prices"]["changed"] == result["stocks"]["changed"] == 1

    fault, = retried["errors"]
    row = catalog.price_row(1, fault["product_id"], fault["variant_id"])
    assert sender.changes(package | {"event_id": retried["event_id"], "prices": [row]}).status == 202
    record = sender.wait_for(retried["event_id"], "retry")
    assert record | VARYING == retried | VARYING


def test_fault_is_told_as_the_page_shows(examples, sender):
    package = examples[PACKAGE]
    row = {name: value for name, value in package["prices"][0].items() if name != "price"}
    reply = sender.send(CHANGES, package | {"event_id": "changes:node-1:184468", "prices": [row]})
    assert reply.expect(422) == examples[FAULTS]


def test_warnings_are_told_as_the_page_shows(examples, sender):
    package = catalog.snapshot([catalog.product(f"p-{n}", [catalog.variant(default=True)], catgory_id="c-1")
                                for n in (1, 2, 3)])
    assert sender.apply(SNAPSHOT, package)["warnings"] == examples[WARNED]["warnings"]


def fields_left_out(document, schema, value, seen):
    """Follows the value along its schema, and marks the fields that it has: {(record, field)}."""
    known = document["components"]["schemas"]
    for way in schema.get("anyOf", []) + schema.get("oneOf", []):
        fields_left_out(document, way, value, seen)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        fields = known[name].get("properties", {}) if isinstance(value, dict) else {}
        for field, below in fields.items():
            seen.setdefault((name, field), False)
            if field in value:
                seen[name, field] = True
                fields_left_out(document, below, value[field], seen)
    for row in value if isinstance(value, list) else []:
        fields_left_out(document, schema.get("items", {}), row, seen)
    return {place for place, is_there in seen.items() if not is_there}


def test_the_whole_snapshot_has_every_field(examples, site):
    document = site.core().get("/openapi.json").expect(200)
    seen = {}
    reference = {"$ref": "#/components/schemas/ERPSnapshot"}
    assert not fields_left_out(document, reference, examples[WHOLE], seen)
    assert ("CatalogOptionInput", "price_delta") in seen and ("CatalogValueInput", "code") in seen


# --- The tables -------------------------------------------------------------------------------


def tables_of(name):
    """Each table of a page, as rows of cells, without its head."""
    found = re.findall(r"(?:^\|.*\n)+", PAGES[name], re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split("|")]
             for line in table.splitlines()[2:]] for table in found]


def table_with(name, first_cell):
    return next(table for table in tables_of(name)
                if any(row[0].startswith(first_cell) for row in table))


def said_in(name, first_cell):
    """All that stands in backquotes in the first column of a table."""
    return [text for row in table_with(name, first_cell) for text in re.findall("`([^`]+)`", row[0])]


STATUSES, ERRORS, ROWS, ANSWERS = "`accepted`", "`archive_limit`", "`The product is archived.`", "202"
WARNINGS = "`unknown_field`"


@pytest.mark.parametrize("page", PAGES)
def test_each_status_of_a_package_stands_there(page, site):
    document = site.core().get("/openapi.json").expect(200)
    field = document["components"]["schemas"]["ERPEvent"]["properties"]["status"]
    known = document["components"]["schemas"][field["$ref"].rpartition("/")[2]]
    assert said_in(page, STATUSES) == known["enum"]


@pytest.mark.parametrize("page", PAGES)
def test_each_warning_of_a_package_stands_there(page, site):
    known = site.core().get("/openapi.json").expect(200)["components"]["schemas"]
    assert said_in(page, WARNINGS) == known["ERPWarningType"]["enum"]


TEXT = r'"((?:[^"\\]|\\.)*)"'


def texts_in(statement, names):
    """The texts of a piece of C, and those behind its names in capitals."""
    statement = re.sub(r"\bPRI\w64\b", '"u"', statement)
    statement = re.sub(r"\b[A-Z][A-Z_]+\b", lambda name: names.get(name[0], name[0]), statement)
    runs = [run[0] for run in re.finditer(rf"{TEXT}(?:\s*{TEXT})*", statement)]
    whole = ["".join(re.findall(TEXT, run)) for run in runs]
    return {text for text in whole if len(text) > 8}  # shorter ones are put into another


def texts_of(*marks):
    """All texts in the statements of src/ that begin with one of these, up to their end."""
    paths = [path for folder in ("erp", "catalog")
             for path in (PROJECT / "src" / "domain" / folder).glob("*.[ch]")]
    sources = [path.read_text(encoding="utf-8") for path in paths]
    names = {name: text for source in sources
             for name, text, _ in re.findall(rf"#define (\w+)\s+({TEXT})\n", source)}
    return {text for source in sources for mark in marks
            for statement in re.findall(rf"{mark}.*?;\n", source, re.DOTALL)
            for text in texts_in(statement, names)}


def is_filled(template, text):
    """Whether printf may make the text of the template."""
    parts = re.split(r"%(?:zu|s|u|g)", template)
    return re.fullmatch(".*".join(map(re.escape, parts)), text) is not None


def expect_all(templates, said):
    assert len(said) == len(set(said)), said
    lacking = {one for one in templates if not any(is_filled(one, text) for text in said)}
    assert not lacking, f"src/ may say this of a package, and the table does not have it: {lacking}"
    strange = [text for text in said if not any(is_filled(one, text) for one in templates)]
    assert not strange, f"the table has this, and src/ never says it: {strange}"


@pytest.mark.parametrize("page", PAGES)
def test_each_failure_stands_there(page):
    templates = texts_of(r"\bset_problem\(turn", r"\bcatalog_refuse\(\s*outcome", r"\bproblem =\s",
                         r"\bend\.last_error = ")
    assert len(templates) >= 8, templates
    expect_all(templates, said_in(page, ERRORS))


@pytest.mark.parametrize("page", PAGES)
def test_each_fault_of_a_row_stands_there(page):
    templates = texts_of(r"\bconst char \*message =", r"\bif \(state\.\w+\) message =",
                         r"static const char \*const messages\[\] =")
    assert len(templates) >= 9, templates
    expect_all(templates, said_in(page, ROWS))


def row_of(page, first_cell, text):
    """The row whose sentence is this text, with its numbers."""
    def says(row):
        return any(re.fullmatch(r"[\d.]+".join(map(re.escape, one.split("N"))), text)
                   for one in re.findall("`([^`]+)`", row[0]))

    row, = (row for row in table_with(page, first_cell) if says(row))
    return row


def expect_end(page, sender, package):
    """The package ends as its row says; returns its record."""
    record = sender.wait_for(package["event_id"], "failed", "retry", "applied")
    row = row_of(page, ERRORS, record["last_error"])
    assert re.findall("`([a-z]+)`", row[1])[0] == record["status"], record
    for fault in record["errors"]:
        assert row_of(page, ROWS, fault["message"])
    return record


@pytest.mark.parametrize("page", PAGES)
def test_what_fails_ends_as_its_row_says(page, site, sender):
    operator = Operator.of(site)
    operator.change_integration(sender.integration_id, absent="keep", max_archive_share=0.5).expect(200)
    axes = [catalog.axis("size", "s", "m")]
    choice = {"option_values": [{"axis_id": "size", "value_id": "s"}]}
    shirt = catalog.product("shirt", [catalog.variant("s", **choice)], option_axes=axes)
    many = catalog.numbered_products(40)
    sender.apply(SNAPSHOT, catalog.snapshot([shirt, *many]))

    chooses_none = catalog.product("shirt", [catalog.variant("s"), catalog.variant("m")])
    for products in ([chooses_none, *many], [shirt]):
        package = catalog.snapshot(products)
        sender.snapshot(package).expect(202)
        assert expect_end(page, sender, package)["status"] == "failed"
        expect_acceptance(sender.snapshot(package), package["event_id"], "duplicate")

    unknown = [catalog.price_row(1, "p-0", "none"), catalog.price_row(1, "later", "v")]
    package = catalog.changes(prices=unknown)
    sender.changes(package).expect(202)
    assert expect_end(page, sender, package)["status"] == "retry"
    brings = [catalog.product("later", [catalog.variant("v")]),
              catalog.product("p-0", [catalog.variant("v"), catalog.variant("none")])]
    sender.apply(SNAPSHOT, catalog.snapshot([shirt, *brings, *many[1:]]))
    sender.wait_for(package["event_id"], "applied")


# --- The two pages ----------------------------------------------------------------------------


def test_both_pages_have_the_same_blocks():
    english, russian = (re.findall(r"```.*?```", page, re.DOTALL) for page in PAGES.values())
    assert english == russian


@pytest.mark.parametrize("table", [STATUSES, ERRORS, ROWS, ANSWERS, WARNINGS])
def test_both_pages_have_the_same_codes(table):
    def codes(name):
        rows = table_with(name, table)
        return [(row[0], re.findall("`([a-z_]+)`", row[1]) if table == ERRORS else None)
                for row in rows]

    assert codes("README.md") == codes("README.ru.md")


def test_both_pages_have_the_same_parts():
    english, russian = PAGES
    depths = [[len(mark) for mark in re.findall(r"^(#+) ", re.sub(r"```.*?```", "", PAGES[name],
                                                                flags=re.DOTALL), re.MULTILINE)]
              for name in (english, russian)]
    assert depths[0] == depths[1]
    assert [len(table) for table in tables_of(english)] == [len(table) for table in tables_of(russian)]
    assert f"({russian})" in PAGES[english] and f"({english})" in PAGES[russian]
