/* kit/pack: what was packed comes back, whatever its size; what is damaged or too long does not. */
#include "kit/base/secret.h"
#include "kit/pack/pack.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    KIB = 1024,
    MIB = 1024 * 1024,
#ifdef HERALD_SANITIZED
    THREAD_ROUNDS = 10,
#else
    THREAD_ROUNDS = 100,
#endif
    THREADS = 4,
};

static struct pack_pool *pool;

/* --- Texts --- */

static char *random_text(size_t size)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    random_bytes(text, size);
    return text;
}

/* Like the products of a package. */
static char *json_text(size_t size)
{
    char *text = malloc(size + 256);
    assert_non_null(text);
    uint64_t number = 1;
    for (size_t len = 0; len < size;) {
        number = number * UINT64_C(6364136223846793005) + 1;
        unsigned a = (unsigned)(number >> 40), b = (unsigned)(number >> 33) % 1000;
        len += (size_t)snprintf(text + len, 256,
                                "{\"id\":\"P-%u\",\"name\":\"Товар %u\",\"variants\":[{\"id\":"
                                "\"V-%x\",\"price\":\"%u.50\"}]},",
                                a, b, a, b);
    }
    return text;
}

/* --- Packing in pieces --- */

static struct pack *pack_in_pieces(const char *text, size_t size, size_t piece, bool is_large)
{
    struct pack *pack = pack_begin(pool, is_large);
    for (size_t at = 0; at < size; at += piece) {
        size_t len = size - at < piece ? size - at : piece;
        char *copy = malloc(len); /* gone when pack_add returns */
        assert_non_null(copy);
        memcpy(copy, text + at, len);
        assert_true(pack_add(pack, (struct str){copy, len}));
        memset(copy, '?', len);
        free(copy);
    }
    return pack;
}

static void check_unpacked(struct str packed, const char *text, size_t size, size_t max)
{
    struct buf out;
    buf_init(&out, max);
    assert_int_equal(unpack(pool, packed, max, &out), ERR_OK);
    assert_int_equal(out.len, size);
    if (size) assert_memory_equal(out.data, text, size);
    buf_done(&out);
}

static void check_refused(struct str packed, size_t max)
{
    struct buf out;
    buf_init(&out, max * 2);
    assert_int_equal(unpack(pool, packed, max, &out), ERR_INTERNAL);
    assert_int_equal(out.len, 0);
    buf_done(&out);
}

static void check_round(const char *text, size_t size, size_t piece, bool is_large)
{
    struct pack *pack = pack_in_pieces(text, size, piece, is_large);
    struct str packed = pack_finish(pack);
    assert_non_null(packed.data);
    check_unpacked(packed, text, size, size);
    check_unpacked(packed, text, size, size + 1000);
    if (size) check_refused(packed, size - 1);
    pack_done(pack);
}

static const size_t sizes[] = {
    0,       1, 500, 64 * KIB, 128 * KIB, 128 * KIB + 1, 512 * KIB, 512 * KIB + 1, 3 * MIB + 17,
    25 * MIB};

static void check_sizes(char *(*make)(size_t size), size_t piece)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = make(sizes[i]);
        check_round(text, sizes[i], piece, false);
        check_round(text, sizes[i], piece, true);
        free(text);
    }
}

static void text_comes_back(void **state)
{
    (void)state;
    check_sizes(json_text, 64 * KIB);
    check_sizes(json_text, 50000);
}

static void random_bytes_come_back(void **state)
{
    (void)state;
    check_sizes(random_text, 64 * KIB);
}

static void pieces_of_a_byte_come_back(void **state)
{
    (void)state;
    char *text = json_text(200 * KIB);
    check_round(text, 200 * KIB, 1, false);
    check_round(text, 200 * KIB, 1, true);
    free(text);
}

static void text_gets_shorter(void **state)
{
    (void)state;
    for (int is_large = 0; is_large < 2; is_large++) {
        char *text = json_text(MIB);
        struct pack *pack = pack_in_pieces(text, MIB, MIB, is_large);
        assert_true(pack_finish(pack).len < MIB / 3);
        pack_done(pack);
        free(text);
    }
}

static void what_is_given_up_leaves_no_trace(void **state)
{
    (void)state;
    char *text = json_text(2 * MIB);
    for (int i = 0; i < 10; i++) {
        pack_done(pack_in_pieces(text, 2 * MIB, 100000, true));
        pack_done(pack_in_pieces(text, 1000, 100, false));
        pack_done(pack_begin(pool, i % 2));
        check_round(text + i, MIB, 100000, true);
        check_round(text + i, 1000, 100, false);
    }
    pack_done(NULL);
    pack_pool_free(NULL);
    free(text);
}

