/* `herald admin audit` shows the newest records of both chains; `verify` and `export` read whole
 * chains. */
#pragma once

#include "app/admin/admin_service.h"

extern const struct record admin_audit_verify_flags;
extern const struct record admin_audit_export_flags;

/* Shows the newest records of both chains, or a page of one. */
int admin_audit_list(const struct admin_input *input, const struct admin_service *service,
                     struct arena *arena, struct buf *out, struct buf *why);
/* Recomputes every hash from the head to the anchor, and says in `out` what is wrong and where.
 * Returns the exit status: 0 where the chains are whole. */
int admin_audit_verify(const struct admin_input *input, const struct admin_service *service,
                       struct arena *arena, struct buf *out, struct buf *why);
/* Prints each record as a line of JSON, newest first. */
int admin_audit_export(const struct admin_input *input, const struct admin_service *service,
                       struct arena *arena, struct buf *out, struct buf *why);
