/* The statements on integrations; integration_read (integration.h) is another one. */
#pragma once

#include "domain/integration/integration.h"

enum err integration_insert(struct work *work, const struct integration *integration) MUST_CHECK;
/* Does as integration_read and, on PostgreSQL, holds the row until the end of the transaction,
 * against others that hold or change it. */
enum err integration_lock(struct work *work, const struct uuid *id,
                          struct integration *ret_integration) MUST_CHECK;
/* It says which integrations a list has. */
struct integration_wanted {
    int is_enabled; /* -1: any */
    bool has_id;    /* of `id`, its own or its point's */
    struct uuid id;
    const char *folded; /* part of its name, without regard to case (fold_text); NULL: any */
    int64_t looked_max; /* so many of the newest, newest first; 0: all, in order of id */
};
/* Reads at most `limit` behind `after`, or the newest. Names are looked at one after the other. */
enum err integration_select_page(struct work *work, const struct integration_wanted *wanted,
                                 const struct uuid *after, int64_t limit,
                                 struct record_list *ret_integrations) MUST_CHECK;
/* Fills `exchange` of each. */
enum err exchange_select(struct work *work, struct integration *integrations,
                         size_t count) MUST_CHECK;
/* Updates all but id, tenant, point and created_at. */
enum err integration_update(struct work *work, const struct integration *integration) MUST_CHECK;

/* Holds the point of the integration, for its environment, until the end of the transaction,
 * against others that make or enable one of it. Comes before the lock of any integration. */
enum err integration_point_hold(struct work *work,
                                const struct integration *integration) MUST_CHECK;
/* Finds the first other one that is enabled for the same point and environment. ERR_NOT_FOUND:
 * there is none. */
enum err integration_select_rival(struct work *work, const struct integration *integration,
                                  struct uuid *ret_id) MUST_CHECK;

/* Holds where the orders of all integrations go, until the end of the transaction, against others
 * that change that. Comes after all other locks of integrations. */
enum err integration_places_hold(struct work *work) MUST_CHECK;
/* Tells whether an enabled one of another environment has its orders sent to the place of those of
 * this one (erp_urls_meet). */
enum err integration_select_neighbour(struct work *work, const struct integration *integration,
                                      bool *ret_has_one) MUST_CHECK;

/* Two that are enabled for one point and environment. */
struct integration_rivals {
    struct uuid id, other_id;
    struct uuid tenant_id, point_id;
    const char *environment;
};
/* Reads at most `limit` pairs, as struct integration_rivals. */
enum err integration_select_rivals(struct work *work, int limit,
                                   struct record_list *ret_rivals) MUST_CHECK;
