"""No statement reads a table that grows from end to end, on either engine.

The plan of each statement of the binary is held against this: every row is found by a key, or is
one of a group that stays small, or is read along an index up to a LIMIT. What else there is stands
in the tables below, with its reason; so does what a LIMIT leaves out on its way.

PostgreSQL is asked with figures from when its tables were nearly empty, with those of a moment at
which nothing waited, and with true ones; and how it goes on with what it planned at those moments.
"""

import pytest

from harness.engines import SERVER_URL
from harness.plan_rows import FEW, OVER, ROWS, TABLES, fill_sql
from harness.plans import JOIN, PostgresStore, SqliteStore
from harness.site import BINARY, Site
from harness.statements import is_format, parts_of, statements_of

FIXED = {  # tables that do not grow
    "alert": "100 rows of a kind of trouble, and those that are over",
    "api_key_change": "one row",
    "audit_head": "one row a store",
    "channel_circuit": "one row a channel",
    "device_pairing": "one row a phone that waits to be paired, for 10 minutes",
    "event_head": "one row",
    "lease": "one row a periodic job",
    "log_head": "one row",
    "operator": "at most 500",
    "operator_address": "at most 20 of an operator",
    "operator_session": "at most 20 of an operator",
    "order_personal_mark": "one row",
    "pairing_guard": "one row",
    "personal_mark": "one row a table",
    "process": "one row a process, for a day",
    "resealing": "one row",
    "schema_migration": "one row a migration",
    "settings_seen": "100 rows a verb",
    "signing_key": "old ones go",
    "store_clock": "one row",
    "store_pair": "one row",
    "trouble": "100 rows of a kind",
    "trouble_watch": "one row",
    "vault_check": "one row",
    "webhook_endpoint": "at most 50",
    "worker": "one row a process",
}

SMALL = {  # groups of rows by what they have in common
    ("catalog_offer", "product"): "the variants of a product",
    ("catalog_variant", "product"): "the variants of a product",
    ("channel_send", "owner_id"): "the sends of a code or message",
    ("channel_send", "provider_id"): "given once by a provider",
    ("client_secret", "client_id"): "two that are live",
    ("named_account", "device_id"): "what a phone named: 16 accounts",
    ("device_number", "device_id"): "the numbers of a phone",
    ("event", "subject_id"): "the events of a code, a call, a message or an order",
    ("erp_refusal", "integration_id"): "the newest 100 of an integration",
    ("phone_task", "lease_device_id"): "what a phone has claimed",
    ("phone_task", "owner_id"): "the sends of a code or message",
    ("subject_job", "mark"): "what was asked about a number within a day",
    ("test_send", "owner_id"): "the sends of a code of a test number",
    ("wrong_code", "at"): "those of a millisecond",
    ("wrong_code", "recipient"): "hardly more than 50, within a day",
    ("workload_client", "integration_id"): "at most 50",
}

HARDLY_ANY = {  # indexes of which a statement reads little, whatever it asks for
    "device_account_by_device": "the accounts of a phone, or of a page of phones",
    "phone_task_claimed": "a task under a lease, of one number",
    "erp_package_processing": "packages that are being applied: one an integration",
}

