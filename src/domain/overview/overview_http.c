/* The handlers of the operations that tell how all stands. */
#include "domain/overview/overview.h"

enum err overview_http_channels(struct request *rq)
{
    struct channel_status_list list;
    enum err err = overview_list_channels(&rq->work, &list.channels);
    if (!err) reply_record(rq, &list);
    return err;
}

enum err overview_http_read(struct request *rq)
{
    struct overview overview;
    enum err err = overview_read(&rq->work, &overview);
    if (!err) err = overview_read_troubles(&rq->work, &overview);
    if (!err) reply_record(rq, &overview);
    return err;
}

enum err overview_http_read_exchange(struct request *rq)
{
    struct exchange_overview overview;
    enum err err = exchange_overview_select(&rq->work, &overview);
    if (!err) reply_record(rq, &overview);
    return err;
}
