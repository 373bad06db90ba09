/* The OpenAPI document of the whole service: valid JSON, each route once, each status that the
 * contract names for it. */
#include "app/api/auth.h"
#include "app/api/routes.h"
#include "app/openapi/openapi_parts.h"
#include "core/words.h"
#include "domain/integration/integration.h"
#include "kit/base/log.h"
#include "openapi_view.h"

#include <stdio.h>

/* Counts a key whose answer may stand behind a reference. */
static int count_told(struct document *doc, const char *key)
{
    const char *rest = strstr(key, "|responses|");
    if (!rest || strncmp(key, "paths|", 6) != 0) return count_key(doc, key);

    struct str operation = {key, (size_t)(rest - key)};
    return count_key(doc, response_key(doc, arena_str(&doc->arena, operation), rest + 11));
}

/* --- The whole document --- */

static void the_document_is_json_without_double_keys(void **state)
{
    struct document *doc = *state;
    assert_int_equal(doc->last, JSON_END);
    for (size_t i = 0; i < doc->key_count; i++) {
        if (strstr(doc->keys[i], "||")) continue; /* items of an array are alike by right */
        if (count_key(doc, doc->keys[i]) != 1) fail_msg("%s stands there twice", doc->keys[i]);
    }
    assert_int_equal(count_key(doc, "openapi"), 1);
    assert_int_equal(count_key(doc, "info|version"), 1);
}

static void each_route_stands_there_once(void **state)
{
    struct document *doc = *state;
    size_t operations = 0;
    for (size_t i = 0; i < doc->routes.count; i++) {
        const char *operation = operation_of(doc, &doc->routes.rows[i]);
        if (count_key(doc, operation) != 1) fail_msg("%s", operation);
    }
    for (size_t i = 0; i < doc->key_count; i++) {
        int bars = 0;
        for (const char *p = doc->keys[i]; *p; p++)
            bars += *p == '|';
        operations += strncmp(doc->keys[i], "paths|", 6) == 0 && bars == 2;
    }
    assert_int_equal(operations, doc->routes.count);
}

static void operations_have_names_of_their_own(void **state)
{
    struct document *doc = *state;
    for (size_t i = 0; i < doc->routes.count; i++)
        for (size_t k = i + 1; k < doc->routes.count; k++)
            assert_string_not_equal(doc->routes.rows[i].operation_id,
                                    doc->routes.rows[k].operation_id);
}

/* Every "#/components/schemas/X" leads somewhere. */
static void references_lead_somewhere(void **state)
{
    struct document *doc = *state;
    assert_true(doc->ref_count > 0);
    for (size_t i = 0; i < doc->ref_count; i++) {
        char *key = arena_text(&doc->arena, doc->refs[i]);
        assert_memory_equal(key, "#/components/", 13);
        for (char *p = key; *p; p++)
            if (*p == '/') *p = '|';
        if (count_key(doc, key + 2) != 1) fail_msg("%s leads nowhere", doc->refs[i]);
    }
}

/* As it stands in the document: the one of the row, or made of the examples of the fields. */
static struct str example_of_body(const struct route *route, struct buf *out)
{
    struct json_writer writer;

    if (route->body_example) return str_of(route->body_example);
    buf_init(out, 65536);
    json_writer_init(&writer, out);
    record_example(route->body, RECORD_BODY, &writer);
    return buf_view(out);
}

/* The example of a body is a body that is taken. */
static void examples_of_bodies_are_valid(void **state)
{
    struct document *doc = *state;
    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        if (!route->body) continue;
        struct arena arena;
        arena_init(&arena);
        AUTO_BUF made = {0};
        struct str example = example_of_body(route, &made);
        struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
        record_faults_init(faults, &arena);
        void *body = arena_alloc(&arena, route->body->size);
        bool is_strict = auth_of(route)->is_body_strict;
        if (record_decode(route->body, example, is_strict, &arena, body, faults))
            fail_msg("%s: %s %s: %.*s", route->operation_id, faults->rows[0].path,
                     faults->rows[0].message, (int)example.len, example.data);
        arena_done(&arena);
    }
}

/* --- What generators need --- */

