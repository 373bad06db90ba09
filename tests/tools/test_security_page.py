"""docs/security.md names the test of each row: each of them has to be there."""

import re

import pytest
import tool

PAGE = (tool.ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith(("| Attacker", "| Requirement", "|---"))
]
SCENARIO = re.compile(r"`(test_\w+\.py)(?:::(\w+))?`")
UNIT = re.compile(r"`(\w+_test)`")


def is_there(name, function):
    texts = [path.read_text(encoding="utf-8") for path in (tool.ROOT / "tests").rglob(name)]
    return any(not function or f"def {function}(" in text for text in texts)


def test_page_has_rows():
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:50] for row in ROWS])
def test_each_row_names_tests_that_are_there(row):
    attack, stop, tests = row
    scenarios, units = SCENARIO.findall(tests), UNIT.findall(tests)
    assert attack and stop and scenarios + units
    assert [found for found in scenarios if not is_there(*found)] == []
    units_there = {path.stem for path in (tool.ROOT / "tests" / "unit").glob("*_test.c")}
    assert set(units) <= units_there
