/*
 * The rules of a package that no table can say (contract, section 5 "Required", "References").
 * Lists that are usually short are compared item by item; long ones go through a map, so that no
 * package costs more than in proportion to its length. What is absent has been told already, or may
 * be: a fault that would only follow from it is not told.
 */
#include "domain/catalog/catalog_check.h"

#include "domain/catalog/catalog_check_parts.h"
#include "domain/catalog/catalog_part_records.h"
#include "kit/base/must.h"
#include "kit/base/text_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHORT_MAX = 12, /* items that are compared with each other */
    CTX_MAX = 100,
};

struct catalog_check {
    struct text_map categories;
    struct text_map definitions; /* with the type of each, or UNKNOWN_TYPE */
    struct text_map values;      /* of enums: pairs of definition and value */
    struct text_map products;
    struct text_map ids;     /* of the list at hand */
    struct text_map choices; /* of the product at hand: pairs of axis and value */
};
enum { UNKNOWN_TYPE = 255 }; /* which is at fault, or has no values at all */

struct catalog_check *catalog_check_new(void)
{
    struct catalog_check *check = must_calloc(1, sizeof(*check));

    text_map_init(&check->categories);
    text_map_init(&check->definitions);
    text_map_init(&check->values);
    text_map_init(&check->products);
    text_map_init(&check->ids);
    text_map_init(&check->choices);
    return check;
}

void catalog_check_free(struct catalog_check *check)
{
    if (!check) return;
    text_map_done(&check->categories);
    text_map_done(&check->definitions);
    text_map_done(&check->values);
    text_map_done(&check->products);
    text_map_done(&check->ids);
    text_map_done(&check->choices);
    free(check);
}

/* --- Ids that are unique in their list -------------------------------------------------------- */

static void fault_twice(struct record_stream *stream, const struct place *place, const char *field,
                        const char *id)
{
    catalog_check_fault(stream, place, field,
                        &(struct flaw){.type = "duplicate_id",
                                       .message = "This id stands twice in its list",
                                       .text = id});
}

/* Of structs that begin with their id. */
struct id_list {
    const struct record_list *list;
    size_t size; /* of an item */
};

static const char *id_at(const struct id_list *ids, size_t index)
{
    const char *item = (const char *)ids->list->items + index * ids->size;
    return *(const char *const *)item;
}
static_assert(offsetof(struct catalog_value, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_axis, id) == 0, "begins with its id");
static_assert(offsetof(struct catalog_variant, id) == 0, "begins with its id");

static bool stands_before(struct catalog_check *check, const struct id_list *ids, size_t index)
{
    const char *id = id_at(ids, index);

    if (ids->list->count > SHORT_MAX) return !text_map_add(&check->ids, str_of(id), 0, NULL);
    for (size_t i = 0; i < index; i++) {
        const char *other = id_at(ids, i);
        if (other && strcmp(other, id) == 0) return true;
    }
    return false;
}

/* `name`: of the list, within what stands at `parent`. */
static void check_ids(struct catalog_check *check, struct record_stream *stream,
                      const struct place *parent, const char *name, const struct id_list *ids)
{
    if (ids->list->count > SHORT_MAX) text_map_clear(&check->ids);
    for (size_t i = 0; i < ids->list->count; i++) {
        const char *id = id_at(ids, i);
        if (id && stands_before(check, ids, i))
            fault_twice(stream, &(struct place){parent, name, i, false}, "id", id);
    }
}

/* --- Categories and definitions --------------------------------------------------------------- */

void catalog_check_category(struct catalog_check *check, struct record_stream *stream,
                            const struct catalog_category *category)
{
    if (category->id && !text_map_add(&check->categories, str_of(category->id), 0, NULL))
        fault_twice(stream, NULL, "id", category->id);
}

static void check_enum(struct catalog_check *check, struct record_stream *stream,
                       const struct catalog_definition *definition)
{
    const struct record_list *values = &definition->values;

    if (!values->items)
        catalog_check_fault(stream, NULL, "values",
                            &(struct flaw){.type = "missing",
                                           .message = "Field required",
                                           .record = &catalog_definition_record,
                                           .value = definition});
    else if (values->count == 0)
        catalog_check_fault(stream, NULL, "values",
                            &(struct flaw){.type = "too_short",
                                           .message =
                                               "List should have at least 1 item after validation, "
                                               "not 0",
                                           .ctx = "{\"field_type\":\"List\",\"min_length\":1,"
                                                  "\"actual_length\":0}",
                                           .record = &catalog_value_input_record,
                                           .list = values});
    check_ids(check, stream, NULL, "values",
              &(struct id_list){values, sizeof(struct catalog_value)});
}

static void keep_values(struct catalog_check *check, const struct catalog_definition *definition)
{
    const struct catalog_value *values = definition->values.items;

    for (size_t i = 0; i < definition->values.count; i++) {
        if (values[i].id)
            text_map_add_pair(&check->values, str_of(definition->id), str_of(values[i].id), 0,
                              NULL);
    }
}

