/* Operators read the audit of either store by this operation (contract, section 10.3). */
#include "app/api/routes.h"
#include "domain/audit_chain/audit_chain.h"

static const struct route rows[] = {
    {
        .method = "GET",
        .path = "/internal/v1/audit",
        .operation_id = "listAuditRecords",
        .role = ROLE_VIEWER,
        .tag = "Audit",
        .summary = "Read who changed what",
        .description = "A page of the chain of one store, newest first. Each record has a hash "
                       "over itself and the hash before it; `herald admin audit verify` proves "
                       "that none was changed, taken away or put in.",
        .choose_store = audit_http_choose_store,
        .query = &audit_filter_query,
        .reply_doc = "A page of records.",
        .reply = &audit_list_record,
        .handle = audit_http_list,
    },
};

const struct route_table routes_audit = {
    .store = STORE_VERIFICATION,
    ROUTE_ROWS(rows),
};