static void what_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    char *text = random_text(MIB);
    struct pack *pack = pack_begin(pool, true);
    size_t added = 0;
    while (pack_add(pack, (struct str){text, MIB}) && added < 2 * (size_t)PACK_MAX) {
        random_bytes(text, 256 * KIB); /* never the same one twice */
        random_bytes(text + 512 * KIB, 256 * KIB);
        added += MIB;
    }
    assert_in_range(added, PACK_MAX - 4 * MIB, 2 * (size_t)PACK_MAX - 1);
    assert_false(pack_add(pack, STR("a")));
    assert_null(pack_finish(pack).data);
    pack_done(pack);
    check_round(text, MIB, MIB, true);
    free(text);
}

/* --- Damage --- */

static void check_damage(const char *text, size_t size, bool is_large)
{
    struct pack *pack = pack_in_pieces(text, size, size, is_large);
    struct str packed = pack_finish(pack);
    char *copy = malloc(packed.len + 8);
    assert_non_null(copy);
    for (size_t step = packed.len / 50 + 1, at = 0; at < packed.len; at += step) {
        memcpy(copy, packed.data, packed.len);
        copy[at] ^= 0x10;
        struct buf out;
        buf_init(&out, size);
        enum err err = unpack(pool, (struct str){copy, packed.len}, size, &out);
        /* A bit of the head may say nothing; then all is well. */
        if (!err) assert_true(out.len == size && memcmp(out.data, text, size) == 0);
        if (at > 16) assert_int_equal(err, ERR_INTERNAL);
        buf_done(&out);
        check_refused((struct str){packed.data, at}, size);
    }
    memcpy(copy, packed.data, packed.len);
    memset(copy + packed.len, 'x', 8);
    check_refused((struct str){copy, packed.len + 8}, size);
    check_refused((struct str){copy, packed.len - 1}, size);
    free(copy);
    pack_done(pack);
}

static void damage_is_told(void **state)
{
    (void)state;
    char *text = json_text(300 * KIB), *noise = random_text(300 * KIB);
    check_damage(text, 5000, false);
    check_damage(text, 300 * KIB, true);
    check_damage(noise, 5000, false);
    check_damage(noise, 300 * KIB, true);
    check_refused(STR(""), 1000);
    check_refused(STR("{\"this is\": \"no frame\"}"), 1000);
    free(text);
    free(noise);
}

static void a_bomb_stops_at_the_maximum(void **state)
{
    (void)state;
    char *zeros = calloc(1, MIB);
    assert_non_null(zeros);
    struct pack *pack = pack_begin(pool, true);
    for (int i = 0; i < 1024; i++)
        assert_true(pack_add(pack, (struct str){zeros, MIB}));
    struct str packed = pack_finish(pack);
    assert_true(packed.len < MIB);
    check_refused(packed, 100 * KIB);
    check_refused(packed, 25 * MIB);

    struct pack *small = pack_begin(pool, false); /* tells its length */
    assert_true(pack_add(small, (struct str){zeros, 100 * KIB}));
    check_refused(pack_finish(small), 100 * KIB - 1);
    pack_done(small);
    pack_done(pack);
    free(zeros);
}

/* --- Threads --- */

static void *pack_and_unpack(void *arg)
{
    const char *text = arg;
    for (size_t i = 0; i < THREAD_ROUNDS; i++) {
        size_t size = i % 3 ? 1000 + i : 700 * KIB;
        struct pack *pack = pack_begin(pool, i % 3 == 0);
        bool is_added = pack_add(pack, (struct str){text + i, size});
        struct buf out;
        buf_init(&out, size);
        enum err err = unpack(pool, pack_finish(pack), size, &out);
        assert(is_added && !err && memcmp(out.data, text + i, size) == 0);
        buf_done(&out);
        pack_done(pack);
    }
    return NULL;
}

static void threads_share_a_pool(void **state)
{
    (void)state;
    char *text = json_text(MIB);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pack_and_unpack, text), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free(text);
}

static int set_up(void **state)
{
    (void)state;
    pool = pack_pool_new();
    return secret_system_init() ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pack_pool_free(pool);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(random_bytes_come_back),
        cmocka_unit_test(pieces_of_a_byte_come_back),
        cmocka_unit_test(text_gets_shorter),
        cmocka_unit_test(what_is_given_up_leaves_no_trace),
        cmocka_unit_test(what_cannot_be_kept_is_refused),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_bomb_stops_at_the_maximum),
        cmocka_unit_test(threads_share_a_pool),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
