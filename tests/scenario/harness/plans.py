"""How each engine means to read the tables of a statement, in the same words."""

import json
import re
import sqlite3
import subprocess
from dataclasses import dataclass

from .plan_rows import LARGEST, NOW, ROWS, an_id

# --- A way into a table


@dataclass(frozen=True)
class Access:
    """A table and the columns by which its rows are found. is_bounded: read in order up to a LIMIT,
    and nothing else is read on the way."""

    table: str
    index: str
    equal: tuple  # columns that are given
    is_ranged: bool  # and a range of the next one
    is_bounded: bool
    filters: tuple = ()  # PostgreSQL: columns that say which of the rows read are left out

    def __str__(self):
        columns = [f"{column} =" for column in self.equal] + ["a range"] * self.is_ranged
        words = f"{self.table} by {self.index or 'nothing'} ({', '.join(columns)})"
        if self.filters:
            words += f", leaving some out by {', '.join(self.filters)}"
        return words + (" up to a limit" if self.is_bounded else "")


# --- SQLite

STEP = re.compile(
    r"(?P<how>SCAN|SEARCH) (?P<name>\S+)(?: USING (?P<automatic>AUTOMATIC )?(?:PARTIAL )?"
    r"(?:COVERING )?(?:INDEX (?P<index>\S+)|(?:INTEGER )?PRIMARY KEY))?(?: \((?P<terms>.*)\))?"
)
MENTION = re.compile(
    r"\b(?:FROM|JOIN|UPDATE(?: OR FAIL)?|INTO) (\w+)(?: (?:AS )?(?!SET\b)([a-z]\w*))?"
)
LIMIT = re.compile(r"\bLIMIT\b")


class SqliteStore:
    """A file of an embedded database, as herald made it. Herald keeps no statistics in it."""

    def __init__(self, path):
        self._connection = sqlite3.connect(path)
        rows = self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self.tables = {name for (name,) in rows}
        self._partial_indexes = {
            name for table in self.tables
            for _, name, _, _, is_partial in self._connection.execute(f"PRAGMA index_list({table})")
            if is_partial
        }

    def close(self):
        self._connection.close()

    def unique_keys(self):
        """Of each table, the sets of columns that name one row."""
        return {table: self._unique_keys_of(table) for table in self.tables}

    def _unique_keys_of(self, table):
        indexes = self._connection.execute(f"PRAGMA index_list({table})").fetchall()
        keys = {
            frozenset(row[2] for row in self._connection.execute(f"PRAGMA index_info({name})"))
            for _, name, is_unique, *_ in indexes if is_unique
        }
        columns = self._connection.execute(f"PRAGMA table_info({table})").fetchall()
        return keys | {frozenset(name for _, name, *_, place in columns if place)}

    def accesses(self, statement):
        """A text says why it has none: it is not one of this store."""
        arguments = {number: None for number in re.findall(r"\$(\d+)", statement)}
        try:
            found = self._connection.execute("EXPLAIN QUERY PLAN " + statement, arguments)
        except sqlite3.OperationalError as fault:
            return str(fault)
        steps = found.fetchall()
        sorted_parents = {parent for _, parent, _, words in steps if "TEMP B-TREE" in words}
        return [
            access for _, parent, _, words in steps
            if (access := self._access(statement, words, parent == 0, parent in sorted_parents))
        ]

    def _access(self, statement, words, is_outer, is_sorted):
        found = STEP.match(words)
        is_whole = found and not found["terms"] and found["index"] not in self._partial_indexes
        mentioned = found and mentioned_as(statement, found["name"], is_outer, is_whole)
        if not mentioned or mentioned[0] not in self.tables:
            return None
        table, is_ended = mentioned
        terms = found["terms"] or ""
        equal = re.findall(r"(\w+)=\?", terms)
        if equal == ["rowid"]:
            equal = min(self._unique_keys_of(table), key=len)
        return Access(
            table, found["index"] or ("" if found["how"] == "SCAN" else "its key"), tuple(equal),
            bool(re.search(r"[<>]", terms)), is_ended and not is_sorted and not found["automatic"]
        )


