/* The statements on workload clients and their secrets. */
#pragma once

#include "domain/integration/integration.h"

enum err client_insert(struct work *work, const struct workload_client *client) MUST_CHECK;
enum err client_count(struct work *work, const struct uuid *integration_id,
                      int64_t *ret_count) MUST_CHECK;
/* Reads a client without its secrets and, on PostgreSQL, holds its row until the end of the
 * transaction, against others that hold or change it. ERR_NOT_FOUND. */
enum err client_lock(struct work *work, const struct uuid *client_id,
                     struct workload_client *ret_client) MUST_CHECK;
/* Reads clients with their live secrets, in order of id: the first `limit` after `after`. */
enum err client_select_page(struct work *work, const struct uuid *integration_id,
                            const struct uuid *after, int64_t limit,
                            struct record_list *ret_clients) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err client_update_enabled(struct work *work, const struct uuid *client_id,
                               bool is_enabled) MUST_CHECK;

enum err client_secret_insert(struct work *work, const struct uuid *client_id,
                              const struct client_secret *secret, struct str hash) MUST_CHECK;
/* Reads the live secrets, as struct client_secret, in order of id. */
enum err client_secret_select(struct work *work, const struct uuid *client_id,
                              struct record_list *ret_secrets) MUST_CHECK;
enum err client_secret_set_expiry(struct work *work, const struct uuid *id,
                                  int64_t expires_at) MUST_CHECK;
/* Ends all secrets of the client but `kept` (nil: all). */
enum err client_secret_end_others(struct work *work, const struct uuid *client_id,
                                  const struct uuid *kept) MUST_CHECK;
/* ERR_NOT_FOUND: the client has no such secret. One that has ended already stays as it is. */
enum err client_secret_end(struct work *work, const struct uuid *client_id,
                           const struct uuid *id) MUST_CHECK;

/* Finds the client with a live secret of this hash. ERR_NOT_FOUND: there is none, or it or its
 * integration is disabled. */
enum err client_select_identity(struct work *work, struct str hash,
                                struct client_identity *ret_identity) MUST_CHECK;
