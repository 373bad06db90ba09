/* domain/integration on the wire: which bodies are taken, with every limit at n and n + 1, all
 * faults at once, and what is shown (contract, section 4). */
#include "domain/integration/integration.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BODY_MAX = 64 * 1024 };

/* A body decoded into whatever struct its record has. */
struct decoding {
    struct arena arena;
    struct record_faults faults;
    void *value;
};

static void decode(struct decoding *d, const struct record *record, const char *body)
{
    arena_init(&d->arena);
    record_faults_init(&d->faults, &d->arena);
    d->value = arena_alloc(&d->arena, record->size);
    enum err err = record_decode(record, str_of(body), true, &d->arena, d->value, &d->faults);
    assert_int_equal(err, d->faults.count > 0 ? ERR_VALIDATION : ERR_OK);
}

/* The faults as lines of "path: message"; none: "". */
static void assert_faults(const struct record *record, const char *body, const char *expected)
{
    struct decoding d;
    AUTO_BUF found = {0};

    buf_init(&found, BODY_MAX);
    decode(&d, record, body);
    for (size_t i = 0; i < d.faults.count; i++)
        buf_printf(&found, "%s: %s\n", d.faults.rows[i].path, d.faults.rows[i].message);
    buf_char(&found, '\0');
    assert_string_equal(found.data, expected);
    arena_done(&d.arena);
}

static bool is_taken(const struct record *record, const char *body)
{
    struct decoding d;
    decode(&d, record, body);
    bool has_faults = d.faults.count > 0;
    arena_done(&d.arena);
    return !has_faults;
}

/* {"erp":{<member>}} as a change: each member of it is checked alone. */
static bool __attribute__((format(printf, 1, 2))) is_erp_taken(const char *format, ...)
{
    char *member, *body;
    va_list args;

    va_start(args, format);
    assert_true(vasprintf(&member, format, args) >= 0);
    va_end(args);
    assert_true(asprintf(&body, "{\"erp\":{%s}}", member) >= 0);
    bool is_fine = is_taken(&integration_change_record, body);
    free(body);
    free(member);
    return is_fine;
}

static char *repeat(char c, int count)
{
    char *text = malloc((size_t)count + 1);
    assert_non_null(text);
    memset(text, c, (size_t)count);
    text[count] = '\0';
    return text;
}

#define IDS                                                   \
    "\"tenant_id\":\"5a2f9c1e-1111-4c3b-9d2e-7f60a1b2c3d4\"," \
    "\"point_id\":\"5a2f9c1e-2222-4c3b-9d2e-7f60a1b2c3d4\""
#define ERP "\"erp\":{\"base_url\":\"https://erp.example\",\"token\":\"made-up\"}"

#define URL_MESSAGE                                                                              \
    "Must be an address such as https://erp.example.com/base: a host, maybe a port and a path, " \
    "but no user info, query, fragment, or . or .. between slashes."
#define PATH_MESSAGE                                                                       \
    "Must be a path such as /svc/v1/orders: it begins with a slash, other characters are " \
    "percent-encoded, and it has no query, fragment, or . or .. between slashes."
#define TOKEN_MESSAGE "Must hold visible ASCII characters only: no spaces, no other letters."

/* --- Integrations --- */

static void test_an_integration_takes_its_fields(void **state)
{
    struct decoding d;

    (void)state;
    decode(&d, &integration_input_record,
           "{" IDS ",\"name\":\"Shop\",\"erp\":{\"base_url\":\"http://erp.example\","
           "\"token\":\"t\",\"order_path\":\"/o\",\"timeout_seconds\":7}}");
    const struct integration_input *input = d.value;
    assert_int_equal(d.faults.count, 0);
    assert_int_equal(input->tenant_id.bytes[4], 0x11);
    assert_int_equal(input->point_id.bytes[4], 0x22);
    assert_string_equal(input->name, "Shop");
    assert_string_equal(input->erp->base_url, "http://erp.example");
    assert_string_equal(input->erp->token, "t");
    assert_string_equal(input->erp->order_path, "/o");
    assert_int_equal(input->erp->timeout_seconds, 7);
    arena_done(&d.arena);

    decode(&d, &integration_input_record, "{" IDS ",\"name\":\"Shop\"," ERP "}");
    input = d.value;
    assert_int_equal(d.faults.count, 0);
    assert_null(input->erp->order_path);
    assert_int_equal(input->erp->timeout_seconds, ERP_TIMEOUT_DEFAULT_S);
    arena_done(&d.arena);
}