def mentioned_as(statement, name, is_outer, is_whole):
    """The table that a plan calls by a name, and whether a LIMIT ends its reading; of one that is
    read from its beginning only where every row will do."""
    *inner, outer = blocks_of(statement)
    for blocks in [[outer], inner] if is_outer else [inner, [outer]]:
        found = [
            (table, is_limited(block) and not (is_whole and " WHERE " in block))
            for block in blocks for table, alias in MENTION.findall(block)
            if name == (alias or table)
        ]
        if found:
            return max(found, key=lambda mention: mention[1])
    return None


def is_limited(block):
    return bool(LIMIT.search(block)) or block.startswith("EXISTS ")


def blocks_of(statement):
    """What stands in each pair of parentheses, without those within it."""
    open_blocks, blocks = [""], []
    for part in re.split(r"((?:EXISTS )?\(|\))", statement):
        if part.endswith("("):
            open_blocks.append(part[:-1])
        elif part == ")":
            blocks.append(open_blocks.pop())
        else:
            open_blocks[-1] += part
    return blocks + open_blocks


# --- PostgreSQL

TURNS = 7  # one more than the server takes to decide
JOIN = "a join"  # in place of a table: of each row with each, which takes the product of both

# As herald does (kit/db/postgres_connect.c): a statement is prepared once. Its first plans are for the values at hand; then the
# server keeps one for all values, where that seems as good.
PLANNER = f"""
CREATE FUNCTION pg_temp.plans_of(name text, statement text, given jsonb) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    arguments text;
    first json;
    kept json;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_prepared_statements AS p WHERE p.name = plans_of.name) THEN
        EXECUTE 'PREPARE ' || name || ' AS ' || statement;
    END IF;
    SELECT string_agg(coalesce(given ->> place::text, CASE type::text
                WHEN 'bytea' THEN quote_literal({an_id(LARGEST)})
                WHEN 'text' THEN quote_literal('[]') WHEN 'json' THEN quote_literal('[]')
                WHEN 'integer' THEN '1' ELSE '{NOW}' END), ',' ORDER BY place)
        INTO arguments FROM pg_prepared_statements,
            unnest(parameter_types) WITH ORDINALITY AS parameter (type, place)
        WHERE pg_prepared_statements.name = plans_of.name;
    FOR turn IN 1..{TURNS} LOOP
        EXECUTE 'EXPLAIN (FORMAT JSON) EXECUTE ' || name || coalesce('(' || arguments || ')', '')
            INTO kept;
        first := coalesce(first, kept);
    END LOOP;
    RETURN json_build_array(first, kept);
EXCEPTION WHEN OTHERS THEN
    RETURN to_json(SQLERRM);
END $$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_mergejoin = off;
SET random_page_cost = 1.1;
"""
READY = "ready"
LIMITED = re.compile(r"\bLIMIT (?:\(SELECT CAST\()?\$(\d+)")
COMPARED = re.compile(r"\b(\w+) (?:=|<>|[<>]=?) \$(\d+)")
OF_COLUMNS = {
    "catalog": LARGEST,
    "product": LARGEST << 32,
    "receipt": ROWS,
    "attempts": 1,
    "archived": 0,
    "position": 1,
    "at": NOW - 24 * 3600 * 1000,
    "created_at": NOW - 600 * 1000,
    "updated_at": NOW - 24 * 3600 * 1000,
    "channel": "'sms'",
    "kind": "'kind1'",
    "number": "'+78000000500'",
    "recipient": "'+78000000500'",
    "caller": "'+78000000500'",
    "gateway_number": "'+78000000500'",
    "sender": "'+78000000050'",
    "category_id": "'category7'",
}


