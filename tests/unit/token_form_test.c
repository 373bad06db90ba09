/* These tests show that what clients send to the token endpoint is read strictly, and refused with
 * the right word. */
#include "domain/token/token_form.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define FORM  "application/x-www-form-urlencoded"
#define GRANT "grant_type=client_credentials"

struct row {
    const char *what;
    const char *authorization; /* NULL: none */
    const char *content_type;  /* NULL: none */
    const char *body;
    enum err err;
    struct token_request request; /* of a good one */
};

static void check_text(const char *what, const char *actual, const char *expected)
{
    if (!actual && !expected) return;
    if (!actual || !expected || strcmp(actual, expected) != 0)
        fail_msg("%s: %s instead of %s", what, actual ? actual : "none",
                 expected ? expected : "none");
}

static void check_row(const struct row *row)
{
    struct arena arena;
    struct token_request request = {0};

    arena_init(&arena);
    /* Copies of the exact size: a byte read too far is seen. */
    struct str body = {arena_alloc(&arena, strlen(row->body)), strlen(row->body)};
    memcpy((char *)body.data, row->body, body.len);
    enum err err = token_form_read(str_of(row->authorization), str_of(row->content_type), body,
                                   &arena, &request);
    if (err != row->err)
        fail_msg("%s: %s instead of %s", row->what, err_info(err)->name, err_info(row->err)->name);
    check_text(row->what, request.grant_type, row->request.grant_type);
    check_text(row->what, request.scope, row->request.scope);
    check_text(row->what, request.client_id, row->request.client_id);
    check_text(row->what, request.client_secret, row->request.client_secret);
    arena_done(&arena);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_row(&rows[i]);
}