static bool has_text(const struct document *doc, const char *text)
{
    return memmem(doc->text.data, doc->text.len, text, strlen(text)) != NULL;
}

static void assert_words_are_named(const struct document *doc, const struct record *record)
{
    struct schema_style style = {.names = openapi_words};

    for (size_t i = 0; record && i < record->field_count; i++) {
        const struct field *field = &record->fields[i];
        if (field->words && !schema_name_of(&style, field))
            fail_msg("the words of %s need a row in openapi_words.c", field->name);
        assert_words_are_named(doc, field->record);
    }
}

/* A set of words that stood in two places would become two types. */
static void each_set_of_words_has_a_name(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        assert_words_are_named(doc, doc->routes.rows[i].body);
        assert_words_are_named(doc, doc->routes.rows[i].reply);
        assert_words_are_named(doc, doc->routes.rows[i].query);
    }
    for (size_t i = 0; i < doc->key_count; i++) {
        const char *key = doc->keys[i];
        bool is_enum = strlen(key) > 5 && strcmp(key + strlen(key) - 5, "|enum") == 0;
        bool is_component = strncmp(key, "components|schemas|", 19) == 0 &&
                            strchr(key + 19, '|') == key + strlen(key) - 5;
        if (is_enum && !is_component) fail_msg("%s", key);
    }
    for (const struct named_words *words = openapi_words; words->name; words++) {
        const char *key = arena_printf(&doc->arena, "components|schemas|%s|enum", words->name);
        if (count_key(doc, key) != 1) fail_msg("no field has the words %s", words->name);
    }
}

/* `Error` is a name of the language for many; lists of types are read by few. */
static void generators_do_not_stumble(void **state)
{
    struct document *doc = *state;

    assert_false(has_text(doc, "\"type\":["));
    assert_int_equal(count_key(doc, "components|schemas|Error"), 0);
    assert_int_equal(count_key(doc, "components|schemas|ErrorBody"), 1);
}

static void the_document_is_small(void **state)
{
    struct document *doc = *state;
    assert_in_range(doc->text.len, 1, doc->routes.count * 5000);
}

/* A word that OpenAPI 3.0 does not know does not stand there. */
static void the_old_rendering_has_old_words(void **state)
{
    static const char *const unknown[] = {"\"examples\":[", "\"type\":\"null\"",
                                          "\"const\":", "\"identifier\":", "\"required\":[]"};
    struct document *doc = *state;
    struct document *old =
        read_routes_as(&doc->routes, &(struct openapi_info){.version = "0.5.0",
                                                            .token_url = "/v1/oauth/token",
                                                            .dialect = SCHEMA_OPENAPI_3_0});

    assert_int_equal(old->last, JSON_END);
    assert_true(has_text(old, "\"openapi\":\"3.0.3\""));
    assert_true(has_text(old, "\"nullable\":true"));
    assert_int_equal(count_key(old, "info|summary"), 0);
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        if (has_text(old, unknown[i])) fail_msg("%s", unknown[i]);
    }
    for (size_t i = 0; i < old->ref_count; i++) { /* no neighbour; items of arrays are alike */
        size_t len = strlen(old->ref_keys[i]);
        if (old->ref_keys[i][len - 1] == '|') continue;
        int count = 0;
        for (size_t k = 0; k < old->key_count; k++)
            count += strncmp(old->keys[k], old->ref_keys[i], len) == 0 &&
                     strncmp(old->keys[k] + len, "|", 1) == 0;
        const char *ref = arena_printf(&old->arena, "%s|$ref", old->ref_keys[i]);
        if (count != count_key(old, ref)) fail_msg("%s", old->ref_keys[i]);
    }
    free_document(old);
}

/* --- Statuses --- */

/* The rows themselves say these. */
static void statuses_of_the_rows_are_told(void **state)
{
    struct document *doc = *state;
    for (size_t i = 0; i < doc->routes.count; i++) {
        const char *operation = operation_of(doc, &doc->routes.rows[i]);
        const char *key =
            arena_printf(&doc->arena, "%s|responses|%d", operation, doc->routes.rows[i].status);
        if (count_key(doc, key) != 1) fail_msg("%s", key);
        for (int k = 0; k < ROUTE_ERRORS_MAX && doc->routes.rows[i].errors[k]; k++) {
            const struct err_info *info = err_info(doc->routes.rows[i].errors[k]);
            key = response_key(doc, operation,
                               arena_printf(&doc->arena, "%d|content|application/json|examples|%s",
                                            info->http_status, info->code));
            if (count_key(doc, key) != 1) fail_msg("%s", key);
        }
    }
}

