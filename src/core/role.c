/* A table says what is masked for which role (contract, section 10.2). */
#include "core/role.h"

const char *const role_words[] = {
    [ROLE_CORE] = "core",         [ROLE_VIEWER] = "viewer", [ROLE_SUPPORT] = "support",
    [ROLE_OPERATOR] = "operator", [ROLE_ADMIN] = "admin",   [ROLE_COUNT] = NULL,
};

/* The chat of a group has an id below 0, and a public channel has a name; neither is a person. */
static bool mask_person(struct str text, struct buf *out)
{
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '@')) return false;
    mask_number(text, out);
    return true;
}

/* The core system gave herald the numbers, and an admin may do everything. All others see which
 * records are of one customer, but not who that is. A viewer sees no number in words either; who
 * works with them needs them whole. */
struct json_masks role_masks(enum role role)
{
    static const struct json_masks masks[ROLE_COUNT] = {
        [ROLE_CORE] = {NULL, NULL},           [ROLE_VIEWER] = {mask_person, mask_words},
        [ROLE_SUPPORT] = {mask_person, NULL}, [ROLE_OPERATOR] = {mask_person, NULL},
        [ROLE_ADMIN] = {NULL, NULL},
    };
    return masks[role];
}
