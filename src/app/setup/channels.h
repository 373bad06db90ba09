/* The channels as they were configured: which driver each has (contract, section 3). */
#pragma once

#include "app/setup/config.h"
#include "domain/channel/channel.h"

struct channels;

/* Reads the settings of the drivers. `why` says which setting is wrong. */
enum err channels_new(const struct config *config, struct channels **ret_channels,
                      struct buf *why) MUST_CHECK;
/* For struct service: by enum channel. */
const struct channel_setup *channels_setup(const struct channels *channels);
/* After db_close; NULL is fine. */
void channels_free(struct channels *channels);
