/* Operators read the audit of either store by this operation (contract, section 10.3). */
#include "core/request.h"
#include "domain/audit_chain/audit_chain.h"

static enum route_store choose_store(const struct request *rq)
{
    const struct audit_filter *filter = rq->query;
    return filter->store == STORE_EXCHANGE ? STORE_EXCHANGE : STORE_VERIFICATION;
}

static enum err handle_list(struct request *rq)
{
    struct audit_list list;
    enum err err = audit_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

/* --- Routes ----------------------------------------------------------------------------------- */

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
        .choose_store = choose_store,
        .query = &audit_filter_query,
        .reply_doc = "A page of records.",
        .reply = &audit_list_record,
        .handle = handle_list,
    },
};

const struct route_table audit_chain_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
