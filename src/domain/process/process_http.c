/* The handler of the operation that lists processes. */
#include "domain/process/process.h"

enum err process_http_list(struct request *rq)
{
    struct process_list list;
    enum err err = process_list(&rq->work, &list);
    if (!err) reply_record(rq, &list);
    return err;
}
