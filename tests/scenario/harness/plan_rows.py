"""A full PostgreSQL database, for its planner: rows of every table that grows.

Most of what was ever done is over, and one integration is much larger than the others; some of its
packages and orders wait, as while its ERP is not there.
"""

ROWS = 10000  # of most tables
FEW = 40
INTEGRATIONS = 1000
NOW = 1_750_000_000_000
LARGEST = 1  # this integration has a fifth of all there is


def an_id(number):
    """SQL: the 16 bytes of an id."""
    return f"decode(lpad(to_hex({number}), 32, '0'), 'hex')"


TENANT = f"CASE WHEN i % 5 = 0 THEN {LARGEST} ELSE 1 + i % {INTEGRATIONS} END"
TENANT_ID = an_id(TENANT)
PRODUCT = f"({TENANT})::bigint * 4294967296 + i"
NUMBER = "'+7800' || lpad((i)::text, 7, '0')"
AT = f"{NOW} - 60000::bigint * i"

# Table, how many rows, and what the i-th one holds.
TABLES = (
    ("api_key", ROWS,
     f"{an_id('i')}, 'key', 'core', 0, NULL, {an_id('i')}, NULL, NULL, {AT}, NULL, NULL,"
     f" CASE WHEN i % 100 > 0 THEN {AT} END"),
    ("device", ROWS // 2, f"{an_id('i')}, 'phone', {an_id('i')}, 1, {AT}, {AT}"),
    ("device_number", ROWS,
     f"{NUMBER}, {an_id('1 + i / 2')}, i % 2, 1, {AT}, i % 2, i % 4, i, {NOW} + i"),
    ("device_account", ROWS,
     f"'account' || i, {an_id('i')}, 'whatsapp', 'ready', {AT}, {NOW} + i"),
    ("smsgate_phone", ROWS // 2, f"{an_id('i')}, '1=0001', {AT}"),
    ("device_status", ROWS // 2, f"{an_id('i')}, {AT}, '{{}}'"),
    ("named_account", ROWS, f"{an_id('i')}, 'account' || (i + 1), 'whatsapp', i % 2, {AT}"),
    ("free_sender", ROWS, f"'number', {NUMBER}, {AT}, NULL, {AT}"),
    ("active_challenge", ROWS // 2, f"{NUMBER}, {an_id('i')}, {NUMBER}, {NOW} + 60000 * i"),
    ("call_challenge", ROWS, f"{an_id('i')}, {NUMBER}, {NUMBER}, 'expired', {AT}, {AT}, NULL, NULL"),
    ("call_event", ROWS, f"{an_id('i / 9')}, 'event' || i, 'confirmed', {an_id('i')}, {AT}"),
    (
        "otp",
        ROWS,
        f"{an_id('i')}, 'sms', {NUMBER}, CASE WHEN i % 50 = 0 THEN 'sent' ELSE 'confirmed' END,"
        f" CASE WHEN i % 50 = 0 THEN {an_id('i')} END, 6, 3, NULL, NULL, NULL, 0, {AT}, {AT}, NULL",
    ),
    ("wrong_code", ROWS, f"{NUMBER}, {AT}, {an_id('i')}, i % 3"),
    (
        "phone_task",
        ROWS,
        f"{an_id('i')}, 'sms', 'otp', {an_id('i')}, '+7800000' || lpad((i % 100)::text, 4, '0'),"
        f" {NUMBER}, 1, CASE i % 50 WHEN 0 THEN 'queued' WHEN 1 THEN 'claimed' ELSE 'sent' END,"
        f" NULL, {an_id('i')}, {an_id('1 + i % 100')}, {AT}, {AT}, {AT}, {AT}",
    ),
    (
        "audit_record",
        ROWS,
        f"'verification', i, {AT}, 'root', NULL, 'root', NULL, NULL, 'device.change', 'device',"
        f" 'id' || i, '{{}}', {an_id('i')}",
    ),
    ("metric_minute", ROWS,
     f"{NOW} - 60000 * (i / 50), {an_id('i % 3')}, 'name' || (i % 50), '', i"),
    ("metric_hour", ROWS,
     f"{NOW} - 3600000 * (i / 50), {an_id('i % 3')}, 'name' || (i % 50), '', i"),
    ("log_entry", ROWS, f"{NOW} + i, {AT}, 1, 'OTP created', '{{}}'"),
    (
        "outbox",
        ROWS // 100,
        f"i, {an_id('i')}, 'otp.sent', 'otp', 'id' || i, 1, {AT}, '{{}}', NULL",
    ),
    (
        "event",
        ROWS,
        f"i, {an_id('i')}, 'otp.sent', 'otp', 'id' || i, 1, {AT}, '{{}}', NULL",
    ),
    (
        "webhook_endpoint",
        50,
        f"{an_id('i')}, 'https://shop', '*', NULL, 0, 1, NULL, {an_id('i')}, NULL, NULL, NULL, 0,"
        f" {AT}, {AT}, {AT}",
    ),
    (
        "webhook_delivery",
        ROWS,
        f"{an_id('i')}, {an_id('1 + i % 50')}, i, {an_id('i')}, 'otp.sent',"
        f" CASE WHEN i % 50 = 0 THEN 'pending' ELSE 'delivered' END, 1,"
        f" CASE WHEN i % 50 = 0 THEN {AT} END, 200, 'ok', {AT}, {AT}",
    ),
    (
        "subject_job",
        ROWS,
        f"{an_id('i')}, 'erase', CASE WHEN i % 100 = 0 THEN 'running' ELSE 'done' END, {an_id('i')},"
        f" {an_id('i')}, 0, 0, 0, 0, 0, 0, 0, 0, NULL, {AT}, {AT},"
        f" CASE WHEN i % 100 > 0 THEN {AT} END",
    ),
    (
        "channel_send",
        ROWS,
        f"{an_id('i')}, 'telegram', {an_id('i')}, 'sent', 1, 'message' || i, NULL, {AT}, {AT},"
        f" {AT}, CASE WHEN i % 50 = 0 THEN {an_id('i')} END",
    ),
    (
        "test_send",
        ROWS,
        f"{an_id('i')}, 'otp', {an_id('i')}, 'sms', NULL, 0, 1, 'delivered', NULL, {AT}, {AT}",
    ),
    (
        "message",
        ROWS,
        f"{an_id('i')}, 'bot', 'sent', NULL, NULL, 'chat' || i, 0,"
        f" CASE WHEN i % 50 = 0 THEN {an_id('i')} END, NULL, {AT}, {AT}, {AT}",
    ),
    ("chat_turn", ROWS, f"'chat' || i, {AT}, {AT}"),
    ("idempotency_key", ROWS, f"'otp', 'key' || i, {an_id('i')}, {an_id('i')}"),
    ("job", ROWS, f"{an_id('i')}, 'kind' || i % 4, {an_id('i')}, 0, {AT}, {AT}, {AT}, NULL"),
    (
        "integration",
        INTEGRATIONS,
        f"{an_id('i')}, {an_id('i')}, {an_id('i')}, 'shop', 1, 'https://erp', {an_id('i')},"
        f" '/orders', 10, {AT}, {AT}, NULL, 'production', 'remove'",
    ),
    (
        "integration_point",
        INTEGRATIONS,
        f"{an_id('i')}, {an_id('i')}, 'production'",
    ),
    (
        "workload_client",
        ROWS // 2,
        f"{an_id('i')}, {an_id(f'1 + i % {INTEGRATIONS}')}, 'erp', 'catalog', 1, {AT}",
    ),
    ("client_secret", ROWS // 2, f"{an_id('i')}, {an_id('i')}, {an_id('i')}, {AT}, NULL, NULL"),
    (
        "erp_receipt",
        INTEGRATIONS,
        f"{an_id('i')}, {ROWS}, ({AT}) * 1000, ({AT}) * 1000, i, CASE WHEN i < 9 THEN {AT} END",
    ),
    (
        "erp_package",
        ROWS,
        f"{TENANT_ID}, 'event' || i, i, CASE WHEN i % 3 = 0 THEN 'snapshot' ELSE 'delta' END, "
        "CASE i / 5 % 8 WHEN 0 THEN 'failed' WHEN 1 THEN 'accepted'"
        f" WHEN 2 THEN 'retry' ELSE 'applied' END, i % 4, {AT}, {AT}, {AT},"
        f" CASE WHEN i / 5 % 8 BETWEEN 1 AND 2 THEN {AT} END, {AT}, 0, NULL, 9, 0, NULL, NULL, 999",
    ),
    (
        "erp_refusal",
        ROWS,
        f"{TENANT_ID}, {an_id('i')}, {AT}, 'delta', NULL, 422, 'validation_error', 9, 'request', NULL, 0",
    ),
    ("erp_package_body", ROWS, f"{TENANT_ID}, i, {AT}, {an_id('i')}"),
    ("catalog", INTEGRATIONS, f"{an_id('i')}, i, {ROWS}, 1, {AT}, 1, {AT}, {AT}"),
    ("catalog_category", ROWS // 2, f"{TENANT}, 'category' || i, 'name', 0, {AT}"),
    ("catalog_definition", ROWS, f"{TENANT}, 'definition' || i, '{{}}', 0, {AT}"),
    (
        "catalog_product",
        ROWS,
        f"{PRODUCT}, {TENANT}, 'product' || i, 'category' || i % 500, {an_id('i')}, {an_id('i')},"
        f" 2, 2, 0, {AT}, 0",
    ),
    ("catalog_product_doc", ROWS, f"{PRODUCT}, '{{}}'"),
    ("catalog_product_name", ROWS, f"{PRODUCT}, 'tea ' || i"),
    ("catalog_variant", ROWS, f"{PRODUCT}, 'variant' || i, 1, 0"),
    ("catalog_offer", ROWS, f"{PRODUCT}, 1, '9.99', 1, 9, 1, {AT}"),
    (
        "order_delivery",
        ROWS,
        f"{an_id('i')}, {TENANT_ID},"
        " CASE i / 5 % 8 WHEN 0 THEN 'queued' WHEN 1 THEN 'failed' WHEN 2 THEN 'rejected'"
        " WHEN 3 THEN 'delivering' ELSE 'accepted' END, 1,"
        f" CASE WHEN i / 5 % 8 IN (0, 3) THEN {AT} END, {AT}, {an_id('i')},"
        f" 'document' || i, 'number' || i, NULL, {AT}, {AT}, 0, CASE WHEN i % 100 = 0 THEN {an_id('i')} END, 1, 1,"
        f" CASE WHEN i / 5 % 8 IN (1, 2) THEN {AT} END, NULL, NULL,"
        f" CASE WHEN i % 20 = 0 THEN {an_id(LARGEST)} ELSE {an_id('i')} END",
    ),
    ("order_body", ROWS, f"{an_id('i')}, {an_id('i')}"),
    ("order_attempt", ROWS, f"{an_id('i')}, 1, {AT}, 9, 201, 'accepted', NULL"),
    ("order_lane", INTEGRATIONS, f"{an_id('i')}, NULL, 0, 0, NULL, NULL, NULL, NULL"),
)


def fill_sql(after, last):
    """Rows of every table, by number. Who refers to what is not checked, and not of one size."""
    return "SET session_replication_role = replica;" + ";".join(
        f"INSERT INTO {table} SELECT {values}"
        f" FROM generate_series({after + 1}, {min(last, count)}) AS i ON CONFLICT DO NOTHING"
        for table, count, values in TABLES
    )


# What waits is done: as it is at a moment without a backlog.
OVER = (
    "TRUNCATE active_challenge, job, order_body, erp_package_body, chat_turn, outbox",
    "UPDATE otp SET state = 'confirmed', code = NULL",
    "UPDATE phone_task SET state = 'sent', lease_id = NULL, lease_device_id = NULL",
    "UPDATE channel_send SET success_code = NULL",
    "UPDATE message SET state = 'sent', text = NULL",
    "UPDATE webhook_delivery SET state = 'delivered', due_at = NULL",
    "UPDATE erp_package SET status = 'applied', due_at = NULL",
    "UPDATE order_delivery SET state = 'accepted', due_at = NULL",
)
