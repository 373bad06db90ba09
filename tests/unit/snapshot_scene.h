/* Snapshots as the intake reads them, and what is wrong with them as lines of text: "missing
 * products,0,name". In the texts ' stands for ". */
#pragma once

#include "arena_fixture.h"
#include "domain/catalog/catalog_check.h"
#include "domain/erp/erp.h"
#include "made_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SCENE_TEXT_MAX = 64 * 1024 * 1024 };

/* The lists of a snapshot. */
struct lists {
    const char *definitions, *categories, *products;
};

enum order { PRODUCTS_LAST, PRODUCTS_FIRST };

struct reading {
    struct catalog_check *check;
    enum order order;
    bool is_second; /* only references are left, since the lists came behind the products */
};

static inline char *snapshot_text(struct arena *arena, const struct lists *lists, enum order order)
{
    char *text;

    if (order == PRODUCTS_LAST)
        text = arena_printf(arena,
                            "{'event_id':'e','generated_at':'2026-11-21T04:33:00Z',"
                            "'attribute_definitions':[%s],'categories':[%s],'products':[%s]}",
                            lists->definitions, lists->categories, lists->products);
    else
        text = arena_printf(arena,
                            "{'products':[%s],'categories':[%s],'attribute_definitions':[%s],"
                            "'generated_at':'2026-11-21T04:33:00Z','event_id':'e'}",
                            lists->products, lists->categories, lists->definitions);
    return quoted(arena, text);
}

static inline void read_item(void *arg, struct record_stream *stream,
                             const struct stream_item *item)
{
    struct reading *reading = arg;
    const char *list = item->list->name;
    bool is_product = strcmp(list, "products") == 0;

    if (is_product && !reading->is_second) {
        catalog_check_product(reading->check, stream, item->value);
        catalog_check_choices(reading->check, stream, item->value);
    }
    if (is_product && (reading->is_second || reading->order == PRODUCTS_LAST))
        catalog_check_references(reading->check, stream, item->value);
    if (strcmp(list, "categories") == 0 && !reading->is_second)
        catalog_check_category(reading->check, stream, item->value);
    if (strcmp(list, "attribute_definitions") == 0 && !reading->is_second)
        catalog_check_definition(reading->check, stream, item->value);
}

static inline struct record_stream *read_all(struct reading *reading, const char *text)
{
    struct record_stream_options options = {.record = &erp_snapshot_record,
                                            .token_max = SCENE_TEXT_MAX,
                                            .on_item = read_item,
                                            .arg = reading};
    struct record_stream *stream = record_stream_new(&options);

    assert_int_equal(record_stream_feed(stream, str_of(text), true), STREAM_END);
    return stream;
}

/* Adds a line, the place without quotes, unless it is there. */
static inline void add_fault(struct buf *out, struct arena *arena, const struct stream_fault *fault)
{
    char *line = arena_printf(arena, "%s %s\n", fault->type, fault->loc), *end = line;

    for (const char *p = line; *p; p++)
        if (*p != '"') *end++ = *p;
    *end = '\0';
    if (!strstr(arena_str(arena, buf_view(out)), line)) buf_text(out, line);
}

static inline void add_faults(struct buf *out, struct arena *arena,
                              const struct record_stream *stream)
{
    size_t count;
    bool is_truncated;
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);

    for (size_t i = 0; i < count; i++)
        add_fault(out, arena, &faults[i]);
    if (is_truncated) buf_text(out, "truncated\n");
}

static inline char *faults_of(struct arena *arena, const struct lists *lists, enum order order)
{
    struct reading reading = {.check = catalog_check_new(), .order = order};
    const char *text = snapshot_text(arena, lists, order);
    AUTO_BUF out = {0};

    buf_init(&out, SCENE_TEXT_MAX);
    struct record_stream *stream = read_all(&reading, text);
    add_faults(&out, arena, stream);
    record_stream_free(stream);
    if (order == PRODUCTS_FIRST) {
        reading.is_second = true;
        stream = read_all(&reading, text);
        add_faults(&out, arena, stream);
        record_stream_free(stream);
    }
    catalog_check_free(reading.check);
    return arena_str(arena, buf_view(&out));
}
