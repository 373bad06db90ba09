/* A client sends a form to the token endpoint (RFC 6749, section 2.3.1 and appendix B). */
#pragma once

#include "domain/token/token.h"

enum { TOKEN_FORM_PARAMS_MAX = 50 };

/* Reads the two headers (NULL data: not given) and the body, whose size was limited when it came
 * in. ERR_INVALID_REQUEST: this is no form in UTF-8, a parameter is malformed or stands twice,
 * known or not, there are too many of them, two ways of authentication at once, or two client ids.
 * ERR_INVALID_CLIENT: the Authorization names no client. A member that is not given, or without a
 * value, stays NULL. Wipe the request once it has served. */
enum err token_form_read(struct str authorization, struct str content_type, struct str body,
                         struct arena *arena, struct token_request *ret_request) MUST_CHECK;
/* Zeroes the secret of a request. */
void token_form_wipe(const struct token_request *request);
