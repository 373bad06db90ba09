/* The handler of the operation that pages through a chain. */
#include "domain/audit_chain/audit_chain.h"

enum route_store audit_http_choose_store(const struct request *rq)
{
    const struct audit_filter *filter = rq->query;
    return filter->store == STORE_EXCHANGE ? STORE_EXCHANGE : STORE_VERIFICATION;
}

enum err audit_http_list(struct request *rq)
{
    struct audit_list list;
    enum err err = audit_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}
