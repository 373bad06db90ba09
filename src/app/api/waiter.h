/*
 * Some requests begin work that a worker does behind their transaction (route->recheck). Their
 * answers wait here for it, for a second at most: a thread looks again and again whether it is
 * done.
 */
#pragma once

#include "kit/http/server.h"

struct dispatch;
struct waiter;

struct waiter *waiter_start(void);
/* Answers at once what still waits, and ends. Comes before the stores are closed. NULL is fine. */
void waiter_stop(struct waiter *waiter);
/* Takes a request whose transaction is durable; it is answered by `deliver`, on its event thread.
 * Returns false if too many wait: then it is to be answered as it is. */
bool waiter_add(struct waiter *waiter, struct dispatch *ex,
                void (*deliver)(struct http_request *x)) MUST_CHECK;
