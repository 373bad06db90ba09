/*
 * A package on its way in: its bytes are decoded, checked and packed as they arrive (contract,
 * section 5), and only what is packed is kept. That happens on the event thread of the request, a
 * piece at a time; what needs the whole body happens in the transaction.
 */
#pragma once

#include "core/route.h"
#include "domain/erp/erp.h"
#include "kit/pack/pack.h"

enum {
    /* Above it a body is large: packed by a thread beside, and counted (erp_gate.h). */
    ERP_BODY_LARGE = 256 * 1024,
    /* So is one that takes more memory than this while it is decoded: up to 20 bytes a byte. */
    ERP_MEMORY_LARGE = 1024 * 1024,
};

struct erp_intake;

/* Begins to take a package for this integration; `length` was announced, -1: nothing was.
 * ERR_OVERLOADED: it is one large body too many. `ending` is told if the place of a large one is
 * taken away later. */
enum err erp_intake_new(struct service *service, const struct uuid *integration_id,
                        enum erp_package_type type, int64_t length,
                        const struct body_ending *ending,
                        struct erp_intake **ret_intake) MUST_CHECK;
void erp_intake_free(struct erp_intake *intake);

enum erp_package_type erp_intake_type(const struct erp_intake *intake);

/* False: the rest will change nothing (the body is too long, one too many, or no JSON). */
bool erp_intake_take(struct erp_intake *intake, struct str bytes);
void erp_intake_end(struct erp_intake *intake);
/* True: nothing is known against the package, so the handler may begin with a writing transaction.
 */
bool erp_intake_is_clean(const struct erp_intake *intake);

/* --- What a refusal tells of it --- */

/* Bytes as announced, or as far as they came. */
int64_t erp_intake_length(const struct erp_intake *intake);
/* The event_id, if it was read so far; else NULL. */
const char *erp_intake_find_event_id(const struct erp_intake *intake);
/* Lists its first faults, as struct erp_refusal_fault in the arena. */
struct record_list erp_intake_list_faults(const struct erp_intake *intake, size_t max,
                                          struct arena *arena);

/* --- In the transaction: in the order of the contract --- */

/* ERR_PAYLOAD_TOO_LARGE; ERR_OVERLOADED: it turned out to be one large body too many, or there is
 * no memory for it (contract, section 5);
 * ERR_VALIDATION with `ret_detail`: it is no JSON. */
enum err erp_intake_check_form(struct erp_intake *intake, struct arena *arena,
                               const char **ret_detail) MUST_CHECK;
/* NULL: missing or no valid id, which is among the faults. */
const char *erp_intake_event_id(const struct erp_intake *intake);
/* ERR_VALIDATION with the faults as a JSON document, `{"detail":[...]}`, in the arena. May read the
 * body once more. `keeps_absent`: the integration says `absent: keep`. */
enum err erp_intake_check_content(struct erp_intake *intake, bool keeps_absent, struct arena *arena,
                                  const char **ret_detail) MUST_CHECK;
/* A package without faults, as it is stored. */
struct erp_body {
    struct str packed; /* lives as long as the intake */
    int64_t length;    /* bytes as sent */
    int64_t row_count; /* products and categories, or rows of prices and stock */
    int64_t generated_at;
    struct record_list warnings; /* of struct erp_warning */
};
struct erp_body erp_intake_body(struct erp_intake *intake);
