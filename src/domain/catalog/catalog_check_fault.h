/* Faults that the rules of a package find. The stream of the package tells them, with their places,
 * beside those that it finds itself. */
#pragma once

#include "domain/catalog/catalog_check.h"

/* An item of a list within the item at hand: {&variant, "option_groups", 2}. */
struct place {
    const struct place *parent; /* NULL: the item at hand */
    const char *list;
    size_t index;
    bool is_whole; /* the list itself */
};

/* A flaw says what is wrong, and has the value that is shown: a text, else a scalar, else an object
 * or list. */
struct flaw {
    const char *type, *message;
    const char *ctx; /* JSON, or NULL */
    const char *text;
    const struct scalar *scalar;
    const struct record *record;
    const void *value;              /* of `record` */
    const struct record_list *list; /* instead: of items of `record` */
};

/* Reports a fault of `field` in what stands at `place` (NULL: in the item at hand). It costs next
 * to nothing once there are more faults than are told. */
void catalog_check_fault(struct record_stream *stream, const struct place *place, const char *field,
                         const struct flaw *flaw);

/* Returns whether that field has a fault already; what only follows from it is not told. */
bool catalog_check_has_fault(const struct record_stream *stream, const struct place *place,
                             const char *field);
