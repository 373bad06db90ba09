/* A fault is what can be wrong with a body: each one is a row of a table. */
#pragma once

#include "body.h"

/* The product that a fault is to hit. */
struct victim {
    const struct catalog *catalog;
    struct arena *arena;
    struct product *product;
};

struct fault {
    const char *name; /* as --fault calls it */
    unsigned types;   /* 1 << enum package_type, of those that can have it */
    const char *help;
    /* One of these: */
    void (*spoil_head)(struct body_head *head);
    void (*spoil_product)(const struct victim *victim); /* of the one in the middle */
    void (*spoil_row)(struct row *row);                 /* of the one in the middle of each list */
    bool (*spoil_text)(struct buf *body);               /* false: there is nothing to spoil */
};

/* NULL: there is none of this name for packages of this type. */
const struct fault *fault_find(const char *name, enum package_type type);
/* One line each. */
void fault_print_help(void);