/* An order's id and an Idempotency-Key that were used before have one code. */
static void errors_of_one_code_are_both_told(void **state)
{
    struct document *doc = *state;
    const char *const names[] = {"idempotency_conflict", "ORDER_CONFLICT"};
    for (size_t i = 0; i < doc->routes.count; i++) {
        if (strcmp(doc->routes.rows[i].operation_id, "createOrder") != 0) continue;
        const char *operation = operation_of(doc, &doc->routes.rows[i]);
        for (int k = 0; k < 2; k++) {
            const char *key = response_key(
                doc, operation,
                arena_printf(&doc->arena, "409|content|application/json|examples|%s", names[k]));
            assert_int_equal(count_key(doc, key), 1);
        }
        return;
    }
    fail();
}

/* Doc A, section 4: every operation declares these; 400 is HTTP's own, and each body, wanted or
 * not, is held to 413 and 415. */
#define COMMON "401 403 404 409 413 415 422 429 503"
static const struct {
    const char *method, *path;
    const char *statuses;
} contract[] = {
    {"POST", "/internal/v1/devices", "201 " COMMON},
    {"GET", "/internal/v1/devices", "200 " COMMON},
    {"PATCH", "/internal/v1/devices/{id}", "204 " COMMON},
    {"POST", "/internal/v1/devices/{id}/rotate-key", "200 " COMMON},
    {"POST", "/internal/v1/challenges", "201 " COMMON},
    {"GET", "/internal/v1/challenges/{id}", "200 " COMMON},
    {"POST", "/internal/v1/challenges/{id}/cancel", "204 " COMMON},
    {"POST", "/api/events", "200 " COMMON},
    {"POST", "/device/v1/events", "200 " COMMON},
    {"POST", "/internal/v1/otp", "201 " COMMON},
    {"GET", "/internal/v1/otp/{id}", "200 " COMMON},
    {"POST", "/internal/v1/otp/{id}/verify", "200 " COMMON},
    {"POST", "/internal/v1/otp/{id}/cancel", "204 " COMMON},
    {"POST", "/device/v1/sms/claim", "200 " COMMON},
    {"POST", "/device/v1/sms/{id}/result", "204 " COMMON},
    {"POST", "/api/device/ping", "200 " COMMON},
    {"POST", "/callbacks/telegram-gateway", "200 401 404 413 415 422 429 503"},
    {"GET", "/internal/v1/logs", "200 " COMMON},
    {"GET", "/internal/v1/logs/stream", "200 " COMMON},
    {"GET", "/health/ready", "200 413 415 503"},
    {"POST", "/v1/oauth/token", "200 401 413 429 503"},
    {"GET", "/.well-known/jwks.json", "200 413 415"},
    {"GET", "/.well-known/oauth-authorization-server", "200 413 415"},
    {"GET", "/api/v1/integrations/erp/{integration_id}/events/{*event_id}",
     "200 401 403 404 413 415 422 429 503"},
    {"POST", "/api/v1/integrations/erp/{integration_id}/catalog-snapshot",
     "202 401 403 404 408 413 415 422 429 503"},
    {"POST", "/api/v1/integrations/erp/{integration_id}/changes",
     "202 401 403 404 408 413 415 422 429 503"},
    {"GET", "/internal/v1/integrations/{id}/events", "200 401 403 404 413 415 422 429 503"},
    {"GET", "/internal/v1/integrations/{id}/events/{*event_id}/body",
     "200 401 403 404 409 413 415 422 429 503"},
    {"POST", "/internal/v1/integrations/{id}/events/{*event_id}/retry",
     "204 401 403 404 413 415 422 429 503"},
    {"POST", "/internal/v1/integrations/{id}/events/{*event_id}/release",
     "204 401 403 404 413 415 422 429 503"},
};

