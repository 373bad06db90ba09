/*
 * The databases of the service: verification, and exchange (clients, keys, all that is exchanged
 * with ERPs). Embedded, each is a file with a writer of its own, so that neither waits for the
 * other's commits; on PostgreSQL both lie in one database, and each has connections of its own, so
 * that neither waits for the other's locks.
 */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

/* Opens both, checks that they are one pair (app/setup/store_pair.h) and that the vault is theirs.
 * `why` says what is wrong; what was opened until then stays for stores_close. */
enum err stores_open(struct service *service, const struct config *config,
                     struct buf *why) MUST_CHECK;
/* Finishes what is queued, then closes. Fine where nothing is open. */
void stores_close(struct service *service);

struct db *store_of(const struct service *service, enum route_store store);

/* Follows what the databases say of the form of sealed values, while that can change
 * (app/setup/vault_db.h); blocks. */
enum err stores_learn_forms(const struct service *service) MUST_CHECK;

/* A round trip to the exchange store; blocks. */
enum err stores_ping_exchange(const struct service *service) MUST_CHECK;

/* Whether anything in the files of an embedded service was sealed with a secret key: then a new key
 * must not be made. Makes no file. */
enum err stores_are_sealed(const struct config *config, bool *ret_are_sealed,
                           struct buf *why) MUST_CHECK;

/* `herald migrate finish`: no process of herald 0.5.0 runs any more, so that from now on all that
 * is sealed may have a form that it cannot read; and what it took in and dropped of packages is
 * counted. A line on `out`. */
enum err stores_finish(const struct config *config, struct buf *out, struct buf *why) MUST_CHECK;

/* `herald migrate`: brings the schemas up to date if `apply`, else changes nothing; a line on `out`
 * for each. `ret_are_current`: nothing is left to be applied. */
enum err stores_migrate(const struct config *config, bool apply, struct buf *out,
                        bool *ret_are_current, struct buf *why) MUST_CHECK;
