/* The operations of ERPs with an access token (doc B, section 4 "ERP to service"), and those of
 * operators on packages (contract, section 5). */
#pragma once

#include "core/request.h"

/* --- ERPs: rq->principal is a struct token_claims --- */

/* These three serve packages of either kind. */
extern const struct body_taker erp_package_taker;
extern const struct field erp_receive_headers[];
enum err erp_http_receive(struct request *rq) MUST_CHECK;

enum err erp_http_read_package(struct request *rq) MUST_CHECK;

/* --- Operators --- */

extern const struct record erp_package_list_query;
extern const struct record erp_all_packages_query; /* struct erp_package_filter */
enum err erp_http_list_all_packages(struct request *rq) MUST_CHECK;
enum err erp_http_list_packages(struct request *rq) MUST_CHECK;
enum err erp_http_show_package(struct request *rq) MUST_CHECK;
enum err erp_http_read_body(struct request *rq) MUST_CHECK;
enum err erp_http_list_refusals(struct request *rq) MUST_CHECK;
enum err erp_http_retry_package(struct request *rq) MUST_CHECK;
enum err erp_http_release_package(struct request *rq) MUST_CHECK;