static void statuses_of_the_contract_are_told(void **state)
{
    struct document *doc = *state;
    for (size_t i = 0; i < COUNT_OF(contract); i++) {
        struct route row = {.method = contract[i].method, .path = contract[i].path};
        const char *operation = operation_of(doc, &row);
        for (int status = 200; status < 600; status++) {
            char number[8];
            snprintf(number, sizeof number, "%d", status);
            const char *key = arena_printf(&doc->arena, "%s|responses|%d", operation, status);
            bool is_wanted = strstr(contract[i].statuses, number) != NULL;
            if (status != 400 && count_key(doc, key) != is_wanted)
                fail_msg("%s %s", is_wanted ? "missing:" : "not in the contract:", key);
        }
    }
}

/* "Live checks only the process" (contract, section 2, rule 13): it has no 503. */
static void live_promises_no_unavailability(void **state)
{
    struct document *doc = *state;
    assert_int_equal(count_key(doc, "paths|/health/live|get|responses|200"), 1);
    assert_int_equal(count_key(doc, "paths|/health/live|get|responses|503"), 0);
}

/* --- A small table --- */

static const struct field item_fields[] = {
    {.name = "n", .type = FIELD_INTEGER, .flags = FIELD_REQUIRED, .min = 1, .max = 5, .doc = "N."},
};
static const struct record item_record = {
    .name = "Item", .doc = "An item.", .size = sizeof(int64_t), RECORD_FIELDS(item_fields)};
static const struct field item_query_fields[] = {
    {.name = "limit", .type = FIELD_INTEGER, .min = 1, .max = 200, .doc = "How many."},
    {.name = "level", .type = FIELD_ENUM, .words = log_level_words, .doc = "Of what weight."},
};
static const struct record item_query = {.size = sizeof(int64_t), RECORD_FIELDS(item_query_fields)};

static void a_row_is_the_documentation(void **state)
{
    (void)state;
    static const struct route rows[] = {
        {.method = "GET",
         .path = "/items",
         .operation_id = "listItems",
         .tag = "Items",
         .summary = "List",
         .description = "Lists.",
         .status = 200,
         .reply_doc = "Items.",
         .reply = &item_record,
         .query = &item_query,
         .access = ACCESS_READ,
         .auth = AUTH_INTERNAL_KEY,
         .role = ROLE_VIEWER},
        {.method = "POST",
         .path = "/items",
         .operation_id = "addItem",
         .tag = "Items",
         .summary = "Add",
         .description = "Adds.",
         .status = 201,
         .reply_doc = "Added.",
         .body = &item_record,
         .idem_family = "items",
         .access = ACCESS_WRITE,
         .auth = AUTH_INTERNAL_KEY,
         .role = ROLE_VIEWER,
         .errors = {ERR_NUMBER_TAKEN}},
        {.method = "POST",
         .path = "/items/{id}/do",
         .operation_id = "doItem",
         .tag = "Items",
         .summary = "Do",
         .description = "Does.",
         .status = 204,
         .reply_doc = "Done.",
         .access = ACCESS_WRITE,
         .auth = AUTH_DEVICE_KEY},
    };
    static const char *const expected[] = {
        "paths|/items|get|responses|200|content|application/json|schema|$ref",
        "paths|/items|get|responses|401",
        "paths|/items|get|responses|422",
        "paths|/items|post|requestBody|content|application/json|schema|$ref",
        "paths|/items|post|responses|201|headers|Idempotent-Replayed",
        "paths|/items|post|responses|409|content|application/json|examples|idempotency_conflict",
        "paths|/items|post|responses|409|content|application/json|examples|number_taken",
        "paths|/items|post|responses|413",
        "paths|/items|post|responses|415",
        "paths|/items|post|responses|429|headers|Retry-After",
        "paths|/items/{id}/do|post|responses|204",
        "paths|/items/{id}/do|post|responses|404",
        "paths|/items/{id}/do|post|responses|503|headers|Retry-After",
        "components|schemas|Item|properties|n|maximum",
        "components|schemas|LogLevel|enum",
        "components|schemas|ErrorBody|properties|error|properties|code",
        "components|parameters|IdempotencyKey",
        "components|securitySchemes|InternalKey",
    };
    struct document *doc = read_document(rows, COUNT_OF(rows));
    assert_int_equal(doc->last, JSON_END);
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (count_told(doc, expected[i]) != 1) fail_msg("%s", expected[i]);
    assert_int_equal(count_key(doc, "paths|/items"), 1);
    assert_int_equal(count_key(doc, "paths|/items/{id}/do|post|requestBody"), 0);
    free_document(doc);
}

