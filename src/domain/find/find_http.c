/* The handlers of the search. */
#include "domain/find/find.h"

static enum err answer(struct request *rq, enum err err, const struct find_list *list)
{
    if (!err) reply_record(rq, list);
    return err;
}

static const char *question(const struct request *rq)
{
    const struct find_query *query = rq->query;
    return arena_str(rq->work.arena, str_trim(str_of(query->q)));
}

enum err find_http_verification(struct request *rq)
{
    struct find_list list;
    enum err err = find_in_verification(&rq->work, question(rq), &list);
    return answer(rq, err, &list);
}

enum err find_http_exchange(struct request *rq)
{
    struct find_list list;
    enum err err = find_in_exchange(&rq->work, question(rq), &list);
    return answer(rq, err, &list);
}
