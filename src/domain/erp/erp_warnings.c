/* Warnings are counted by kind and place, and what is said of the first one stands for all. */
#include "domain/erp/erp_warnings.h"

#include "kit/base/terminal.h"

const char *const erp_warning_type_words[] = {
    [ERP_WARNING_UNKNOWN_FIELD] = "unknown_field",
    [ERP_WARNING_EMPTY_NAME] = "empty_name",
    [ERP_WARNING_NO_DEFAULT_VARIANT] = "no_default_variant",
    [ERP_WARNING_SEVERAL_DEFAULTS] = "several_defaults",
    [ERP_WARNING_STOCK_NOT_TAKEN] = "stock_not_taken",
    NULL,
};

static const char *const sentences[] = {
    [ERP_WARNING_UNKNOWN_FIELD] = "Nobody reads this property",
    [ERP_WARNING_EMPTY_NAME] = "The name is empty",
    [ERP_WARNING_NO_DEFAULT_VARIANT] = "No variant has default true",
    [ERP_WARNING_SEVERAL_DEFAULTS] = "Several variants have default true",
    [ERP_WARNING_STOCK_NOT_TAKEN] = "A snapshot brings no stock: send it as changes",
};

enum { ESCAPE_LEN = 6, FIELDS_MAX = 64 };

void erp_warnings_init(struct erp_warnings *warnings, enum erp_package_type type)
{
    warnings->is_snapshot = type == ERP_PACKAGE_SNAPSHOT;
    warnings->count = 0;
    arena_init(&warnings->arena);
}

void erp_warnings_done(struct erp_warnings *warnings)
{
    arena_done(&warnings->arena);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Counts the place once more. Returns its row if that is new and there is room, to be filled. */
static struct erp_warning *count_place(struct erp_warnings *warnings, enum erp_warning_type type,
                                       const struct field *holder, struct str key)
{
    for (size_t i = 0; i < warnings->count; i++) {
        const struct warning_place *place = &warnings->places[i];
        struct erp_warning *row = &warnings->rows[i];
        if (place->holder != holder || row->type != (int)type || place->key.len != key.len)
            continue;
        if (memcmp(place->key.data, key.data, key.len) != 0) continue;
        row->count++;
        return NULL;
    }
    if (warnings->count == ERP_WARNINGS_MAX) return NULL;
    size_t i = warnings->count++;
    warnings->places[i] =
        (struct warning_place){holder, {arena_str(&warnings->arena, key), key.len}};
    warnings->rows[i] = (struct erp_warning){.type = (int)type, .count = 1};
    return &warnings->rows[i];
}

/* Returns a text of others without what would steer a terminal. */
static const char *plain_text(const char *text, struct arena *arena)
{
    AUTO_BUF out = {0};

    buf_init(&out, ESCAPE_LEN * strlen(text));
    terminal_escape(str_of(text), "", &out);
    return arena_str(arena, buf_view(&out));
}

/* Says where the first one stands, by the id of its item if that was read: each begins with it. */
static const char *say_first(const struct stream_item *item, struct arena *arena)
{
    if (!item->list) return "";
    const char *id = *(const char *const *)item->value;
    const char *first = arena_printf(arena, " First at %s[%zu]", item->list->name, item->index);
    return id ? arena_printf(arena, "%s (%s).", first, plain_text(id, arena))
              : arena_printf(arena, "%s.", first);
}
static_assert(offsetof(struct catalog_category, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_definition, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_product, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_price, product_id) == 0, "begins with the product's");
static_assert(offsetof(struct catalog_stock, product_id) == 0, "begins with the product's");

static void say(struct erp_warning *row, const char *nearest, const struct stream_item *item,
                struct arena *arena)
{
    const char *first = say_first(item, arena), *said = sentences[row->type];

    row->msg = nearest ? arena_printf(arena, "%s: did you mean %s?%s", said, nearest, first)
                       : arena_printf(arena, "%s.%s", said, first);
}

/* --- Remarks of the stream -------------------------------------------------------------------- */

/* An ERP that sends one of these means stock. */
static bool is_stock(struct str key)
{
    return str_is(key, "stock") || str_is(key, "stocks") || str_is(key, "stock_quantity") ||
           str_is(key, "available_quantity") || str_is(key, "quantity");
}

static enum erp_warning_type type_of(const struct erp_warnings *warnings,
                                     const struct stream_remark *remark)
{
    if (remark->blank) return ERP_WARNING_EMPTY_NAME;
    bool is_lost_stock = warnings->is_snapshot && is_stock(remark->key);
    return is_lost_stock ? ERP_WARNING_STOCK_NOT_TAKEN : ERP_WARNING_UNKNOWN_FIELD;
}

static const char *nearest_name(const struct record *record, const char *key)
{
    const char *names[FIELDS_MAX];

    for (size_t i = 0; i < record->field_count; i++)
        names[i] = record->fields[i].name;
    return str_nearest(key, names, record->field_count);
}

void erp_warnings_take(struct erp_warnings *warnings, const struct record_stream *stream,
                       const struct stream_remark *remark)
{
    enum erp_warning_type type = type_of(warnings, remark);
    struct arena *arena = &warnings->arena;
    const char *nearest = NULL;

    /* It is reserved, and read over on purpose (doc B, section 9). */
    if (remark->record == &catalog_stock_record && str_is(remark->key, "warehouse_id")) return;
    struct erp_warning *row = count_place(warnings, type, remark->holder, remark->key);
    if (!row) return;
    const char **loc = arena_array(arena, 1 + JSON_DEPTH_MAX, sizeof(*loc));
    loc[0] = "body";
    row->loc = (struct record_list){loc, 1 + record_stream_form(stream, arena, loc + 1)};
    const char **key = &loc[row->loc.count - 1];
    if (type == ERP_WARNING_UNKNOWN_FIELD) nearest = nearest_name(remark->record, *key);
    *key = plain_text(*key, arena);
    say(row, nearest, &remark->item, arena);
}

/* --- Products --------------------------------------------------------------------------------- */

void erp_warnings_look_at(struct erp_warnings *warnings, const struct stream_item *item)
{
    static const char *const loc[] = {"body", "products", "[]", "variants"};
    const struct catalog_product *product = item->value;
    const struct catalog_variant *variants = product->variants.items;
    size_t count = 0;

    for (size_t i = 0; i < product->variants.count; i++)
        count += variants[i].is_default;
    if (count == 1) return;
    struct erp_warning *row =
        count_place(warnings, count ? ERP_WARNING_SEVERAL_DEFAULTS : ERP_WARNING_NO_DEFAULT_VARIANT,
                    item->list, STR("variants"));
    if (!row) return;
    row->loc = (struct record_list){(void *)loc, COUNT_OF(loc)};
    say(row, NULL, item, &warnings->arena);
}
