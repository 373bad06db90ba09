/* What the driver of Telegram Gateway and the reader of its reports share. */
#pragma once

#include "domain/channel/driver.h"

/* The progress by the word of a delivery status: sent; delivered or read; expired or revoked.
 * Without one (NULL), or with a word that is new, the send is accepted and its status pending. */
void gateway_read_progress(const char *word, struct channel_answer *ret_answer);
