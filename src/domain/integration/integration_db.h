/* The statements on integrations, one function each. */
#pragma once

#include "domain/integration/client.h"

enum err integration_insert(struct work *work, const struct integration *integration) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err integration_select(struct work *work, const struct uuid *id,
                            struct integration *ret_integration) MUST_CHECK;
/* The same, and on PostgreSQL holds the row until the end of the transaction, against others who do
 * or change it. */
enum err integration_lock(struct work *work, const struct uuid *id,
                          struct integration *ret_integration) MUST_CHECK;
/* At most `limit` behind `after`, in order of id. */
enum err integration_select_page(struct work *work, const struct uuid *after, int64_t limit,
                                 struct record_list *ret_integrations) MUST_CHECK;
/* All but id, tenant, point and created_at. */
enum err integration_update(struct work *work, const struct integration *integration) MUST_CHECK;

/* Holds the point of the integration, for its environment, until the end of the transaction,
 * against others who make or enable one of it. Before the lock of any integration. */
enum err integration_point_hold(struct work *work,
                                const struct integration *integration) MUST_CHECK;
/* The first that is enabled for the same point and environment. ERR_NOT_FOUND: there is no other.
 */
enum err integration_select_rival(struct work *work, const struct integration *integration,
                                  struct uuid *ret_id) MUST_CHECK;

/* Holds where the orders of all integrations go, until the end of the transaction, against others
 * who change that. Behind all other locks of integrations. */
enum err integration_places_hold(struct work *work) MUST_CHECK;
/* Whether one of another environment has its orders sent to the place of those of this one
 * (erp_urls_meet). */
enum err integration_select_neighbour(struct work *work, const struct integration *integration,
                                      bool *ret_has_one) MUST_CHECK;

/* Two that are enabled for one point and environment. */
struct integration_rivals {
    struct uuid id, other_id;
    struct uuid tenant_id, point_id;
    const char *environment;
};
/* At most `limit` pairs, as struct integration_rivals. */
enum err integration_select_rivals(struct work *work, int limit,
                                   struct record_list *ret_rivals) MUST_CHECK;
