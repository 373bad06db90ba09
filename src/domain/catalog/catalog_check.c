/*
 * The rules of a package that no table can say (contract, section 5 "Required", "References").
 * Lists that are usually short are compared item by item; long ones go through a map, so that no
 * package costs more than in proportion to its length. What is absent has been told already, or may
 * be: a fault that would only follow from it is not told.
 */
#include "domain/catalog/catalog_check.h"

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_check_fault.h"
#include "domain/catalog/catalog_check_rules.h"
#include "domain/catalog/catalog_part_records.h"
#include "kit/base/must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHORT_MAX = 12, /* items that are compared with each other */
    CTX_MAX = 200,
};

struct catalog_check {
    struct catalog_targets targets;
    struct text_map products;
    struct text_map ids;    /* of the list at hand */
    struct text_map values; /* of the axes of the product at hand */
};

struct catalog_check *catalog_check_new(void)
{
    struct catalog_check *check = must_calloc(1, sizeof(*check));

    catalog_targets_init(&check->targets);
    text_map_init_large(&check->products);
    text_map_init_large(&check->ids);
    text_map_init_large(&check->values);
    return check;
}

void catalog_check_free(struct catalog_check *check)
{
    if (!check) return;
    catalog_targets_done(&check->targets);
    text_map_done(&check->products);
    text_map_done(&check->ids);
    text_map_done(&check->values);
    free(check);
}

bool catalog_check_lacks_memory(const struct catalog_check *check)
{
    return catalog_targets_lack_memory(&check->targets) || check->products.lacks_memory ||
           check->ids.lacks_memory || check->values.lacks_memory;
}

