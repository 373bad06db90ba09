/* Fields that a snapshot does not have, taken over from what is stored. */
#include "domain/catalog/catalog_keep.h"

#include "kit/base/macros.h"

#include <stddef.h>

static const size_t kept_fields[] = {
    offsetof(struct catalog_product, description), offsetof(struct catalog_product, composition),
    offsetof(struct catalog_product, category_id), offsetof(struct catalog_product, tax),
    offsetof(struct catalog_product, marking),     offsetof(struct catalog_product, attributes),
    offsetof(struct catalog_product, axes),        offsetof(struct catalog_product, allergens),
    offsetof(struct catalog_product, tags),
};

void catalog_keep_init(struct catalog_keep *keep)
{
    catalog_targets_init(&keep->targets);
    text_map_init_large(&keep->variants);
}

void catalog_keep_done(struct catalog_keep *keep)
{
    catalog_targets_done(&keep->targets);
    text_map_done(&keep->variants);
}

bool catalog_keep_lacks_memory(const struct catalog_keep *keep)
{
    return catalog_targets_lack_memory(&keep->targets) || keep->variants.lacks_memory;
}

bool catalog_keep_lacks_any(uint64_t seen)
{
    for (size_t i = 0; i < COUNT_OF(kept_fields); i++) {
        if (!catalog_is_there(seen, kept_fields[i])) return true;
    }
    return false;
}

/* --- What refers to something ----------------------------------------------------------------- */

/* A definition may have become one of another type, or lost a value. */
static struct record_list attributes_of(const struct catalog_keep *keep,
                                        const struct catalog_product *stored, struct arena *arena)
{
    const struct catalog_attribute *from = stored->attributes.items;
    size_t count = stored->attributes.count;
    struct catalog_attribute *to = arena_array(arena, count, sizeof(*to));
    struct record_list kept = {.items = to};
    enum catalog_value_type type;

    for (size_t i = 0; i < count; i++) {
        if (catalog_attribute_judge(&keep->targets, &from[i], &type) == ATTRIBUTE_SOUND)
            to[kept.count++] = from[i];
    }
    return kept.count > 0 ? kept : (struct record_list){0};
}

/* A variant that names no axis keeps the choices that it had. */
static void keep_choices(struct catalog_keep *keep, const struct catalog_product *stored,
                         struct catalog_product *product)
{
    const struct catalog_variant *from = stored->variants.items;
    struct catalog_variant *to = product->variants.items;
    uint32_t place;

    text_map_clear(&keep->variants);
    for (size_t i = 0; i < stored->variants.count; i++)
        text_map_add(&keep->variants, str_of(from[i].id), (uint32_t)i, NULL);
    for (size_t i = 0; i < product->variants.count; i++) {
        if (to[i].choices.count > 0) continue;
        if (text_map_find(&keep->variants, str_of(to[i].id), &place))
            to[i].choices = from[place].choices;
    }
}

/* --- A product -------------------------------------------------------------------------------- */

int64_t catalog_keep_fill(struct catalog_keep *keep, const struct catalog_product *stored,
                          uint64_t seen, struct catalog_product *product, struct arena *arena)
{
    struct catalog_product from = *stored;
    int64_t kept = 0;

    if (from.category_id &&
        !text_map_find(&keep->targets.categories, str_of(from.category_id), NULL))
        from.category_id = NULL;
    from.attributes = attributes_of(keep, stored, arena);
#define FILL(member, has_value)                                                             \
    if (!catalog_is_there(seen, offsetof(struct catalog_product, member)) && (has_value)) { \
        product->member = from.member;                                                      \
        kept++;                                                                             \
    }
    FILL(description, from.description && *from.description)
    FILL(composition, from.composition && *from.composition)
    FILL(category_id, from.category_id)
    FILL(tax, from.tax)
    FILL(marking, from.marking)
    FILL(attributes, from.attributes.count > 0)
    FILL(allergens, from.allergens.count > 0)
    FILL(tags, from.tags.count > 0)
    FILL(axes, from.axes.count > 0)
#undef FILL
    if (product->axes.items && product->axes.items == from.axes.items)
        keep_choices(keep, stored, product);
    return kept;
}
