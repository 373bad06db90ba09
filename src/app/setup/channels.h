/* The settings give each channel its driver (contract, section 3). */
#pragma once

#include "app/setup/config.h"
#include "domain/channel/channel.h"

struct channels;

/* Reads the settings of the drivers; `why` says which one is wrong. */
enum err channels_new(const struct config *config, struct channels **ret_channels,
                      struct buf *why) MUST_CHECK;
/* Returns the part for struct service, by enum channel. */
const struct channel_setup *channels_setup(const struct channels *channels);
/* Call it after db_close; takes NULL. */
void channels_free(struct channels *channels);
