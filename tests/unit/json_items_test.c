/* The items of an object's arrays: names, places, bytes; and nothing read beyond any text. */
#include "kit/json/record_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { OUT_MAX = 100000, NAME_MAX_SHOWN = 200 };

struct scene {
    struct buf out;
    size_t items_left; /* on_item fails when there are none */
};

static enum err on_item(void *arg, struct str list, size_t index, struct str item)
{
    struct scene *scene = arg;

    if (scene->items_left-- == 0) return ERR_NOT_FOUND;
    buf_printf(&scene->out, "%.*s %zu <%.*s>\n", (int)list.len, list.data, index, (int)item.len,
               item.data);
    return ERR_OK;
}

/* The text stands in memory of its own. */
static enum err each_item(struct str text, size_t items_max, struct scene *scene)
{
    char *copy = malloc(text.len > 0 ? text.len : 1);

    assert_non_null(copy);
    memcpy(copy, text.data, text.len);
    buf_init(&scene->out, OUT_MAX);
    scene->items_left = items_max;
    enum err err = json_each_item((struct str){copy, text.len}, on_item, scene);
    buf_char(&scene->out, '\0');
    free(copy);
    return err;
}

static void assert_items(const char *text, enum err expected_err, const char *expected)
{
    struct scene scene;
    enum err err = each_item(str_of(text), SIZE_MAX, &scene);

    assert_string_equal(scene.out.data, expected);
    assert_int_equal(err, expected_err);
    buf_done(&scene.out);
}

static void test_items(void **state)
{
    (void)state;
    assert_items("{}", ERR_OK, "");
    assert_items(" { \"a\" : [ ] , \"b\":[1]\n} ", ERR_OK, "b 0 <1>\n");
    assert_items("{\"x\":{\"y\":[1,2]},\"s\":\"[\\\"]\",\"n\":-1.5e3,\"t\":true,\"z\":null,"
                 "\"a\":[{\"b\":[1,2]}, [3,[4]] ,\"x,]\\\\\", 5 ,false,null],"
                 "\"c\":[{\"d\":\"}\\\\\\\"]\"},{}]}",
                 ERR_OK,
                 "a 0 <{\"b\":[1,2]}>\na 1 <[3,[4]]>\na 2 <\"x,]\\\\\">\na 3 <5>\na 4 <false>\n"
                 "a 5 <null>\nc 0 <{\"d\":\"}\\\\\\\"]\"}>\nc 1 <{}>\n");
}

/* The name of a member is what a reader would say, however it is spelled. */
static void test_spelled_names(void **state)
{
    (void)state;
    assert_items("{\"\\u0070rices\":[1],\"\\\"\\n\\ud83d\\ude00\":[2],\"\":[3],\"ж\":[4]}", ERR_OK,
                 "prices 0 <1>\n\"\n😀 0 <2>\n 0 <3>\nж 0 <4>\n");
    char text[NAME_MAX_SHOWN * 6];
    for (size_t len = 120; len < 140; len++) {
        struct scene scene;
        snprintf(text, sizeof(text), "{\"%0*d\\u0070\":[1]}", (int)len, 0);
        assert_int_equal(each_item(str_of(text), SIZE_MAX, &scene), ERR_OK);
        assert_non_null(strstr(scene.out.data, len < 128 ? "0p 0 <1>" : "0\\u0070 0 <1>"));
        buf_done(&scene.out);
    }
}

static void test_errors(void **state)
{
    struct scene scene;

    (void)state;
    assert_int_equal(each_item(STR("{\"a\":[1,2,3]}"), 2, &scene), ERR_NOT_FOUND);
    assert_string_equal(scene.out.data, "a 0 <1>\na 1 <2>\n");
    buf_done(&scene.out);
    assert_items("", ERR_INTERNAL, "");
    assert_items("[{\"a\":[1]}]", ERR_INTERNAL, "");
    assert_items("{\"a\":[1,]}", ERR_INTERNAL, "a 0 <1>\n");
    assert_items("{\"a\" [1]}", ERR_INTERNAL, "");
}

/* Cut anywhere, it ends where the text does. */
static void test_cut_texts(void **state)
{
    static const char whole[] =
        "{\"\\u0061\":[{\"b\":\"\\\"\"},\"c\\\\\",1],\"d\":\"\\\\\",\"e\":[[]]}";

    (void)state;
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        struct scene scene;
        assert_int_equal(each_item((struct str){whole, len}, SIZE_MAX, &scene), ERR_INTERNAL);
        buf_done(&scene.out);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_spelled_names),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_cut_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
