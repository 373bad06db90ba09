/*
 * The service has two stores: verification, and exchange (workload clients, keys, all traffic with
 * ERPs). Embedded, each is a file with a writer of its own, so that neither waits for the other's
 * commits. On PostgreSQL one database has both, and each has connections of its own, so that
 * neither waits for the other's locks.
 */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"
#include "kit/base/metric.h"

extern const struct metric store_commit_seconds; /* by enum route_store */

/* Makes the vault with the keys of the settings. `why` says what is wrong. */
enum err stores_make_vault(const struct config *config, struct vault **ret_vault,
                           struct buf *why) MUST_CHECK;
/* Opens both, and checks that they are one pair (app/setup/store_pair.h) and that the vault is
 * theirs. `why` says what is wrong; call stores_close also after a failure. */
enum err stores_open(struct service *service, const struct config *config,
                     struct buf *why) MUST_CHECK;
/* Opens both for reads alone, also while other processes use them; nothing is made, locked or
 * changed. Checks the schemas and, of files, the pair; not the secret key, which
 * stores_check_key does. Call stores_close also after a failure. */
enum err stores_open_beside(struct service *service, const struct config *config,
                            struct buf *why) MUST_CHECK;
/* Checks that service->vault has the key that the stores were sealed with, without a write.
 * ERR_NOT_FOUND: nothing was sealed yet. */
enum err stores_check_key(const struct service *service) MUST_CHECK;
/* Finishes queued tasks, then closes; also where no store is open. */
void stores_close(struct service *service);

struct db *store_of(const struct service *service, enum route_store store);

/* Reads from the databases what may have changed since the last time: how values are to be sealed,
 * which it lets the vault do (app/setup/vault_db.h, app/setup/key_watch.h), and store time
 * (core/store_clock.h). It blocks. */
enum err stores_learn(const struct service *service) MUST_CHECK;

/* Makes a round trip to the exchange store. It blocks. */
enum err stores_ping_exchange(const struct service *service) MUST_CHECK;

/* Tells whether the files of an embedded service hold a value that was sealed with a secret key;
 * then a new key must not be made. It makes no file. */
enum err stores_are_sealed(const struct config *config, bool *ret_are_sealed,
                           struct buf *why) MUST_CHECK;

/* Does `herald migrate finish`: no process of herald 0.5.0 runs any more, so from now on values may
 * be sealed in a form that it cannot read, and the bodies of packages that it took and dropped are
 * counted. Writes a line on `out`. */
enum err stores_finish(const struct config *config, struct buf *out, struct buf *why) MUST_CHECK;

/* Gives the version of a store's schema, and the newest that this herald knows. It changes nothing.
 */
enum err stores_schema(const struct config *config, enum route_store store, int *ret_version,
                       int *ret_newest, struct buf *why) MUST_CHECK;

/* Does `herald migrate`: brings the schemas up to date if `apply`, else changes nothing. Writes a
 * line on `out` for each. `ret_are_current` says that no migration is left. */
enum err stores_migrate(const struct config *config, bool apply, struct buf *out,
                        bool *ret_are_current, struct buf *why) MUST_CHECK;