LEFT_OUT = (  # on the way to a LIMIT: of a table, by which columns, in which statements, and why
    ("call_challenge", "expires_at gateway_number state", "AS r WHERE", "of 20,000"),
    ("audit_record", "action actor_id actor_kind actor_name at target_id target_type", "",
     "a page looks at 20,000 records at most"),
    ("log_entry", "fields message", "'%' || $3", "of 5,000 ids"),
    ("catalog_category", "archived", "", "few are archived"),
    ("catalog_definition", "archived", "", "few are archived"),
    ("catalog_product", "archived", "", "few are archived"),
    ("catalog_product", "archived updated_at", "", "who asks for changes reads on to the end"),
    ("catalog_product_name", "folded", "", "the search reads names one behind the other"),
    ("device", "removed_at", "", "few are removed"),
    ("device_number", "number", "", "one number"),
    ("device_number", "number sim_ready_until", "", "those that just lapsed, for 5 s"),
    ("device_number", "sim_ready_until", "", "those that just lapsed, for 5 s"),
    ("erp_package", "event_type", "", "one of two types"),
    ("erp_package", "event_type status", "status = 'applied'", "most are applied"),
    ("erp_package", "integration_id", "NOT IN", "16 that rest, and those being applied"),
    ("erp_package", "status", "status = 'applied'", "most are applied"),
    ("event", "type", "LIKE", "of 5,000 numbers"),
    ("integration", "id", "AND is_enabled = 1 AND id <>", "the one that is made or enabled"),
    ("log_entry", "at fields level", "id >= $1 AND id < $2", "of 20,000 ids"),
    ("message", "account_id channel chat_id state text", "AS r WHERE", "of 20,000"),
    ("order_delivery", "due_at state", "give_up_at <=", "those under way"),
    ("order_delivery", "state", "state = 'accepted'", "most are accepted"),
    ("order_delivery", "id integration_id state", "r.customer = ", "of 20,000"),
    ("otp", "created_at id", "r.created_at DESC LIMIT", "of one millisecond"),
    ("otp", "channel expires_at state", "AS r WHERE r.id < $1", "of 20,000"),
    ("webhook_delivery", "state", "state = 'delivered'", "most are delivered"),
    ("phone_task", "expires_at", "", "of one number, over for 1 s"),
    ("phone_task", "expires_at lease_until", "", "of one number, as many as its phone takes"),
    ("phone_task", "expires_at lease_until state", "", "of one number, as many as its phone takes"),
    ("phone_task", "expires_at handed_over_at lease_until state", "", "of one number, the same"),
    ("phone_task", "lease_until", "state = 'unknown'", "claimed for their last minute"),
)

REQUEST, WORKER, START = "request", "worker", "start"
SQLITE_ONLY = "SQLite's; PostgreSQL has one of its own"
# What figures the planner has.
NONE, OLD, LULL, TRUE = "no figures", "old figures", "figures of a lull", "true figures"

