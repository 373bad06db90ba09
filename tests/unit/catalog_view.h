/* A catalog as it is read, for the tests of that: each function one transaction. */
#pragma once

#include "catalog_scene.h"
#include "kit/json/writer.h"

enum { TEXT_MAX = 128 * 1024 * 1024 };

#define ANY    .is_archived = -1, .limit = 50
#define TIME_0 "2026-11-21T04:33:00.000Z" /* WORLD_START_MS */
#define TIME_1 "2026-11-21T04:34:00.000Z" /* a minute later */

typedef enum err lister(struct work *work, const struct uuid *integration_id,
                        const struct catalog_filter *filter, struct catalog_page *ret_page);

struct paging {
    lister *list;
    const struct uuid *shop;
    const struct catalog_filter *filter;
    struct catalog_page page;
};

static inline enum err run_page(struct work *work, void *arg)
{
    struct paging *step = arg;
    return step->list(work, step->shop, step->filter, &step->page);
}

static inline struct catalog_page page_of(struct catalog_scene *scene, lister *list,
                                          const struct catalog_filter *filter)
{
    struct paging step = {.list = list, .shop = &scene->shop, .filter = filter};
    assert_ok(world_read(&scene->world, run_page, &step));
    return step.page;
}

/* The ids of a page, then "+" if there is another one. */
static inline const char *ids_of(struct catalog_scene *scene, const struct catalog_page *page,
                                 size_t size)
{
    struct arena *arena = scene->world.arena;
    const char *ids = "";

    for (size_t i = 0; i < page->items.count; i++)
        ids = arena_printf(arena, "%s%s%s", ids, i > 0 ? " " : "",
                           *(const char *const *)((const char *)page->items.items + i * size));
    return arena_printf(arena, "%s%s", ids, page->next_cursor ? " +" : "");
}

static inline const char *products_of(struct catalog_scene *scene,
                                      const struct catalog_filter *filter)
{
    struct catalog_page page = page_of(scene, catalog_list_products, filter);
    return ids_of(scene, &page, sizeof(struct catalog_product));
}

#define assert_products(scene, expected, ...) \
    assert_string_equal(products_of(scene, &(struct catalog_filter){ANY, __VA_ARGS__}), expected)

/* All pages, from the first to the last: "a b + c". */
static inline const char *walk(struct catalog_scene *scene, lister *list, size_t size,
                               struct catalog_filter filter)
{
    const char *all = "";

    do {
        struct catalog_page page = page_of(scene, list, &filter);
        all = arena_printf(scene->world.arena, "%s%s%s", all, *all ? " " : "",
                           ids_of(scene, &page, size));
        filter.cursor = page.next_cursor;
    } while (filter.cursor);
    return all;
}

struct fetching {
    const struct uuid *shop;
    const char *id;
    struct catalog_product product;
};

static inline enum err run_fetch(struct work *work, void *arg)
{
    struct fetching *step = arg;
    return catalog_read_product(work, step->shop, step->id, &step->product);
}

static inline enum err fetch(struct catalog_scene *scene, const char *id)
{
    struct fetching step = {.shop = &scene->shop, .id = id};
    return world_read(&scene->world, run_fetch, &step);
}

static inline struct catalog_product product_of(struct catalog_scene *scene, const char *id)
{
    struct fetching step = {.shop = &scene->shop, .id = id};
    assert_ok(world_read(&scene->world, run_fetch, &step));
    return step.product;
}

/* As it is answered. */
static inline const char *encoded(struct catalog_scene *scene, const struct record *record,
                                  const void *value)
{
    struct json_writer writer;
    AUTO_BUF text = {0};

    buf_init(&text, TEXT_MAX);
    json_writer_init(&writer, &text);
    record_encode(record, value, &writer);
    return arena_str(scene->world.arena, buf_view(&text));
}

static inline void assert_product(struct catalog_scene *scene, const char *id, const char *expected)
{
    struct catalog_product product = product_of(scene, id);
    assert_string_equal(encoded(scene, &catalog_product_view_record, &product),
                        json_of(scene->world.arena, expected).data);
}
