/* Drivers share this in making requests. No value can break out of its place: URLs are
 * percent-encoded, JSON is written by kit/json, and headers are asserted to be printable. */
#pragma once

#include "domain/channel/driver.h"
#include "kit/json/writer.h"

enum { REQUEST_MAX = 1024 * 1024 }; /* bytes of a URL or a body: far more than any has */

/* Begins a request, in which nothing is left of an earlier one but its route. `url` lives in the
 * arena. */
void request_begin(struct fetch *fetch, const char *method, const char *url);
void request_header(struct fetch *fetch, const char *name, const char *value);
/* Puts the header Authorization: Bearer. `suffix` follows the token; "" for none. */
void request_bearer(struct fetch *fetch, const struct secret *token, const char *suffix,
                    struct arena *arena);
/* Takes a copy of the body, which must have fitted its buf. */
void request_body(struct fetch *fetch, const char *media_type, const struct buf *body,
                  struct arena *arena);

/* Appends `value` percent-encoded: all but letters, digits, "-._~" and what `also_plain` lists. */
void request_escape(struct buf *out, struct str value, const char *also_plain);

/* Tells the digits of the recipient: 79161234567 of +79161234567. */
const char *request_phone_digits(const struct channel_content *content);

/* A JSON body is an object that request_json_end closes. */
struct request_json {
    struct buf body;
    struct json_writer writer;
};
void request_json_begin(struct request_json *json);
/* Does as request_body, and frees what request_json_begin took. */
void request_json_end(struct request_json *json, struct fetch *fetch, struct arena *arena);