# What else is read: a part of the statement, the table, or that by one index alone, who waits for it,
# and why it may.
EXCEPTIONS = (
    ("UPDATE log_entry SET message", "log_entry", WORKER, "5,000 ids, when a person is erased"),
    ("UPDATE order_attempt SET", "order_attempt", WORKER, "an order's, when it is erased"),
    ("AS count FROM active_challenge", "active_challenge", REQUEST, "each second they are settled"),
    ("AS count FROM active_challenge", JOIN, REQUEST, "with those of the last second"),
    ("gateway_number IN (", "active_challenge", REQUEST, "once for numbers that leave their phone"),
    ("FROM operator_session s JOIN operator", JOIN, REQUEST, "at most 20 of each of 500 operators"),
    ("FROM named_account n", "named_account", REQUEST, "what a page of phones named"),
    ("r.created_at DESC, r.id DESC LIMIT", "otp by otp_by_recipient", REQUEST,
     "a page of them: PostgreSQL has to sort those of one millisecond"),
    ("o.updated_at >= $5", "catalog_offer", REQUEST, "who asks for changes reads all offers"),
    ("DELETE FROM metric_minute", "metric_minute", WORKER, "SQLite reads the rows of those minutes"),
    ("DELETE FROM metric_hour", "metric_hour", WORKER, "the same of hours"),
    ("DELETE FROM process", JOIN, WORKER, "a row a process, for a day"),
    ("COALESCE(MAX(number), 0) + 1", "catalog", WORKER, "the last entry of an index"),
    ("WHERE id IN (SELECT id FROM job", "job", WORKER, SQLITE_ONLY),
    ("WHERE id IN (SELECT id FROM job", JOIN, WORKER, "the same"),
    ("recipient = $1 UNION ALL", "otp by otp_by_recipient", REQUEST, SQLITE_ONLY),
    ("created_at <= $3 UNION ALL", "call_challenge by call_challenge_by_caller", REQUEST, SQLITE_ONLY),
    ("SELECT DISTINCT product", "catalog_offer", WORKER, "a snapshot reads its whole catalog"),
    ("SET is_ready = 0 WHERE", "device_number", WORKER, "all SIMs that are ready, each 5 s"),
    ("channel = 'sms'", "phone_task", WORKER, "all SMS that wait, each second"),
    ("channel = 'sms'", "device_number", WORKER, "beside them the numbers, in order"),
    ("WHERE store = $1 AND seq <= $2", "audit_record", WORKER, "as many as were read before"),
    ("FROM event WHERE seq <= $1", "event", WORKER, "as many as were read before"),
    ("WHERE id <= $1", "log_entry", WORKER, "as many as were counted before"),
    ("receipt > 0", "erp_package", WORKER, "all that wait for a snapshot"),
    ("SET kept_bytes = (SELECT", "erp_package_body", START, "`migrate finish`: all of one, once"),
    ("WHERE status = 'processing' AND due_at", "erp_package", START, "what is being applied"),
    ("$1 WHERE state", "order_delivery by order_delivery_by_state", WORKER, "what waits"),
    ("due_at = $2 WHERE id IN", "order_delivery", WORKER, "what is under way, once for a dead worker"),
    ("d.due_at LIMIT $3)", "order_delivery", WORKER, SQLITE_ONLY),
    ("FROM order_lane AS l", "order_lane", WORKER, "a turn reads all lanes: 1 us each"),
    ("FROM order_lane AS l", "integration", WORKER, "beside them the integrations, in order"),
    ("WHERE environment <> $1", "integration", REQUEST, "who sets where orders go reads all of them"),
    ("AS other_id", "integration", START, "pairs of integrations, among all that there are"),
    ("AS other_id", "integration by integration_by_point", START, "the same"),
    ("AS other_id", JOIN, START, "the same"),
    ("WHERE holder = $1", "order_lane", WORKER, "all lanes"),
    ("FROM operator_session s", JOIN, WORKER, "sessions of all operators, who are few"),
    ("state = 'failed' AND created_at >= $2", "webhook_delivery by webhook_delivery_failed", REQUEST,
     "failed tests of an endpoint among them, each of which somebody asked for"),
    ("WHERE holder IS NOT NULL", "order_lane", START, "all lanes"),
)

# The same, as long as PostgreSQL takes its tables for empty.
EMPTY_EXCEPTIONS = (
    ("expires_at LIMIT", "active_challenge", WORKER, "each second a batch"),
    ("DELETE FROM chat_turn", "chat_turn", WORKER, "each minute a batch"),
    ("DELETE FROM erp_package_body", "erp_package_body", WORKER, "each minute a batch"),
    ("DELETE FROM", JOIN, WORKER, "these three: a batch with all that there are"),
    ("AND status = 'failed' AND event_type = 'snapshot' ORDER", "erp_package", REQUEST, "a list"),
    ("AND status = 'processing'", "erp_package", REQUEST, "a list of an operator's"),
)

# Words that only one engine knows; a statement that holds them need not run on the other.
DIALECTS = {
    "sqlite": (
        "json_each($", "instr(", " AS BLOB)", "sqlite_schema", "UPDATE OR FAIL",
        "CROSS JOIN catalog_offer o ON",
    ),
    "postgres": (
        " FOR UPDATE", " FOR NO KEY UPDATE", "LATERAL", "herald_wall_ms", "octet_length", "pg_",
        "to_regclass", "_text(", "strpos(",
    ),
}
FORMATS = 2  # both of kit/db, on schema_migration, with a number each

LET_GROW = """
DO $$ BEGIN EXECUTE (
    SELECT string_agg(format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname), ';')
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
); END $$
"""


@pytest.fixture(scope="module")
def statements():
    return [text for text in statements_of(BINARY) if not is_format(text)]


@pytest.fixture(scope="module")
def sqlite_stores(tmp_path_factory):
    with Site("sqlite", tmp_path_factory.mktemp("plans"), server_url=None) as site:
        assert site.run("migrate", "up").returncode == 0
        stores = [SqliteStore(path) for path in sorted(site.state.glob("*.db"))]
        yield stores
        for store in stores:
            store.close()