static void forms_are_read(void **state)
{
    static const struct row rows[] = {
        {"all four",
         NULL,
         FORM,
         GRANT "&client_id=a&client_secret=b&scope=c+d%20e",
         ERR_OK,
         {"client_credentials", "c d e", "a", "b"}},
        {"in another order",
         NULL,
         FORM,
         "scope=c&client_secret=b&client_id=a&" GRANT,
         ERR_OK,
         {"client_credentials", "c", "a", "b"}},
        {"no values", NULL, FORM, "grant_type=&scope&client_id=&client_secret", ERR_OK, {0}},
        {"nothing", NULL, FORM, "", ERR_OK, {0}},
        {"only ands", NULL, FORM, "&&&", ERR_OK, {0}},
        {"unknown ones", NULL, FORM, "audience=x&resource=z&scope=c", ERR_OK, {.scope = "c"}},
        {"encoded names and values",
         NULL,
         FORM,
         "client%5Fid=%61%2B%26%3d",
         ERR_OK,
         {.client_id = "a+&="}},
        {"names are of one case", NULL, FORM, "Scope=c", ERR_OK, {0}},
        {"a second equals sign", NULL, FORM, "client_secret=b=c", ERR_OK, {.client_secret = "b=c"}},
        {"a type in capitals",
         NULL,
         "APPLICATION/X-WWW-Form-Urlencoded",
         "scope=c",
         ERR_OK,
         {.scope = "c"}},
        {"a type with a parameter",
         NULL,
         FORM " ; charset=UTF-8",
         "scope=c",
         ERR_OK,
         {.scope = "c"}},
    };
    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void forms_that_are_none_are_refused(void **state)
{
    static const struct row rows[] = {
        {"no type", NULL, NULL, GRANT, ERR_INVALID_REQUEST, {0}},
        {"an empty type", NULL, "", GRANT, ERR_INVALID_REQUEST, {0}},
        {"a type of nothing but a parameter",
         NULL,
         ";charset=UTF-8",
         GRANT,
         ERR_INVALID_REQUEST,
         {0}},
        {"another charset", NULL, FORM ";charset=windows-1251", GRANT, ERR_INVALID_REQUEST, {0}},
        {"JSON", NULL, "application/json", "{}", ERR_INVALID_REQUEST, {0}},
        {"a longer type", NULL, FORM "2", GRANT, ERR_INVALID_REQUEST, {0}},
        {"multipart", NULL, "multipart/form-data; boundary=a", GRANT, ERR_INVALID_REQUEST, {0}},
        {"repeated", NULL, FORM, "scope=c&scope=c", ERR_INVALID_REQUEST, {0}},
        {"repeated without a value", NULL, FORM, "scope=&scope=c", ERR_INVALID_REQUEST, {0}},
        {"repeated in two writings",
         NULL,
         FORM,
         "client_id=a&client%5fid=a",
         ERR_INVALID_REQUEST,
         {0}},
        {"an unknown one repeated",
         NULL,
         FORM,
         GRANT "&audience=x&scope=c&audience=y",
         ERR_INVALID_REQUEST,
         {0}},
        {"an unknown one repeated in two writings",
         NULL,
         FORM,
         "%61udience=&scope=c&audience",
         ERR_INVALID_REQUEST,
         {0}},
        {"a repeated grant type", NULL, FORM, GRANT "&" GRANT, ERR_INVALID_REQUEST, {0}},
        {"a repeated secret",
         NULL,
         FORM,
         "client_secret=a&client_secret=a",
         ERR_INVALID_REQUEST,
         {0}},
        {"half a triplet", NULL, FORM, "scope=%4", ERR_INVALID_REQUEST, {0}},
        {"no triplet", NULL, FORM, "scope=%zz", ERR_INVALID_REQUEST, {0}},
        {"a NUL", NULL, FORM, "client_id=a%00b", ERR_INVALID_REQUEST, {0}},
        {"a bad name", NULL, FORM, "%=a", ERR_INVALID_REQUEST, {0}},
        {"a bad unknown value", NULL, FORM, "x=%", ERR_INVALID_REQUEST, {0}},
    };
    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void basic_is_read(void **state)
{
    static const struct row rows[] = {
        {"id and secret",
         "Basic YTpi",
         FORM,
         GRANT,
         ERR_OK,
         {"client_credentials", NULL, "a", "b"}},
        {"in capitals", "BASIC YTpi", FORM, "", ERR_OK, {.client_id = "a", .client_secret = "b"}},
        {"two spaces", "Basic  YTpi", FORM, "", ERR_OK, {.client_id = "a", .client_secret = "b"}},
        /* "a:b:c" */
        {"a colon in the secret",
         "Basic YTpiOmM=",
         FORM,
         "",
         ERR_OK,
         {.client_id = "a", .client_secret = "b:c"}},
        /* "a%3Ab+c:%2B" */
        {"both encoded",
         "Basic YSUzQWIrYzolMkI=",
         FORM,
         "",
         ERR_OK,
         {.client_id = "a:b c", .client_secret = "+"}},
        {"the same id beside it",
         "Basic YTpi",
         FORM,
         "client_id=a",
         ERR_OK,
         {.client_id = "a", .client_secret = "b"}},
        {"parameters without a value beside it",
         "Basic YTpi",
         FORM,
         "client_id=&client_secret=",
         ERR_OK,
         {.client_id = "a", .client_secret = "b"}},
    };
    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void other_authorizations_are_refused(void **state)
{
    static const struct row rows[] = {
        {"another id beside it", "Basic YTpi", FORM, "client_id=b", ERR_INVALID_REQUEST, {0}},
        {"two ways at once",
         "Basic YTpi",
         FORM,
         "client_id=a&client_secret=b",
         ERR_INVALID_REQUEST,
         {0}},
        {"a secret beside it", "Basic YTpi", FORM, "client_secret=b", ERR_INVALID_REQUEST, {0}},
        {"a secret beside a token",
         "Bearer abc",
         FORM,
         "client_id=a&client_secret=b",
         ERR_INVALID_REQUEST,
         {0}},
        {"an empty header", "", FORM, GRANT, ERR_INVALID_CLIENT, {0}},
        {"a token", "Bearer abc", FORM, GRANT, ERR_INVALID_CLIENT, {0}},
        {"nothing but the scheme", "Basic", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"nothing behind the scheme", "Basic ", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"no space", "BasicYTpi", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"no base64", "Basic !!!!", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"a space within", "Basic YT pi", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"padding missing", "Basic YTpiOmM", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"padding too much", "Basic YTpi====", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"unused bits set", "Basic YTpiOmN=", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"base64url", "Basic YTo_Pz8_", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"beyond ASCII", "Basic YTp\xC3\xA9", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"no colon", "Basic YWFh", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"no id", "Basic OmI=", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"no secret", "Basic YTo=", FORM, "", ERR_INVALID_CLIENT, {0}},
        /* "a:%4" and "a:%00" */
        {"half a triplet", "Basic YTolNA==", FORM, "", ERR_INVALID_CLIENT, {0}},
        {"a NUL", "Basic YTolMDA=", FORM, "", ERR_INVALID_CLIENT, {0}},
        /* "a:" and a byte 0 */
        {"a plain NUL", "Basic YToA", FORM, "", ERR_INVALID_CLIENT, {0}},
    };
    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static enum err read_params(int count)
{
    struct arena arena;
    struct token_request request;
    AUTO_BUF body = {0};

    arena_init(&arena);
    buf_init(&body, 4096);
    for (int i = 0; i < count; i++)
        buf_printf(&body, "x%d=1&", i);
    enum err err = token_form_read((struct str){0}, STR(FORM), buf_view(&body), &arena, &request);
    arena_done(&arena);
    return err;
}

static void there_are_not_too_many_parameters(void **state)
{
    (void)state;
    assert_int_equal(read_params(TOKEN_FORM_PARAMS_MAX), ERR_OK);
    assert_int_equal(read_params(TOKEN_FORM_PARAMS_MAX + 1), ERR_INVALID_REQUEST);
}

static void the_secret_is_wiped(void **state)
{
    struct arena arena;
    struct token_request request = {0};

    (void)state;
    arena_init(&arena);
    token_form_wipe(&request);
    assert_int_equal(
        token_form_read((struct str){0}, STR(FORM), STR("client_secret=abc"), &arena, &request),
        ERR_OK);
    token_form_wipe(&request);
    assert_memory_equal(request.client_secret, "\0\0\0", 4);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_read),
        cmocka_unit_test(forms_that_are_none_are_refused),
        cmocka_unit_test(basic_is_read),
        cmocka_unit_test(other_authorizations_are_refused),
        cmocka_unit_test(there_are_not_too_many_parameters),
        cmocka_unit_test(the_secret_is_wiped),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("token_form", tests, NULL, NULL);
}