size_t catalog_check_memory(const struct catalog_check *check)
{
    return text_map_memory(&check->targets.categories) +
           text_map_memory(&check->targets.definitions) + text_map_memory(&check->targets.values) +
           text_map_memory(&check->products) + text_map_memory(&check->ids) +
           text_map_memory(&check->values);
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

/* A list of structs that begin with their id. */
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
    if (category->id && !catalog_targets_add_category(&check->targets, category))
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

void catalog_check_definition(struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_definition *definition)
{
    if (definition->type == VALUE_ENUM) check_enum(check, stream, definition);
    if (definition->id && !catalog_targets_add_definition(&check->targets, definition))
        fault_twice(stream, NULL, "id", definition->id);
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

struct chooser {
    struct record_stream *stream;
    const struct place *variant;
    const struct catalog_axes *axes;
    const struct record_list *choices;
};

static void fault_choice(void *arg, enum choice_flaw flaw, size_t index)
{
    const struct chooser *chooser = arg;
    struct record_stream *stream = chooser->stream;
    const struct catalog_axis_choice *choices = chooser->choices->items;
    struct place place = {chooser->variant, "option_values", index, flaw == CHOICE_LACKING};

    switch (flaw) {
    case CHOICE_OF_NO_AXIS:
        fault_reference(stream, &place, "axis_id", "No option axis with this id in this product",
                        choices[index].axis_id);
        break;
    case CHOICE_REPEATED:
        fault_twice(stream, &place, "axis_id", choices[index].axis_id);
        break;
    case CHOICE_OF_NO_VALUE:
        fault_reference(stream, &place, "value_id", "No value with this id in this option axis",
                        choices[index].value_id);
        break;
    case CHOICE_LACKING:
        catalog_check_fault(stream, &place, chooser->axes->items[index].id,
                            &(struct flaw){.type = "missing",
                                           .message = "Field required",
                                           .record = &catalog_choice_input_record,
                                           .list = chooser->choices});
    }
}

void catalog_check_choices(struct catalog_check *check, struct record_stream *stream,
                           const struct catalog_product *product)
{
    const struct catalog_variant *variants = product->variants.items;

    if (product->axes.count > CATALOG_AXES_MAX) return;
    if (catalog_check_has_fault(stream, NULL, "option_axes")) return;
    struct catalog_axes axes = catalog_axes_of(&product->axes, &check->values);
    for (size_t i = 0; i < product->variants.count; i++) {
        struct place place = {NULL, "variants", i, false};
        struct chooser chooser = {stream, &place, &axes, &variants[i].choices};
        catalog_choices_judge(&axes, &variants[i].choices, fault_choice, &chooser);
    }
}

bool catalog_check_lacks_axes(const struct catalog_product *product, uint64_t seen)
{
    const struct catalog_variant *variants = product->variants.items;
    size_t chosen = 0;

    for (size_t i = 0; i < product->variants.count; i++)
        chosen += variants[i].choices.count;
    return chosen > 0 && !catalog_is_there(seen, offsetof(struct catalog_product, axes));
}

/* --- Products --------------------------------------------------------------------------------- */

static void check_axes(struct catalog_check *check, struct record_stream *stream,
                       const struct record_list *list)
{
    const struct catalog_axis *axes = list->items;

    check_ids(check, stream, NULL, "option_axes",
              &(struct id_list){list, sizeof(struct catalog_axis)});
    for (size_t i = 0; i < list->count; i++)
        check_ids(check, stream, &(struct place){NULL, "option_axes", i, false}, "values",
                  &(struct id_list){&axes[i].values, sizeof(struct catalog_value)});
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

/* Some value has to be there; the definition, which is looked at later, says which. */
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
    check_axes(check, stream, &product->axes);
    check_ids(check, stream, NULL, "variants",
              &(struct id_list){variants, sizeof(struct catalog_variant)});
    for (size_t i = 0; i < variants->count; i++) {
        const struct catalog_variant *variant = (const struct catalog_variant *)variants->items + i;
        struct place place = {NULL, "variants", i, false};
        check_groups(stream, &place, &variant->option_groups);
    }
}

/* --- References to categories and definitions ------------------------------------------------- */

static void fault_value(struct record_stream *stream, const struct place *place,
                        enum catalog_value_type type, const struct scalar *value)
{
    char message[CTX_MAX], ctx[CTX_MAX];
    const char *reason;
    const struct stream_words *words = catalog_value_judge(type, value, &reason);
    struct flaw flaw = {words->type, words->message, words->ctx, .scalar = value};

    if (reason) {
        snprintf(message, sizeof(message), "%s, %s", words->message, reason);
        snprintf(ctx, sizeof(ctx), "{\"error\":\"%s\"}", reason); /* of ours, without quotes */
        flaw.message = message;
        flaw.ctx = ctx;
    }
    catalog_check_fault(stream, place, "value", &flaw);
}

static void check_attribute(const struct catalog_check *check, struct record_stream *stream,
                            const struct place *place, const struct catalog_attribute *attribute)
{
    enum catalog_value_type type;

    switch (catalog_attribute_judge(&check->targets, attribute, &type)) {
    case ATTRIBUTE_SOUND:
        break;
    case ATTRIBUTE_OF_NO_DEFINITION:
        fault_reference(stream, place, "attribute_id",
                        "No attribute definition with this id in this snapshot",
                        attribute->attribute_id);
        break;
    case ATTRIBUTE_LACKS_VALUE:
        fault_lacking(stream, place, "value", attribute);
        break;
    case ATTRIBUTE_LACKS_VALUE_ID:
        fault_lacking(stream, place, "value_id", attribute);
        break;
    case ATTRIBUTE_OF_NO_VALUE:
        fault_reference(stream, place, "value_id",
                        "No value with this id in the definition of this attribute",
                        attribute->value_id);
        break;
    case ATTRIBUTE_OF_OTHER_TYPE:
        fault_value(stream, place, type, &attribute->value);
    }
}

void catalog_check_references(const struct catalog_check *check, struct record_stream *stream,
                              const struct catalog_product *product)
{
    const struct catalog_attribute *attributes = product->attributes.items;

    if (product->category_id &&
        !text_map_find(&check->targets.categories, str_of(product->category_id), NULL))
        fault_reference(stream, NULL, "category_id", "No category with this id in this snapshot",
                        product->category_id);
    for (size_t i = 0; i < product->attributes.count; i++) {
        if (attributes[i].attribute_id)
            check_attribute(check, stream, &(struct place){NULL, "attributes", i, false},
                            &attributes[i]);
    }
}
