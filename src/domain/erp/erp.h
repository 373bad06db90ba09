/*
 * Packages that ERPs send (doc B, sections 2 "Event status record", 3 and 4; contract, section 5):
 * a snapshot of the catalog or a package of changes, known by its event id within an integration.
 * Lives in the exchange store.
 */
#pragma once

#include "domain/token/token.h"

enum erp_package_type { ERP_PACKAGE_SNAPSHOT, ERP_PACKAGE_DELTA };
extern const char *const erp_package_type_words[];

enum erp_package_status {
    ERP_PACKAGE_ACCEPTED, /* stored; waits for its turn */
    ERP_PACKAGE_PROCESSING,
    ERP_PACKAGE_APPLIED, /* final */
    ERP_PACKAGE_RETRY,   /* will be tried again by itself */
    ERP_PACKAGE_FAILED,  /* final, unless an operator has it tried again */
};
extern const char *const erp_package_status_words[];

/* What became of a package. */
struct erp_package {
    const char *event_id;
    int event_type; /* enum erp_package_type */
    int status;     /* enum erp_package_status */
    int64_t attempts;
    int64_t received_at;
    int64_t processed_at;   /* 0: not yet */
    const char *last_error; /* NULL: none */
};

/* For the ERP that sent it: whether its token may ask is checked first, with the errors of
 * token_authorize. ERR_NOT_FOUND: the integration has no such package. */
enum err erp_read_package(struct work *work, const struct token_claims *claims,
                          const struct uuid *integration_id, const char *event_id,
                          struct erp_package *ret_package) MUST_CHECK;

extern const struct record erp_package_record;
