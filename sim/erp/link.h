/*
 * The ERP's line to the service: access tokens by client credentials (doc B, sections 4 and 5),
 * which all connections share and renew, and the three operations.
 */
#pragma once

#include "http.h"
#include "options.h"
#include "queue.h"
#include "tell.h"

struct tokens;

/* NULL: the file of the secret is not readable. The options are borrowed. */
struct tokens *tokens_new(const struct options *options, const struct teller *teller);
void tokens_free(struct tokens *tokens);

/* One connection. */
struct link;

/* NULL: libcurl does not start. All is borrowed. */
struct link *link_new(const struct options *options, struct tokens *tokens, int stop_fd);
void link_free(struct link *link);

struct link_answer {
    struct http_answer http;
    bool is_of_token;     /* it is the token endpoint's: no token, so nothing was sent */
    char status_word[32]; /* accepted, duplicate, applied ...; empty: none that can be read */
};

void link_answer_init(struct link_answer *answer);
void link_answer_done(struct link_answer *answer);

#define AUTO_LINK_ANSWER __attribute__((cleanup(link_answer_done))) struct link_answer

/* Sends a package; `attempt` counts from 1. Fills `answer`, which the caller has initialised. A
 * token that was refused is renewed once, and the call made again. */
void link_post(struct link *link, const struct package *package, struct str body, int64_t attempt,
               struct link_answer *answer);
/* Asks for the event status record. */
void link_read_status(struct link *link, const char *event_id, struct link_answer *answer);
