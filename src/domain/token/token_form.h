/* What a client sends to the token endpoint (RFC 6749, section 2.3.1 and appendix B). */
#pragma once

#include "domain/token/token.h"

enum { TOKEN_FORM_PARAMS_MAX = 50 };

/* Reads the two headers (NULL data: not given) and the body, which is bounded by whoever took it.
 * ERR_INVALID_REQUEST: no form in UTF-8, a parameter that is malformed or repeated, known or not,
 * too many of them, two ways of authentication at once, two client ids. ERR_INVALID_CLIENT: an
 * Authorization that names no client. What is not given stays NULL: so does what is given without a
 * value. The texts are in the arena: wipe the request once it has served. */
enum err token_form_read(struct str authorization, struct str content_type, struct str body,
                         struct arena *arena, struct token_request *ret_request) MUST_CHECK;
/* Zeroes the secret. */
void token_form_wipe(const struct token_request *request);
