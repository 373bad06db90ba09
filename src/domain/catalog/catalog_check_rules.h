/*
 * The rules of a product that reach beyond one of its values (contract, section 5 "References"):
 * what it refers to, and what its variants choose of its option axes. They are the same for what an
 * ERP sends and for what a product keeps of the snapshots before.
 */
#pragma once

#include "domain/catalog/catalog.h"
#include "kit/base/text_map.h"
#include "kit/json/record_stream.h"

/* --- References ------------------------------------------------------------------------------- */

/* The categories, definitions and values that a snapshot has for its products to refer to. */
struct catalog_targets {
    struct text_map categories;
    struct text_map definitions; /* with the type of each */
    struct text_map values;      /* of enums: pairs of definition and value */
};

void catalog_targets_init(struct catalog_targets *targets);
void catalog_targets_done(struct catalog_targets *targets);
/* Returns whether there was too little memory for what was added; then no judgement by it means
 * anything. */
bool catalog_targets_lack_memory(const struct catalog_targets *targets);
/* Each thing that is added has an id. False: that id was added before. */
bool catalog_targets_add_category(struct catalog_targets *targets,
                                  const struct catalog_category *category);
bool catalog_targets_add_definition(struct catalog_targets *targets,
                                    const struct catalog_definition *definition);

enum attribute_flaw {
    ATTRIBUTE_SOUND,
    ATTRIBUTE_OF_NO_DEFINITION,
    ATTRIBUTE_LACKS_VALUE,
    ATTRIBUTE_LACKS_VALUE_ID,
    ATTRIBUTE_OF_NO_VALUE,   /* its value_id is none of the definition */
    ATTRIBUTE_OF_OTHER_TYPE, /* `ret_type`, which the definition says */
};
/* Says what is wrong with an attribute that names a definition. An attribute without any value is
 * passed over, and so is what would only follow from a fault of the definition itself. */
enum attribute_flaw catalog_attribute_judge(const struct catalog_targets *targets,
                                            const struct catalog_attribute *attribute,
                                            enum catalog_value_type *ret_type);
/* Says what is wrong with a value of this type, which is not VALUE_ENUM; NULL: nothing is.
 * `ret_reason` says why a text that looks like a date is none; else it is NULL. */
const struct stream_words *catalog_value_judge(enum catalog_value_type type,
                                               const struct scalar *value, const char **ret_reason);

/* --- Choices ---------------------------------------------------------------------------------- */

/* The option axes of a product, from which its variants choose; at most CATALOG_AXES_MAX. */
struct catalog_axes {
    const struct catalog_axis *items;
    size_t count;
    const struct text_map *values; /* NULL: few, which are compared one by one */
};

/* `map` is filled where there are many values, and lives as long as the axes. */
struct catalog_axes catalog_axes_of(const struct record_list *axes, struct text_map *map);

enum choice_flaw {
    CHOICE_OF_NO_AXIS,
    CHOICE_REPEATED, /* another one names the same axis */
    CHOICE_OF_NO_VALUE,
    CHOICE_LACKING, /* of an axis */
};
/* Tells where a variant does not choose exactly one value of each axis. `index` is the place of the
 * choice or, where one is lacking, of the axis. A choice that names no axis has a fault of its own;
 * then none is told to be lacking. */
void catalog_choices_judge(const struct catalog_axes *axes, const struct record_list *choices,
                           void (*on_flaw)(void *arg, enum choice_flaw flaw, size_t index),
                           void *arg);
