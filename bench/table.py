"""Figures in words, held against their goals, and the document that they stand in."""

import sys

HEAD = ("work", "engine", "measured", "goal", "met", "limit in the same run", "cost a unit")

FIGURES = {  # as a goal says them: before the bound, and behind it
    "rate": ("", "/s"),
    "p50_ms": ("p50 ", " ms"),
    "p99_ms": ("p99 ", " ms"),
    "claim_p99_ms": ("p99 of claims ", " ms"),
    "other_p99_ms": ("p99 of others ", " ms"),
    "reader_kb": ("", " KB a reader"),
    "ready_ms": ("", " ms"),
    "rss_mb": ("", " MB"),
    "peak_mb": ("", " MB"),
    "ratio": ("", " times the peer's"),
    "more_mb": ("", " MB more"),
    "slowest_ms": ("the slowest ", " ms"),
    "more_ms": ("", " ms more"),
    "kb": ("", " KB"),
}


def at_least(value):
    return ("at least", value)


def at_most(value):
    return ("at most", value)


POSTGRES_FACTOR = 3  # its goals where it has none of its own: within that of SQLite's


def goals_on(engine, goals):
    """What SQLite should reach, for that engine. A peer has no goals."""
    if engine == "SQLite":
        return goals
    if engine != "PostgreSQL":
        return {}
    return {
        name: (
            (sense, bound // POSTGRES_FACTOR)
            if sense == "at least"
            else (sense, bound * POSTGRES_FACTOR)
        )
        for name, (sense, bound) in goals.items()
    }


def number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def judge(result, goals):
    """The goals in words, and whether each is met."""
    words = []
    is_met = True
    for name, (sense, bound) in goals.items():
        before, behind = FIGURES[name]
        words.append(f"{before}{'>=' if sense == 'at least' else '<='} {bound:,}{behind}")
        value = result[name]
        is_met = is_met and (value >= bound if sense == "at least" else value <= bound)
    if not goals:
        return "", ""
    return ", ".join(words), "yes" if is_met else "**no**"


def is_missed(row):
    return row[4] == "**no**"


def failed_row(title, engine, fault):
    reason = str(fault).replace("|", "/").replace("\n", " ")
    return (title, engine, f"FAILED: {reason}", "", "**no**", "", "")


def show(row):
    work, engine, measured, goal, verdict, limit, cost = row
    print(f"{work} [{engine}]", file=sys.stderr)
    print(f"    {measured}", file=sys.stderr)
    if goal:
        print(f"    goal {goal}: {verdict.strip('*')}", file=sys.stderr)
    words = [f"limit: {limit}"] * bool(limit) + [f"cost: {cost}"] * bool(cost)
    print(f"    {'; '.join(words)}", file=sys.stderr, flush=True)


def markdown(rows):
    table = [HEAD, tuple("---" for _ in HEAD), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in table)


def document(facts, rows, notes):
    return "\n".join(
        [
            "# Measured",
            "",
            "Written by `./dev bench`, which measures anew. Durable commits, one `herald serve`, a",
            "fresh database for each line, the load generator (`bench/load`) on the same machine.",
            "",
            *(f"- {name}: {value}" for name, value in facts),
            "",
            markdown(rows),
            "",
            *notes.splitlines(),
            "",
        ]
    )
