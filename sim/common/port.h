/*
 * The port on which a simulator plays its part. The control API can have it go down, which a client
 * sees as a server that died, and come up again at the same address.
 */
#pragma once

#include "server.h"

/* None of them under the lock. */

/* Starts listening, for the first time or again; false after a sentence on stderr. */
bool port_open(struct server *server);
/* Nobody listens from now on, and what was open is cut. Not from a loop of the port itself. */
void port_close(struct server *server);
/* No timer brings it up again: before the control API stops. */
void port_retire(struct server *server);

/* The route /_control/up, as a reset ends with it. */
int port_go_up(struct control_request *request);
/* /_control/down, up and health. */
extern const struct route port_routes[];