void catalog_check_definition(struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_definition *definition)
{
    uint32_t type = definition->type >= 0 ? (uint32_t)definition->type : UNKNOWN_TYPE;

    if (type == VALUE_ENUM) check_enum(check, stream, definition);
    if (type == VALUE_ENUM && definition->values.count == 0) type = UNKNOWN_TYPE;
    if (!definition->id) return;
    if (!text_map_add(&check->definitions, str_of(definition->id), type, NULL))
        fault_twice(stream, NULL, "id", definition->id);
    else if (type == VALUE_ENUM)
        keep_values(check, definition);
}

/* --- Variants --------------------------------------------------------------------------------- */

static void fault_reference(struct record_stream *stream, const struct place *place,
                            const char *field, const char *message, const char *id)
{
    catalog_check_fault(
        stream, place, field,
        &(struct flaw){.type = "reference_not_found", .message = message, .text = id});
}

static void check_group(struct record_stream *stream, const struct place *place,
                        const struct catalog_option_group *group)
{
    int64_t most = group->max_select >= 0 ? group->max_select : (int64_t)group->options.count;
    char message[CTX_MAX], ctx[CTX_MAX], digits[CTX_MAX];

    if (most >= group->min_select) return;
    if (group->max_select < 0 && group->options.count == 0) return; /* its options are at fault */
    snprintf(message, sizeof(message), "Input should be greater than or equal to %" PRId64,
             group->min_select);
    snprintf(ctx, sizeof(ctx), "{\"ge\":%" PRId64 "}", group->min_select);
    snprintf(digits, sizeof(digits), "%" PRId64, most);
    catalog_check_fault(stream, place, "max_select",
                        &(struct flaw){.type = "greater_than_equal",
                                       .message = message,
                                       .ctx = ctx,
                                       .scalar = &(struct scalar){SCALAR_NUMBER, digits}});
}

static void check_groups(struct record_stream *stream, const struct place *variant,
                         const struct record_list *groups)
{
    const struct catalog_option_group *items = groups->items;

    for (size_t i = 0; i < groups->count; i++)
        check_group(stream, &(struct place){variant, "option_groups", i, false}, &items[i]);
}

/* The axes of a product and how its variants are compared with them. */
struct axes {
    const struct catalog_axis *items;
    size_t count;
    const struct text_map *choices; /* NULL: few values, which are compared one by one */
};

static int find_axis(const struct axes *axes, const char *id)
{
    for (size_t i = 0; i < axes->count; i++) {
        if (axes->items[i].id && strcmp(axes->items[i].id, id) == 0) return (int)i;
    }
    return -1;
}

static bool has_value(const struct axes *axes, const struct catalog_axis *axis, const char *id)
{
    const struct catalog_value *values = axis->values.items;

    if (axes->choices) return text_map_find_pair(axes->choices, str_of(axis->id), str_of(id), NULL);
    for (size_t i = 0; i < axis->values.count; i++) {
        if (values[i].id && strcmp(values[i].id, id) == 0) return true;
    }
    return false;
}

static void check_choice(struct record_stream *stream, const struct place *place,
                         const struct axes *axes, const struct catalog_axis_choice *choice,
                         uint32_t *named)
{
    int index = find_axis(axes, choice->axis_id);

    if (index < 0) {
        fault_reference(stream, place, "axis_id", "No option axis with this id in this product",
                        choice->axis_id);
        return;
    }
    if (*named & 1u << index) fault_twice(stream, place, "axis_id", choice->axis_id);
    *named |= 1u << index;
    if (choice->value_id && !has_value(axes, &axes->items[index], choice->value_id))
        fault_reference(stream, place, "value_id", "No value with this id in this option axis",
                        choice->value_id);
}
static_assert(CATALOG_AXES_MAX <= 32, "a bit an axis");

/* `named`: axes that have a choice. An axis that stands twice is told of where it stands. */
static void check_all_named(struct record_stream *stream, const struct place *variant,
                            const struct axes *axes, const struct record_list *choices,
                            uint32_t named)
{
    struct place place = {.parent = variant, .list = "option_values", .is_whole = true};

    for (size_t i = 0; i < axes->count; i++) {
        const char *id = axes->items[i].id;
        if (!id || (named & 1u << i) || find_axis(axes, id) != (int)i) continue;
        catalog_check_fault(stream, &place, id,
                            &(struct flaw){.type = "missing",
                                           .message = "Field required",
                                           .record = &catalog_choice_input_record,
                                           .list = choices});
    }
}

static void check_choices(struct record_stream *stream, const struct place *variant,
                          const struct axes *axes, const struct record_list *choices)
{
    const struct catalog_axis_choice *items = choices->items;
    uint32_t named = 0;
    bool is_whole = true;

    if (axes->count > CATALOG_AXES_MAX || catalog_check_has_fault(stream, NULL, "option_axes"))
        return;
    for (size_t i = 0; i < choices->count; i++) {
        if (items[i].axis_id)
            check_choice(stream, &(struct place){variant, "option_values", i, false}, axes,
                         &items[i], &named);
        else
            is_whole = false;
    }
    if (is_whole) check_all_named(stream, variant, axes, choices, named);
}

