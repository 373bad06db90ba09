/* Decode, call, reply. */
#include "domain/erp/erp_http.h"

#include "domain/erp/erp.h"

enum err erp_http_read_package(struct request *rq)
{
    struct erp_package package;
    enum err err =
        erp_read_package(&rq->work, rq->principal, &rq->path_ids[0], rq->path_texts[0], &package);
    if (err) return err;
    reply_record(rq, &package);
    return ERR_OK;
}