def values_of(statement):
    """Arguments that are no time and no id."""
    named = {place: OF_COLUMNS.get(column) for column, place in COMPARED.findall(statement)}
    limits = dict.fromkeys(LIMITED.findall(statement), 20)
    values = (named | limits).items()
    return json.dumps({place: value for place, value in values if value is not None})


class PostgresStore:
    """A filled database, as its planner sees it at this moment."""

    def __init__(self, database):
        self._database = database
        self._conditions = dict(self._rows(
            "SELECT c.relname, pg_get_expr(indpred, indrelid) FROM pg_index i"
            " JOIN pg_class c ON c.oid = i.indexrelid WHERE indpred IS NOT NULL"
        ))
        self._columns = {}
        for table, column in self._rows(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema()"
        ):
            self._columns.setdefault(table, set()).add(column)

    @property
    def tables(self):
        return self._columns.keys()

    def _rows(self, sql):
        return [line.split("|", 1) for line in self._database.ask(sql).splitlines()]

    def accesses_of(self, statements, meanwhile=None):
        """Of each statement, by all its plans; a text says why it has none. meanwhile: called when
        all have been planned; what counts is how the session then runs them."""
        return [
            plans if isinstance(plans, str) else [
                access for plan in plans for access in self._below(plan[0]["Plan"], False)
            ]
            for plans in self._plans(statements, meanwhile)
        ]

    def _plans(self, statements, meanwhile):
        asked = "".join(
            f"SELECT pg_temp.plans_of('s{number}', $text${text}$text$,"
            f" $values${values_of(text)}$values$);\n"
            for number, text in enumerate(statements)
        )
        with subprocess.Popen(
            ["psql", "--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", self._database.url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as session:
            session.stdin.write(PLANNER)
            if meanwhile:
                session.stdin.write(f"\\o /dev/null\n{asked}\\o\n\\echo {READY}\n")
                session.stdin.flush()
                assert session.stdout.readline().strip() == READY
                meanwhile()
            output, complaint = session.communicate(f"\\pset recordsep_zero on\n{asked}")
        assert session.returncode == 0, complaint
        return [json.loads(plans) for plans in output.split("\0")[:-1]]

    def _below(self, node, is_limited):
        if node["Node Type"].endswith("Scan") and node.get("Relation Name") in self._columns:
            yield self._access(node, is_limited)
        if node["Node Type"] == "Nested Loop" and "Join Filter" in node:
            yield Access(JOIN, node["Join Filter"], (), False, False)
        for child in node.get("Plans", ()):
            yield from self._below(child, is_limit_kept(node, child, is_limited))

    def _access(self, node, is_limited):
        table, index = node["Relation Name"], node
        while "Index Name" not in index and index.get("Plans"):
            index = index["Plans"][0]
        name, condition = index.get("Index Name", ""), index.get("Index Cond", "")
        left_out = node.get("Filter", "")
        for term in self._conditions.get(name, "-").split(" AND "):
            left_out = left_out.replace(term.strip("()"), "")
        return Access(
            table, name, tuple(EQUAL.findall(condition)), bool(RANGE.search(condition)),
            is_limited and node["Node Type"] != "Bitmap Heap Scan",
            tuple(sorted(self._columns[table] & set(re.findall(r"\w+", left_out)))),
        )


KEPT_LIMIT = {
    "Limit", "LockRows", "Nested Loop", "Result", "Subquery Scan", "CTE Scan", "ModifyTable",
    "Append", "Merge Append",
}
EQUAL = re.compile(r"\(\(*(?:\w+\.)?(\w+)\)?(?:::\w+)? = ")
RANGE = re.compile(r" [<>]=? ")


def is_limit_kept(node, child, is_limited):
    """Whether what is above ends the reading of the child."""
    if node["Node Type"] == "Limit":
        return True
    if child.get("Parent Relationship") in ("SubPlan", "InitPlan"):
        return False
    return is_limited and node["Node Type"] in KEPT_LIMIT
