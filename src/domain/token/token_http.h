/* Decode, call, reply: the identity service, and the operations on its keys. */
#pragma once

#include "core/request.h"

#define KEY_SET_PATH "/.well-known/jwks.json"

/* The headers that token_http_issue reads: Authorization and Content-Type. */
extern const struct field token_issue_headers[];

/* Needs the raw body, which is a form. */
enum err token_http_issue(struct request *rq) MUST_CHECK;
/* These two need no transaction. */
enum err token_http_key_set(struct request *rq) MUST_CHECK;
enum err token_http_metadata(struct request *rq) MUST_CHECK;
enum err token_http_list_keys(struct request *rq) MUST_CHECK;
enum err token_http_rotate_key(struct request *rq) MUST_CHECK;
