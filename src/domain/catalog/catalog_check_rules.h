/*
 * The rules of a product that reach beyond one of its values (contract, section 5 "References"):
 * what it refers to, and what its variants choose of its option axes. They are the same for what an
 * ERP sends and for what a product keeps of the snapshots before.
 */
#pragma once

#include "domain/catalog/catalog.h"
#include "kit/base/text_map.h"
#include "kit/json/record_stream_words.h"

/* --- References ------------------------------------------------------------------------------- */

/* What a snapshot has to refer to. */
struct catalog_targets {
    struct text_map categories;
    struct text_map definitions; /* with the type of each */
    struct text_map values;      /* of enums: pairs of definition and value */
};

void catalog_targets_init(struct catalog_targets *targets);
void catalog_targets_done(struct catalog_targets *targets);
/* Whether there was no memory for all that was added, so that what is judged by it means
 * nothing. */
bool catalog_targets_lack_memory(const struct catalog_targets *targets);
/* Both have an id, of which false says that it was there before. */
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
/* What is wrong with an attribute that names a definition. One that has no value at all is passed
 * over, and so is all that would follow from a definition that is at fault itself. */
enum attribute_flaw catalog_attribute_judge(const struct catalog_targets *targets,
                                            const struct catalog_attribute *attribute,
                                            enum catalog_value_type *ret_type);
/* What is wrong with a value of this type, which is not VALUE_ENUM; NULL: nothing. `ret_reason` is
 * NULL, but for what looks like a date: why it is none. */
const struct stream_words *catalog_value_judge(enum catalog_value_type type,
                                               const struct scalar *value, const char **ret_reason);

/* --- Choices ---------------------------------------------------------------------------------- */

/* The option axes of a product, at most CATALOG_AXES_MAX, as its variants choose of them. */
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
/* A variant chooses exactly one value of each axis. `index` is the place of the choice, of a
 * lacking one that of the axis. Choices that name no axis are at fault themselves: then none is
 * told to be lacking. */
void catalog_choices_judge(const struct catalog_axes *axes, const struct record_list *choices,
                           void (*on_flaw)(void *arg, enum choice_flaw flaw, size_t index),
                           void *arg);