static void test_all_faults_at_once(void **state)
{
    static const struct {
        const char *body, *faults;
    } rows[] = {
        {"{}", "tenant_id: Required.\npoint_id: Required.\nname: Required.\nerp: Required.\n"},
        {"{\"tenant_id\":\"x\",\"point_id\":7,\"name\":\"\",\"erp\":{\"base_url\":\"ftp://x\","
         "\"token\":\"a b\",\"order_path\":\"o\",\"timeout_seconds\":61,\"more\":1},\"more\":1}",
         "tenant_id: Must be a UUID.\n"
         "point_id: Must be a UUID.\n"
         "name: Must have at least 1 character; this has 0.\n"
         "erp.base_url: " URL_MESSAGE "\n"
         "erp.token: " TOKEN_MESSAGE "\n"
         "erp.order_path: " PATH_MESSAGE "\n"
         "erp.timeout_seconds: Must be an integer between 1 and 60.\n"
         "erp.more: Unknown property.\n"
         "more: Unknown property.\n"},
        {"{" IDS ",\"name\":\"Shop\",\"erp\":{}}",
         "erp.base_url: Required.\nerp.token: Required.\n"},
        {"{\"tenant_id\":\"00000000-0000-0000-0000-000000000000\","
         "\"point_id\":\"00000000-0000-0000-0000-000000000000\",\"name\":\"Shop\"," ERP "}",
         "tenant_id: Must not be all zeros.\npoint_id: Must not be all zeros.\n"},
        {"{" IDS ",\"name\":\"Shop\"," ERP ",\"enabled\":true}", "enabled: Unknown property.\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_faults(&integration_input_record, rows[i].body, rows[i].faults);
}

static void test_a_change_may_name_anything_or_nothing(void **state)
{
    struct decoding d;

    (void)state;
    decode(&d, &integration_change_record, "{}");
    const struct integration_change *change = d.value;
    assert_int_equal(d.faults.count, 0);
    assert_null(change->name);
    assert_null(change->erp);
    assert_int_equal(change->enabled, -1);
    arena_done(&d.arena);

    decode(&d, &integration_change_record,
           "{\"name\":\"Shop\",\"enabled\":false,\"erp\":{\"timeout_seconds\":5}}");
    change = d.value;
    assert_int_equal(d.faults.count, 0);
    assert_string_equal(change->name, "Shop");
    assert_int_equal(change->enabled, 0);
    assert_null(change->erp->base_url);
    assert_null(change->erp->token);
    assert_null(change->erp->order_path);
    assert_int_equal(change->erp->timeout_seconds, 5);
    arena_done(&d.arena);

    decode(&d, &integration_change_record, "{\"enabled\":true,\"erp\":{}}");
    change = d.value;
    assert_int_equal(change->enabled, 1);
    assert_int_equal(change->erp->timeout_seconds, 0);
    arena_done(&d.arena);

    assert_faults(&integration_change_record,
                  "{\"name\":null,\"erp\":null,\"enabled\":null,\"tenant_id\":1}",
                  "name: Must be a string.\nerp: Must be an object.\n"
                  "enabled: Must be true or false.\ntenant_id: Unknown property.\n");
}

static void test_names_n_and_one_more(void **state)
{
    static const struct {
        const char *letter;
        int length;
        bool is_taken;
    } rows[] = {{"x", 0, false},   {"x", 1, true},   {"x", 200, true},
                {"x", 201, false}, {"Ж", 200, true}, {"Ж", 201, false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_BUF body = {0};
        buf_init(&body, BODY_MAX);
        buf_text(&body, "{\"name\":\"");
        for (int j = 0; j < rows[i].length; j++)
            buf_text(&body, rows[i].letter);
        buf_text(&body, "\"}");
        buf_char(&body, '\0');
        assert_int_equal(is_taken(&integration_change_record, body.data), rows[i].is_taken);
        assert_int_equal(is_taken(&client_input_record, body.data), rows[i].is_taken);
    }
}

/* --- Where an ERP is --- */

static void test_addresses_and_paths_n_and_one_more(void **state)
{
    (void)state;
    int before = (int)strlen("https://erp.example/");
    for (int more = 0; more < 2; more++) {
        char *path = repeat('x', ERP_URL_MAX - before + more);
        assert_int_equal(is_erp_taken("\"base_url\":\"https://erp.example/%s\"", path), !more);
        free(path);
        path = repeat('x', ERP_PATH_MAX - 1 + more);
        assert_int_equal(is_erp_taken("\"order_path\":\"/%s\"", path), !more);
        free(path);
    }
    assert_false(is_erp_taken("\"base_url\":\"https://erp.example\\r\\nX: y\""));
    assert_false(is_erp_taken("\"order_path\":\"/a\\r\\nX: y\""));
    assert_false(is_erp_taken("\"base_url\":\"\""));
    assert_false(is_erp_taken("\"order_path\":\"\""));
}

static void test_tokens_and_timeouts(void **state)
{
    static const char *const bad[] = {"",         "a b",     " a",  "a\\n", "a\\r\\nX: y",
                                      "a\\u007f", "\\u0436", "a\\t"};

    (void)state;
    assert_true(is_erp_taken("\"token\":\"!~a.b-c_d+/=\\\"\""));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (is_erp_taken("\"token\":\"%s\"", bad[i])) fail_msg("taken: %s", bad[i]);
    for (int more = 0; more < 2; more++) {
        char *token = repeat('x', ERP_TOKEN_MAX + more);
        assert_int_equal(is_erp_taken("\"token\":\"%s\"", token), !more);
        free(token);
    }
    assert_false(is_erp_taken("\"timeout_seconds\":0"));
    assert_true(is_erp_taken("\"timeout_seconds\":1"));
    assert_true(is_erp_taken("\"timeout_seconds\":60"));
    assert_false(is_erp_taken("\"timeout_seconds\":61"));
    assert_false(is_erp_taken("\"timeout_seconds\":1.5"));
    assert_false(is_erp_taken("\"timeout_seconds\":\"10\""));
}

/* --- Clients --- */

static void test_scopes_of_a_client(void **state)
{
    static const struct {
        const char *body, *faults;
    } rows[] = {
        {"{}", ""},
        {"{\"scopes\":[\"erp.events.read\"]}", ""},
        {"{\"scopes\":[\"erp.events.read\",\"erp.catalog.write\",\"erp.changes.write\"]}", ""},
        {"{\"scopes\":[]}", "scopes: Must have at least 1 item; this has 0.\n"},
        {"{\"scopes\":null}", "scopes: Must be a list of strings.\n"},
        {"{\"scopes\":\"erp.events.read\"}", "scopes: Must be a list of strings.\n"},
        {"{\"scopes\":[\"erp.events.read\",\"erp.events.read\"]}",
         "scopes[1]: Must differ from item [0].\n"},
        {"{\"scopes\":[\"erp.events.read erp.catalog.write\",\"\",\"ERP.events.read\"]}",
         "scopes[0]: Must be one of: erp.catalog.write, erp.changes.write, erp.events.read.\n"
         "scopes[1]: Must be one of: erp.catalog.write, erp.changes.write, erp.events.read.\n"
         "scopes[2]: Must be one of: erp.catalog.write, erp.changes.write, erp.events.read.\n"},
        {"{\"client_id\":\"me\",\"name\":7}",
         "client_id: Unknown property.\nname: Must be a string.\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_faults(&client_input_record, rows[i].body, rows[i].faults);
}

static void test_overlap_n_and_one_more(void **state)
{
    struct decoding d;

    (void)state;
    decode(&d, &rotate_input_record, "{}");
    assert_int_equal(((struct rotate_input *)d.value)->overlap_seconds, 0);
    arena_done(&d.arena);
    assert_true(is_taken(&rotate_input_record, "{\"overlap_seconds\":0}"));
    assert_true(is_taken(&rotate_input_record, "{\"overlap_seconds\":86400}"));
    assert_false(is_taken(&rotate_input_record, "{\"overlap_seconds\":86401}"));
    assert_false(is_taken(&rotate_input_record, "{\"overlap_seconds\":-1}"));
    assert_false(is_taken(&rotate_input_record, "{\"overlap\":1}"));
}

static void test_the_other_requests(void **state)
{
    (void)state;
    assert_faults(&revoke_input_record, "{}", "secret_id: Required.\n");
    assert_faults(&revoke_input_record, "{\"secret_id\":\"hs_x\"}", "secret_id: Must be a UUID.\n");
    assert_faults(&client_change_record, "{}", "enabled: Required.\n");
    assert_faults(&client_change_record, "{\"enabled\":\"no\"}",
                  "enabled: Must be true or false.\n");
}

/* --- Words --- */

static void test_scopes_as_text(void **state)
{
    struct arena arena;
    unsigned scopes = 0;
    static const char *const bad[] = {
        "",
        " ",
        "erp.catalog.write ",
        " erp.catalog.write",
        "erp.catalog.write  erp.events.read",
        "erp.catalog",
        "ERP.CATALOG.WRITE",
        "erp.catalog.write,erp.events.read",
        "openid",
    };
    bool has_unknown;

    (void)state;
    arena_init(&arena);
    assert_string_equal(scopes_text(&arena, SCOPES_ALL),
                        "erp.catalog.write erp.changes.write erp.events.read");
    for (unsigned set = 1; set <= SCOPES_ALL; set++) {
        assert_true(scopes_read(str_of(scopes_text(&arena, set)), &scopes, &has_unknown));
        assert_false(has_unknown);
        assert_int_equal(scopes, set);
        assert_int_equal(scopes_list(&arena, set).count, __builtin_popcount(set));
    }
    assert_true(scopes_read(STR("erp.events.read erp.catalog.write"), &scopes, &has_unknown));
    assert_int_equal(scopes, 1 << SCOPE_CATALOG_WRITE | 1 << SCOPE_EVENTS_READ);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (scopes_read(str_of(bad[i]), &scopes, &has_unknown) && !has_unknown)
            fail_msg("taken: '%s'", bad[i]);
    arena_done(&arena);
}

/* --- Answers --- */

static void assert_shown(const struct record *record, const void *value, const char *expected)
{
    struct json_writer writer;
    AUTO_BUF json = {0};

    buf_init(&json, BODY_MAX);
    json_writer_init(&writer, &json);
    record_encode(record, value, &writer);
    buf_char(&json, '\0');
    assert_string_equal(json.data, expected);
}

static void test_an_integration_shows_no_token(void **state)
{
    struct erp erp = {"https://erp.example", "/svc/v1/orders", 10};
    struct integration integration = {.id = {{1}},
                                      .tenant_id = {{2}},
                                      .point_id = {{3}},
                                      .name = "Shop",
                                      .enabled = true,
                                      .erp = &erp,
                                      .created_at = 1,
                                      .updated_at = 2,
                                      .sealed_erp_token = STR("sealed")};
#define SHOWN                                                                               \
    "{\"id\":\"01000000-0000-0000-0000-000000000000\","                                     \
    "\"tenant_id\":\"02000000-0000-0000-0000-000000000000\","                               \
    "\"point_id\":\"03000000-0000-0000-0000-000000000000\",\"environment\":\"production\"," \
    "\"name\":\"Shop\",\"enabled\":true,"                                                   \
    "\"erp\":{\"base_url\":\"https://erp.example\",\"order_path\":\"/svc/v1/orders\","      \
    "\"timeout_seconds\":10},\"max_archive_share\":null,\"absent\":\"remove\","             \
    "\"exchange\":null,\"created_at\":"                                                     \
    "\"1970-01-01T00:00:00."                                                                \
    "001Z\","                                                                               \
    "\"updated_at\":\"1970-01-01T00:00:00.002Z\"}"

    (void)state;
    assert_shown(&integration_record, &integration, SHOWN);
    assert_shown(&integration_list_record, &(struct integration_list){{&integration, 1}, NULL},
                 "{\"integrations\":[" SHOWN "],\"next_cursor\":null}");
    assert_shown(&integration_list_record, &(struct integration_list){{NULL, 0}, "x"},
                 "{\"integrations\":[],\"next_cursor\":\"x\"}");
}

static void test_clients_as_they_are_shown(void **state)
{
    const char *const scopes[] = {"erp.events.read"};
    struct client_secret secrets[] = {{{{4}}, 1, 3}, {{{5}}, 2, 0}};
    struct workload_client clients[] = {
        {.client_id = {{6}},
         .integration_id = {{7}},
         .scopes = {(void *)scopes, 1},
         .created_at = 1,
         .secrets = {secrets, 2}},
        {.client_id = {{8}},
         .integration_id = {{7}},
         .name = "n",
         .enabled = true,
         .created_at = 1},
    };
    struct client_credentials credentials = {{{6}},         "hs_x", {{4}},
                                             "https://h/t", {{7}},  {(void *)scopes, 1}};

    (void)state;
    assert_shown(&client_list_record, &(struct client_list){{clients, 2}, "y"},
                 "{\"clients\":[{\"client_id\":\"06000000-0000-0000-0000-000000000000\","
                 "\"integration_id\":\"07000000-0000-0000-0000-000000000000\",\"name\":null,"
                 "\"scopes\":[\"erp.events.read\"],\"enabled\":false,"
                 "\"created_at\":\"1970-01-01T00:00:00.001Z\",\"secrets\":["
                 "{\"id\":\"04000000-0000-0000-0000-000000000000\","
                 "\"created_at\":\"1970-01-01T00:00:00.001Z\","
                 "\"expires_at\":\"1970-01-01T00:00:00.003Z\"},"
                 "{\"id\":\"05000000-0000-0000-0000-000000000000\","
                 "\"created_at\":\"1970-01-01T00:00:00.002Z\",\"expires_at\":null}]},"
                 "{\"client_id\":\"08000000-0000-0000-0000-000000000000\","
                 "\"integration_id\":\"07000000-0000-0000-0000-000000000000\",\"name\":\"n\","
                 "\"scopes\":[],\"enabled\":true,\"created_at\":\"1970-01-01T00:00:00.001Z\","
                 "\"secrets\":[]}],\"next_cursor\":\"y\"}");
    assert_shown(&client_credentials_record, &credentials,
                 "{\"client_id\":\"06000000-0000-0000-0000-000000000000\","
                 "\"client_secret\":\"hs_x\","
                 "\"secret_id\":\"04000000-0000-0000-0000-000000000000\","
                 "\"token_url\":\"https://h/t\","
                 "\"integration_id\":\"07000000-0000-0000-0000-000000000000\","
                 "\"scopes\":[\"erp.events.read\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_integration_takes_its_fields),
        cmocka_unit_test(test_all_faults_at_once),
        cmocka_unit_test(test_a_change_may_name_anything_or_nothing),
        cmocka_unit_test(test_names_n_and_one_more),
        cmocka_unit_test(test_addresses_and_paths_n_and_one_more),
        cmocka_unit_test(test_tokens_and_timeouts),
        cmocka_unit_test(test_scopes_of_a_client),
        cmocka_unit_test(test_overlap_n_and_one_more),
        cmocka_unit_test(test_the_other_requests),
        cmocka_unit_test(test_scopes_as_text),
        cmocka_unit_test(test_an_integration_shows_no_token),
        cmocka_unit_test(test_clients_as_they_are_shown),
    };
    return cmocka_run_group_tests_name("client_records", tests, NULL, NULL);
}