@pytest.fixture(scope="module")
def views(engine, statements, sqlite_stores, tmp_path_factory):
    """By the figures that the planner has: what each statement reads; a text says why the engine
    does not know it."""
    if engine == "sqlite":
        return {TRUE: [of_sqlite(sqlite_stores, text) for text in statements]}
    return {
        **of_postgres(tmp_path_factory, statements, NONE, 0),
        **of_postgres(tmp_path_factory, statements, LULL, ROWS // 4),
        **of_postgres(tmp_path_factory, statements, OLD, FEW),
    }


def of_sqlite(stores, statement):
    found = [store.accesses(statement) for store in stores]
    known = [accesses for accesses in found if not isinstance(accesses, str)]
    return sum(known, []) if known else found[0]


def of_postgres(tmp_path_factory, statements, figures, known):
    """By figures of so many rows, of none for no figures, and by true ones."""
    with Site("postgres", tmp_path_factory.mktemp("plans"), server_url=SERVER_URL) as site:
        site.migrate()
        store = PostgresStore(site.database)
        assert store.tables == {table for table, *_ in TABLES} | FIXED.keys()
        site.database.ask(LET_GROW)
        site.database.ask(fill_sql(0, known))
        if figures == LULL:
            site.database.ask(";".join(OVER))
        if figures != NONE:
            site.database.ask("ANALYZE")
        kept = store.accesses_of(statements, lambda: site.database.ask(fill_sql(known, ROWS)))
        views = {f"plans of {figures}": kept, figures: store.accesses_of(statements)}
        site.database.ask("ANALYZE")
        return views | {TRUE: store.accesses_of(statements)}


def is_sound(statement, access, unique_keys):
    given = set(access.equal)
    if access.table in FIXED or access.index in HARDLY_ANY:
        return True
    if any(key <= given for key in unique_keys.get(access.table, ())):
        return True
    if any((access.table, column) in SMALL for column in given):
        return True
    return access.is_bounded and may_leave_out(access, statement)


def may_leave_out(access, statement):
    columns = " ".join(access.filters)
    return not columns or any(
        row[:2] == (access.table, columns) and row[2] in statement for row in LEFT_OUT
    )


def is_excepted(statement, access, figures):
    rows = EXCEPTIONS + (EMPTY_EXCEPTIONS if figures != TRUE else ())
    ways = (access.table, f"{access.table} by {access.index}")
    return any(part in statement and way in ways for part, way, *_ in rows)


def test_no_statement_reads_a_growing_table(statements, views, sqlite_stores):
    unique_keys = {}
    for store in sqlite_stores:
        unique_keys |= store.unique_keys()
    faults = [
        f"{figures}: {access}: {statement}"
        for figures, accesses in views.items()
        for statement, found in zip(statements, accesses, strict=True)
        if not isinstance(found, str)
        for access in dict.fromkeys(found)
        if not is_sound(statement, access, unique_keys)
        and not is_excepted(statement, access, figures)
    ]
    assert not faults, "\n".join(faults)


def test_every_statement_is_planned(engine, statements, views):
    foreign = [word for name, words in DIALECTS.items() if name != engine for word in words]
    faults = [
        f"{found}: {statement}"
        for statement, found in zip(statements, views[TRUE], strict=True)
        if isinstance(found, str) and not any(word in statement for word in foreign)
    ]
    assert not faults, "\n".join(faults)
    assert len(statements) > 200


def test_statements_are_whole_in_the_binary():
    """None is put together where nobody sees it."""
    parts = parts_of(BINARY)
    assert not parts, "\n".join(parts)
    formats = [text for text in statements_of(BINARY) if is_format(text)]
    assert len(formats) == FORMATS and all("schema_migration" in text for text in formats), formats


def test_exceptions_are_of_statements_that_there_are(statements):
    rows = EXCEPTIONS + EMPTY_EXCEPTIONS
    stale = [row for row in rows if not any(row[0] in text for text in statements)]
    assert not stale, stale