/* A body that is taken as it arrives: its faults have a document of their own. */
static void faults_of_taken_bodies_are_described(void **state)
{
    (void)state;
    static const struct body_taker taker = {.body_max = 1};
    static const struct route rows[] = {
        {.method = "POST",
         .path = "/items",
         .operation_id = "sendItems",
         .tag = "Items",
         .summary = "Send",
         .description = "Sends.",
         .status = 202,
         .reply_doc = "Taken.",
         .body = &item_record,
         .taker = &taker,
         .access = ACCESS_READ_FIRST,
         .store = STORE_EXCHANGE,
         .auth = AUTH_INTERNAL_KEY,
         .role = ROLE_VIEWER,
         .errors = {ERR_KEY_NOT_EVENT_ID}},
    };
    static const char *const expected[] = {
        "paths|/items|post|requestBody|required",
        "paths|/items|post|responses|413",
        "paths|/items|post|responses|422|content|application/json|schema|oneOf",
        "paths|/items|post|responses|422|content|application/json|examples|detail|value|detail",
        "paths|/items|post|responses|422|content|application/json|examples|validation_error",
        "components|schemas|BodyFaults|properties|detail|items|properties|loc",
    };
    struct document *doc = read_document(rows, COUNT_OF(rows));
    assert_int_equal(doc->last, JSON_END);
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (count_told(doc, expected[i]) != 1) fail_msg("%s", expected[i]);
    free_document(doc);
}

#define ITEM_HEADER                                                           \
    "{\"name\":\"X-Signature\",\"in\":\"header\",\"description\":\"Signs.\"," \
    "\"required\":true,\"schema\":{\"type\":\"string\"}}"
static const struct field item_headers[] = {
    {.name = "X-Signature", .type = FIELD_STRING, .flags = FIELD_REQUIRED, .doc = "Signs."},
    {0},
};

/* No key, no errors of keys, the header, and an answer without a body. */
static void a_signature_is_no_key(void **state)
{
    (void)state;
    static const struct route rows[] = {
        {.method = "POST",
         .path = "/report",
         .operation_id = "reportItem",
         .tag = "Items",
         .summary = "Report",
         .description = "Reports.",
         .status = 200,
         .reply_doc = "Taken.",
         .body = &item_record,
         .headers = item_headers,
         .access = ACCESS_WRITE,
         .auth = AUTH_SIGNATURE},
    };
    static const struct {
        const char *key;
        int count;
    } expected[] = {
        {"security", 1},
        {"security||InternalKey", 0},
        {"security||DeviceKey", 0},
        {"requestBody|content|application/json|schema|$ref", 1},
        {"responses|200", 1},
        {"responses|200|content", 0},
        {"responses|401|headers|WWW-Authenticate", 1},
        {"responses|403", 0},
        {"responses|409", 0},
        {"responses|422", 1},
        {"responses|429|headers|Retry-After", 1},
    };
    struct document *doc = read_document(rows, COUNT_OF(rows));
    assert_int_equal(doc->last, JSON_END);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const char *key = arena_printf(&doc->arena, "paths|/report|post|%s", expected[i].key);
        if (count_told(doc, key) != expected[i].count) fail_msg("%s", key);
    }
    assert_non_null(memmem(doc->text.data, doc->text.len, ITEM_HEADER, strlen(ITEM_HEADER)));
    free_document(doc);
}

/* --- Tokens --- */

/* With HERALD_JWKS_URL the document does not say that herald issues them. */
static void tokens_of_another_service(void **state)
{
    struct route_list routes;

    (void)state;
    routes_of_role(PROCESS_SERVE, false, &routes);
    struct document *doc = read_routes_as(&routes, &(struct openapi_info){.version = "0.5.0"});
    assert_int_equal(doc->last, JSON_END);
#define TOKEN_SCHEME "components|securitySchemes|AccessToken|"
    assert_int_equal(count_key(doc, TOKEN_SCHEME "flows"), 0);
    assert_int_equal(count_key(doc, TOKEN_SCHEME "scheme"), 1);
    assert_int_equal(count_key(doc, "paths|/v1/oauth/token"), 0);
    free_document(doc);
}

