/* The statements on integrations, one function each. */
#pragma once

#include "domain/client/client.h"

enum err integration_insert(struct work *work, const struct integration *integration) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err integration_select(struct work *work, const struct uuid *id,
                            struct integration *ret_integration) MUST_CHECK;
/* The same, and on PostgreSQL holds the row until the end of the transaction, against others who do
 * or change it. */
enum err integration_lock(struct work *work, const struct uuid *id,
                          struct integration *ret_integration) MUST_CHECK;
/* At most `limit` behind `after`, in order of id. */
enum err integration_select_page(struct work *work, const struct uuid *after, int limit,
                                 struct record_list *ret_integrations) MUST_CHECK;
/* All but id, tenant, point and created_at. */
enum err integration_update(struct work *work, const struct integration *integration) MUST_CHECK;
