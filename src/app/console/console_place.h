/* This says where the console is (contract, section 18.1). */
#pragma once

#include "app/api/api.h"
#include "app/setup/config.h"

/* Lets the api serve the console at the addresses of the settings, or forgets these and tells why:
 * the usual one may be taken by another herald of this machine, which is no reason not to start. */
void console_choose(struct config *config, struct api *api);
/* Returns the URL that the first of its addresses has, of the `bound` ones of the server, in the
 * arena; NULL: there is no console. */
const char *console_find_url(const struct api *api, const char *bound, struct arena *arena);
