"""The validation body that ERP teams know from FastAPI (contract section 1, Exception 1).

Each row of a `detail` has a type, a place, pydantic's message for it, and the offending value.
"""

import json

INPUT_MAX = 200
ROWS_MAX = 100


def _count(number, word):
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


# A message as pydantic makes it of its parameters; what the lambda takes is what `ctx` must have.
_PYDANTIC = {
    "missing": lambda: "Field required",
    "string_type": lambda: "Input should be a valid string",
    "string_too_short": lambda min_length:
        f"String should have at least {_count(min_length, 'character')}",
    "string_too_long": lambda max_length:
        f"String should have at most {_count(max_length, 'character')}",
    "int_type": lambda: "Input should be a valid integer",
    "int_from_float": lambda: "Input should be a valid integer, got a number with a fractional part",
    "int_parsing_size": lambda:
        "Unable to parse input string as an integer, exceeded maximum size",
    "float_type": lambda: "Input should be a valid number",
    "decimal_max_digits": lambda max_digits:
        f"Decimal input should have no more than {_count(max_digits, 'digit')} in total",
    "decimal_max_places": lambda decimal_places:
        f"Decimal input should have no more than {_count(decimal_places, 'decimal place')}",
    "decimal_whole_digits": lambda whole_digits:
        f"Decimal input should have no more than {_count(whole_digits, 'digit')} before the decimal"
        " point",
    "bool_type": lambda: "Input should be a valid boolean",
    "list_type": lambda: "Input should be a valid list",
    "dict_type": lambda: "Input should be a valid dictionary",
    "too_short": lambda field_type, min_length, actual_length:
        f"{field_type} should have at least {_count(min_length, 'item')} after validation,"
        f" not {actual_length}",
    "too_long": lambda field_type, max_length, actual_length:
        f"{field_type} should have at most {_count(max_length, 'item')} after validation,"
        f" not {actual_length}",
    "enum": lambda expected: f"Input should be {expected}",
    "datetime_type": lambda: "Input should be a valid datetime",
    "datetime_parsing": lambda error: f"Input should be a valid datetime, {error}",
    "timezone_aware": lambda: "Input should have timezone info",
    "date_type": lambda: "Input should be a valid date",
    "date_parsing": lambda error:
        f"Input should be a valid date in the format YYYY-MM-DD, {error}",
    "greater_than": lambda gt: f"Input should be greater than {gt}",
    "greater_than_equal": lambda ge: f"Input should be greater than or equal to {ge}",
    "json_invalid": lambda error: "JSON decode error",
}
_OURS = {"reference_not_found", "duplicate_id", "duplicate_key", "too_many_keys", "truncated"}


def check_detail(reply):
    """What must hold for every validation body."""
    media_type = reply.header("Content-Type") or ""
    assert media_type.split(";")[0] == "application/json", f"{media_type!r}: {reply}"
    assert set(reply.json) == {"detail"}, f"not the validation body: {reply}"
    rows = reply.json["detail"]
    is_cut = rows and rows[-1]["type"] == "truncated"
    assert 1 <= len(rows) <= ROWS_MAX + is_cut, f"{len(rows)} rows: {reply}"
    for row in rows:
        assert {"type", "loc", "msg", "input"} <= set(row) <= {"type", "loc", "msg", "input", "ctx"}
        _check_place(row)
        _check_message(row)
        _check_input(row)
    assert [row["type"] for row in rows[:-1]].count("truncated") == 0, f"{reply}"
    assert not is_cut or len(rows) == ROWS_MAX + 1, f"truncated at {len(rows)} rows: {reply}"


def _check_place(row):
    assert isinstance(row["loc"], list) and row["loc"][:1] == ["body"], row
    for step in row["loc"]:
        assert isinstance(step, str) or type(step) is int and step >= 0, row
    if row["type"] == "json_invalid":
        assert len(row["loc"]) == 2 and type(row["loc"][1]) is int, row


def _check_message(row):
    if row["type"] in _OURS:
        assert row["msg"] and isinstance(row["msg"], str), row
        return
    assert row["type"] in _PYDANTIC, f"pydantic knows no {row}"
    try:
        wanted = _PYDANTIC[row["type"]](**row.get("ctx", {}))
    except TypeError as fault:
        raise AssertionError(f"other parameters than pydantic's: {row}") from fault
    assert row["msg"] == wanted, f"{wanted!r} is what pydantic says: {row}"
    assert row.get("ctx") != {}, f"ctx only where there are parameters: {row}"


def _check_input(row):
    """A text of 200 characters at most; of anything else that much of its JSON."""
    if isinstance(row["input"], str):
        assert len(row["input"]) <= INPUT_MAX, f"{len(row['input'])} characters: {row}"
        return
    text = json.dumps(row["input"], ensure_ascii=False, separators=(",", ":"))
    assert len(text) <= INPUT_MAX, f"{len(text)} characters: {row}"


def places(reply):
    """(type, place behind `body`) of each row, sorted."""
    rows = reply.expect(422)["detail"]
    return sorted(((row["type"], tuple(row["loc"][1:])) for row in rows), key=repr)


def expect_faults(reply, *wanted):
    """Demands exactly these: (type, *place) each."""
    assert places(reply) == sorted(((kind, tuple(place)) for kind, *place in wanted), key=repr), \
        f"{reply.body.decode()[:3000]}"


def fault_at(reply, *place):
    """The only row of that place."""
    rows = [row for row in reply.expect(422)["detail"] if row["loc"] == ["body", *place]]
    assert len(rows) == 1, f"{len(rows)} faults at {place}: {reply}"
    return rows[0]
