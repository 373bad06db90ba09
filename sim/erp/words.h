/* The words that catalogs are made of. Lists end with NULL. */
#pragma once

/* These things stand on a shelf of the shop. */
struct shelf {
    const char *category;
    const char *noun;
    const char *measure_unit;
    const char *tax_category;
    const char *composition; /* "" for what is not eaten */
};

enum { SHELF_COUNT = 16 };
extern const struct shelf shelves[SHELF_COUNT];

extern const char *const word_brands[];
extern const char *const word_colors[];
extern const char *const word_sizes[];
extern const char *const word_volumes[];
extern const char *const word_adjectives[];
extern const char *const word_countries[];
extern const char *const word_allergens[];
extern const char *const word_tags[];
extern const char *const word_sentences[];
extern const char *const word_marking_groups[];

/* Returns how many words a list has. */
unsigned word_count(const char *const *list);
/* The word at `index`, which may be any: the list begins again behind its end. */
const char *word_at(const char *const *list, unsigned index);
