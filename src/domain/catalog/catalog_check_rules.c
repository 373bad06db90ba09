/* The rules on what products refer to, and on what their variants choose. */
#include "domain/catalog/catalog_check_rules.h"

#include "kit/json/iso_time.h"

enum {
    UNKNOWN_TYPE = 255,   /* of a definition that is at fault, or an enum without values */
    COMPARED_MAX = 2 * 12 /* values of axes that are compared one by one */
};

/* --- References ------------------------------------------------------------------------------- */

void catalog_targets_init(struct catalog_targets *targets)
{
    text_map_init_large(&targets->categories);
    text_map_init_large(&targets->definitions);
    text_map_init_large(&targets->values);
}

void catalog_targets_done(struct catalog_targets *targets)
{
    text_map_done(&targets->categories);
    text_map_done(&targets->definitions);
    text_map_done(&targets->values);
}

bool catalog_targets_lack_memory(const struct catalog_targets *targets)
{
    return targets->categories.lacks_memory || targets->definitions.lacks_memory ||
           targets->values.lacks_memory;
}

bool catalog_targets_add_category(struct catalog_targets *targets,
                                  const struct catalog_category *category)
{
    return text_map_add(&targets->categories, str_of(category->id), 0, NULL);
}

bool catalog_targets_add_definition(struct catalog_targets *targets,
                                    const struct catalog_definition *definition)
{
    const struct catalog_value *values = definition->values.items;
    size_t value_count = definition->type == VALUE_ENUM ? definition->values.count : 0;
    bool is_known = definition->type >= 0 && (definition->type != VALUE_ENUM || value_count > 0);
    uint32_t type = is_known ? (uint32_t)definition->type : UNKNOWN_TYPE;

    if (!text_map_add(&targets->definitions, str_of(definition->id), type, NULL)) return false;
    for (size_t i = 0; i < value_count; i++) {
        if (values[i].id)
            text_map_add_pair(&targets->values, str_of(definition->id), str_of(values[i].id), 0,
                              NULL);
    }
    return true;
}

enum attribute_flaw catalog_attribute_judge(const struct catalog_targets *targets,
                                            const struct catalog_attribute *attribute,
                                            enum catalog_value_type *ret_type)
{
    struct str id = str_of(attribute->attribute_id), value_id = str_of(attribute->value_id);
    bool has_value = attribute->value.kind != SCALAR_NONE;
    const char *reason;
    uint32_t type;

    if (!text_map_find(&targets->definitions, id, &type)) return ATTRIBUTE_OF_NO_DEFINITION;
    if (type == UNKNOWN_TYPE || (!has_value && !attribute->value_id)) return ATTRIBUTE_SOUND;
    if (type == VALUE_ENUM && !attribute->value_id) return ATTRIBUTE_LACKS_VALUE_ID;
    if (type == VALUE_ENUM) {
        bool is_one = text_map_find_pair(&targets->values, id, value_id, NULL);
        return is_one ? ATTRIBUTE_SOUND : ATTRIBUTE_OF_NO_VALUE;
    }
    if (!has_value) return ATTRIBUTE_LACKS_VALUE;
    *ret_type = (enum catalog_value_type)type;
    bool is_other = catalog_value_judge(*ret_type, &attribute->value, &reason) != NULL;
    return is_other ? ATTRIBUTE_OF_OTHER_TYPE : ATTRIBUTE_SOUND;
}

/* --- Values (doc B, section 2; contract, section 5 "Numbers") --------------------------------- */

/* YYYY-MM-DD, of a day that there is. */
static const struct stream_words *judge_date(const struct scalar *value, const char **ret_reason)
{
    static const struct stream_words not_date = {"date_type", "Input should be a valid date"},
                                     no_day = {
                                         "date_parsing",
                                         "Input should be a valid date in the format YYYY-MM-DD"};

    if (value->kind != SCALAR_STRING) return &not_date;
    return iso_date_is_valid(str_of(value->text), ret_reason) ? NULL : &no_day;
}

const struct stream_words *catalog_value_judge(enum catalog_value_type type,
                                               const struct scalar *value, const char **ret_reason)
{
    static const enum field_type fields[] = {[VALUE_STRING] = FIELD_STRING,
                                             [VALUE_INTEGER] = FIELD_INTEGER,
                                             [VALUE_DECIMAL] = FIELD_DECIMAL,
                                             [VALUE_BOOLEAN] = FIELD_BOOLEAN};
    *ret_reason = NULL;
    assert(type != VALUE_ENUM);
    return type == VALUE_DATE ? judge_date(value, ret_reason) : stream_judge(fields[type], value);
}

/* --- Choices ---------------------------------------------------------------------------------- */

struct catalog_axes catalog_axes_of(const struct record_list *list, struct text_map *map)
{
    struct catalog_axes axes = {.items = list->items, .count = list->count};
    size_t value_count = 0;

    for (size_t i = 0; i < axes.count; i++)
        value_count += axes.items[i].values.count;
    if (value_count <= COMPARED_MAX) return axes;
    text_map_clear(map);
    for (size_t i = 0; i < axes.count; i++) {
        const struct catalog_axis *axis = &axes.items[i];
        const struct catalog_value *values = axis->values.items;
        for (size_t j = 0; axis->id && j < axis->values.count; j++) {
            if (values[j].id)
                text_map_add_pair(map, str_of(axis->id), str_of(values[j].id), 0, NULL);
        }
    }
    axes.values = map;
    return axes;
}

static int find_axis(const struct catalog_axes *axes, const char *id)
{
    for (size_t i = 0; i < axes->count; i++) {
        if (axes->items[i].id && strcmp(axes->items[i].id, id) == 0) return (int)i;
    }
    return -1;
}

static bool has_value(const struct catalog_axes *axes, const struct catalog_axis *axis,
                      const char *id)
{
    const struct catalog_value *values = axis->values.items;

    if (axes->values) return text_map_find_pair(axes->values, str_of(axis->id), str_of(id), NULL);
    for (size_t i = 0; i < axis->values.count; i++) {
        if (values[i].id && strcmp(values[i].id, id) == 0) return true;
    }
    return false;
}

void catalog_choices_judge(const struct catalog_axes *axes, const struct record_list *choices,
                           void (*on_flaw)(void *arg, enum choice_flaw flaw, size_t index),
                           void *arg)
{
    const struct catalog_axis_choice *items = choices->items;
    uint32_t named = 0; /* axes that have a choice */
    bool is_whole = true;

    static_assert(CATALOG_AXES_MAX <= 32, "a bit an axis");
    assert(axes->count <= CATALOG_AXES_MAX);
    for (size_t i = 0; i < choices->count; i++) {
        int place = items[i].axis_id ? find_axis(axes, items[i].axis_id) : -1;
        is_whole = is_whole && items[i].axis_id;
        if (items[i].axis_id && place < 0) on_flaw(arg, CHOICE_OF_NO_AXIS, i);
        if (place < 0) continue;
        if (named & 1u << place) on_flaw(arg, CHOICE_REPEATED, i);
        named |= 1u << place;
        if (items[i].value_id && !has_value(axes, &axes->items[place], items[i].value_id))
            on_flaw(arg, CHOICE_OF_NO_VALUE, i);
    }
    /* An axis that stands twice has a fault of its own, so only its first place is looked at. */
    for (size_t i = 0; is_whole && i < axes->count; i++) {
        const char *id = axes->items[i].id;
        if (id && !(named & 1u << i) && find_axis(axes, id) == (int)i)
            on_flaw(arg, CHOICE_LACKING, i);
    }
}
