/* The request that delivers an event (contract, section 13.3). */
#pragma once

#include "domain/webhook/webhook.h"

struct fetch;

enum {
    WEBHOOK_BODY_MAX = 20 * 1024,
    WEBHOOK_TIMEOUT_MS = 15 * 1000,
};

/* Makes the event of a test: it shows the endpoint itself. */
struct event_row webhook_test_event(const struct webhook_endpoint *endpoint,
                                    const struct webhook_delivery *delivery, struct arena *arena);
/* Fills the request, with all that it needs in the arena. False: the endpoint's secret cannot be
 * read, so it is not signed and must not go. */
bool webhook_fill_request(struct fetch *fetch, const struct service *service,
                          const struct webhook_endpoint *endpoint, const struct event_row *event,
                          struct arena *arena) MUST_CHECK;
