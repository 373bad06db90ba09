/* What is masked for which role is a table (contract, section 10.2). */
#include "core/role.h"

#include "kit/base/mask.h"

const char *const role_words[] = {
    [ROLE_CORE] = "core",         [ROLE_VIEWER] = "viewer", [ROLE_SUPPORT] = "support",
    [ROLE_OPERATOR] = "operator", [ROLE_ADMIN] = "admin",   [ROLE_COUNT] = NULL,
};

/* The core system gave herald the numbers, and an admin may do everything. All others see which
 * records are of one customer, but not who that is. */
static const bool sees_personal[ROLE_COUNT] = {
    [ROLE_CORE] = true,      [ROLE_VIEWER] = false, [ROLE_SUPPORT] = false,
    [ROLE_OPERATOR] = false, [ROLE_ADMIN] = true,
};

/* The chat of a group has an id below 0, and a public channel has a name; neither is a person. */
static bool mask_person(struct str text, struct buf *out)
{
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '@')) return false;
    mask_number(text, out);
    return true;
}

role_mask_fn role_mask(enum role role)
{
    return sees_personal[role] ? NULL : mask_person;
}
