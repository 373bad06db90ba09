/* What may be asked about packages, and by whom. */
#include "domain/erp/erp.h"

#include "domain/erp/erp_db.h"

const char *const erp_package_type_words[] = {"snapshot", "delta", NULL};
const char *const erp_package_status_words[] = {"accepted", "processing", "applied",
                                                "retry",    "failed",     NULL};

enum err erp_read_package(struct work *work, const struct token_claims *claims,
                          const struct uuid *integration_id, const char *event_id,
                          struct erp_package *ret_package)
{
    struct integration integration;
    enum err err = token_authorize(work, claims, SCOPE_EVENTS_READ, integration_id, &integration);
    return err ? err : erp_package_select(work, integration_id, event_id, ret_package);
}
