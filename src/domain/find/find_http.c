/* The handlers of the search, which asks one store behind the other. */
#include "domain/find/find.h"

static const char *question(const struct request *rq)
{
    const struct find_query *query = rq->query;
    return arena_str(rq->work.arena, str_trim(str_of(query->q)));
}

enum err find_http_begin(struct request *rq)
{
    struct find_list *list = ARENA_NEW(rq->work.arena, struct find_list);
    const char *q = question(rq);

    if (!*q) return error_fault(rq, "q", "Must have more than blanks.");
    rq->gathered = list;
    return find_in_verification(&rq->work, q, list);
}

/* It may run twice, and begins with what the first store had each time. */
enum err find_http_end(struct request *rq)
{
    struct find_list list = *(const struct find_list *)rq->gathered;
    enum err err = find_in_exchange(&rq->work, question(rq), &list);
    if (!err) reply_record(rq, &list);
    return err;
}