/* --- Products --------------------------------------------------------------------------------- */

static void keep_choices(struct text_map *choices, const struct catalog_axis *axis)
{
    const struct catalog_value *values = axis->values.items;

    for (size_t i = 0; axis->id && i < axis->values.count; i++) {
        if (values[i].id)
            text_map_add_pair(choices, str_of(axis->id), str_of(values[i].id), 0, NULL);
    }
}

static struct axes check_axes(struct catalog_check *check, struct record_stream *stream,
                              const struct record_list *list)
{
    struct axes axes = {.items = list->items, .count = list->count};
    size_t value_count = 0;

    check_ids(check, stream, NULL, "option_axes",
              &(struct id_list){list, sizeof(struct catalog_axis)});
    for (size_t i = 0; i < axes.count; i++) {
        const struct record_list *values = &axes.items[i].values;
        check_ids(check, stream, &(struct place){NULL, "option_axes", i, false}, "values",
                  &(struct id_list){values, sizeof(struct catalog_value)});
        value_count += values->count;
    }
    if (value_count <= 2 * SHORT_MAX) return axes;
    text_map_clear(&check->choices);
    for (size_t i = 0; i < axes.count; i++)
        keep_choices(&check->choices, &axes.items[i]);
    axes.choices = &check->choices;
    return axes;
}

static void fault_lacking(struct record_stream *stream, const struct place *place,
                          const char *field, const struct catalog_attribute *attribute)
{
    catalog_check_fault(stream, place, field,
                        &(struct flaw){.type = "missing",
                                       .message = "Field required",
                                       .record = &catalog_attribute_input_record,
                                       .value = attribute});
}

/* Some value is there; which, the definition says. */
static void check_attributes(struct record_stream *stream, const struct record_list *list)
{
    const struct catalog_attribute *attributes = list->items;

    for (size_t i = 0; i < list->count; i++) {
        struct place place = {NULL, "attributes", i, false};
        if (attributes[i].value.kind != SCALAR_NONE || attributes[i].value_id) continue;
        if (!catalog_check_has_fault(stream, &place, "value_id"))
            fault_lacking(stream, &place, "value", &attributes[i]);
    }
}

void catalog_check_product(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product)
{
    const struct record_list *variants = &product->variants;

    if (product->id && !text_map_add(&check->products, str_of(product->id), 0, NULL))
        fault_twice(stream, NULL, "id", product->id);
    check_attributes(stream, &product->attributes);
    struct axes axes = check_axes(check, stream, &product->axes);
    check_ids(check, stream, NULL, "variants",
              &(struct id_list){variants, sizeof(struct catalog_variant)});
    for (size_t i = 0; i < variants->count; i++) {
        const struct catalog_variant *variant = (const struct catalog_variant *)variants->items + i;
        struct place place = {NULL, "variants", i, false};
        check_choices(stream, &place, &axes, &variant->choices);
        check_groups(stream, &place, &variant->option_groups);
    }
}

/* --- References to categories and definitions ------------------------------------------------- */

static void check_enum_value(const struct catalog_check *check, struct record_stream *stream,
                             const struct place *place, const struct catalog_attribute *attribute)
{
    if (!attribute->value_id) {
        fault_lacking(stream, place, "value_id", attribute);
        return;
    }
    if (!text_map_find_pair(&check->values, str_of(attribute->attribute_id),
                            str_of(attribute->value_id), NULL))
        fault_reference(stream, place, "value_id",
                        "No value with this id in the definition of this attribute",
                        attribute->value_id);
}

static void check_attribute(const struct catalog_check *check, struct record_stream *stream,
                            const struct place *place, const struct catalog_attribute *attribute)
{
    bool has_value = attribute->value.kind != SCALAR_NONE;
    uint32_t type;

    if (!text_map_find(&check->definitions, str_of(attribute->attribute_id), &type)) {
        fault_reference(stream, place, "attribute_id",
                        "No attribute definition with this id in this snapshot",
                        attribute->attribute_id);
        return;
    }
    if (type == UNKNOWN_TYPE || (!has_value && !attribute->value_id)) return;
    if (type == VALUE_ENUM)
        check_enum_value(check, stream, place, attribute);
    else if (has_value)
        catalog_check_value(stream, place, (enum catalog_value_type)type, &attribute->value);
    else
        fault_lacking(stream, place, "value", attribute);
}

void catalog_check_references(const struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_product *product)
{
    const struct catalog_attribute *attributes = product->attributes.items;

    if (product->category_id &&
        !text_map_find(&check->categories, str_of(product->category_id), NULL))
        fault_reference(stream, NULL, "category_id", "No category with this id in this snapshot",
                        product->category_id);
    for (size_t i = 0; i < product->attributes.count; i++) {
        if (attributes[i].attribute_id)
            check_attribute(check, stream, &(struct place){NULL, "attributes", i, false},
                            &attributes[i]);
    }
}