/* The dispatcher relies on it: a bearer row names one scope that there is, and no other row does.
 */
static void each_bearer_row_has_a_scope(void **state)
{
    struct document *doc = *state;
    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        assert_int_equal(route->scope != NULL, route->auth == AUTH_BEARER);
        if (!route->scope) continue;
        assert_true(word_index(scope_words, route->scope) >= 0);
        const char *key = arena_printf(
            &doc->arena, "components|securitySchemes|AccessToken|flows|clientCredentials|scopes|%s",
            route->scope);
        assert_int_equal(count_key(doc, key), 1);
    }
}

/* A token with a scope, a text in the path; and errors as OAuth has them. */
static void tokens_stand_in_the_document(void **state)
{
    struct document *doc = *state;
#define EVENT "paths|/api/v1/integrations/erp/{integration_id}/events/{event_id}|get|"
#define TOKEN "paths|/v1/oauth/token|post|"
    static const struct {
        const char *key;
        int count;
    } expected[] = {
        {EVENT "security||AccessToken", 1},
        {EVENT "responses|401|headers|WWW-Authenticate", 1},
        {EVENT "responses|403|content|application/json|examples|insufficient_scope", 1},
        {EVENT "responses|403|content|application/json|examples|number_not_owned", 0},
        {TOKEN "security||ClientBasic", 1},
        {TOKEN "requestBody|content|application/x-www-form-urlencoded|schema|$ref", 1},
        {TOKEN "responses|200|content|application/json|schema|$ref", 1},
        {TOKEN "responses|400|content|application/json|examples|invalid_scope", 1},
        {TOKEN "responses|401|content|application/json|examples|invalid_client|value|error", 1},
        {TOKEN "responses|401|content|application/json|examples|invalid_client|value|"
               "error_description",
         1},
        {TOKEN "responses|503|content|application/json|examples|storage_unavailable|value|error|"
               "code",
         0},
        {"components|schemas|OAuthError|properties|error_description", 1},
        {"components|securitySchemes|AccessToken|flows|clientCredentials|tokenUrl", 1},
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (count_told(doc, expected[i].key) != expected[i].count) fail_msg("%s", expected[i].key);
    assert_non_null(memmem(doc->text.data, doc->text.len, "{\"AccessToken\":[\"erp.events.read\"]}",
                           strlen("{\"AccessToken\":[\"erp.events.read\"]}")));
    assert_non_null(memmem(doc->text.data, doc->text.len, "\"name\":\"event_id\",\"in\":\"path\"",
                           strlen("\"name\":\"event_id\",\"in\":\"path\"")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_is_json_without_double_keys),
        cmocka_unit_test(each_route_stands_there_once),
        cmocka_unit_test(operations_have_names_of_their_own),
        cmocka_unit_test(references_lead_somewhere),
        cmocka_unit_test(examples_of_bodies_are_valid),
        cmocka_unit_test(each_set_of_words_has_a_name),
        cmocka_unit_test(generators_do_not_stumble),
        cmocka_unit_test(the_document_is_small),
        cmocka_unit_test(the_old_rendering_has_old_words),
        cmocka_unit_test(statuses_of_the_rows_are_told),
        cmocka_unit_test(errors_of_one_code_are_both_told),
        cmocka_unit_test(statuses_of_the_contract_are_told),
        cmocka_unit_test(live_promises_no_unavailability),
        cmocka_unit_test(a_row_is_the_documentation),
        cmocka_unit_test(faults_of_taken_bodies_are_described),
        cmocka_unit_test(a_signature_is_no_key),
        cmocka_unit_test(tokens_of_another_service),
        cmocka_unit_test(each_bearer_row_has_a_scope),
        cmocka_unit_test(tokens_stand_in_the_document),
    };
    return cmocka_run_group_tests_name("openapi", tests, open_document, close_document);
}
