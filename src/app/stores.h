/*
 * The databases of the service: verification, and exchange (clients, keys, all that is exchanged
 * with ERPs). Embedded, each is a file with a writer of its own, so that neither waits for the
 * other's commits; on PostgreSQL both are one.
 */
#pragma once

#include "app/config.h"
#include "kit/route/request.h"

/* Opens both and checks that the vault is theirs. `why` says what is wrong; what was opened until
 * then stays for stores_close. */
enum err stores_open(struct service *service, const struct config *config,
                     struct buf *why) MUST_CHECK;
/* Finishes what is queued, then closes. Fine where nothing is open. */
void stores_close(struct service *service);

struct db *store_of(const struct service *service, enum route_store store);

/* A round trip to the exchange store, where it is a database of its own; blocks. */
enum err stores_ping_exchange(const struct service *service) MUST_CHECK;

/* `herald migrate`: brings the schemas up to date if `apply`; a line on `out` for each. */
enum err stores_migrate(const struct config *config, bool apply, struct buf *out,
                        struct buf *why) MUST_CHECK;
