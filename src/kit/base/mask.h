/*
 * A log shows a phone number as +7916***4567 #k3v9 (contract, section 2, rule 12, and section 9.9).
 * The mark behind the mask is a hash of the number under a key of the installation. It is the same
 * in every entry, so that two customers can be told apart, and useless without the key. A secret
 * within a text is shown as "***" (contract, section 9.16).
 */
#pragma once

#include "kit/base/buf.h"

enum {
    MASK_KEY_LEN = 16,
    MASK_LEN_MAX = 18,
    MASK_GROWTH = 2,          /* a masked text is at most so many times as long */
    MASK_SECRETS_MAX = 64,    /* those before a replacement count, too */
    MASK_SECRET_LEN_MIN = 16, /* a shorter secret is not looked for */
};

/* Sets the key of all marks of this process; before it no marks are shown. Call it once at the
 * start, before there are threads. */
void mask_set_key(const uint8_t key[static MASK_KEY_LEN]);
/* Adds a secret that has no look of its own; it is found in texts if it consists of letters,
 * digits,
 * "-" and "_". Call it behind mask_set_key, on one thread. Returns false if there are too many. */
bool mask_add_secret(struct str secret);

/* Writes a number, in whatever spelling, masked. Anything else becomes "***" and a mark. */
void mask_number(struct str number, struct buf *out);

/* Returns false, and quickly, for nearly all texts: mask_text would copy them as they are. */
bool mask_may_hide(struct str text, bool hides_numbers);
/* Writes a text by others, with "***" for each word that holds what looks like a key, a client
 * secret or a token: "hs_" or its like with 43 characters behind, 32 or more characters that follow
 * each other as by chance, and the secrets that were added. `hides_numbers` also masks numbers: 10
 * digits or more, or 7 behind a plus sign, in any script and with anything but letters between
 * them. UUIDs are no numbers; nor are times, and IPv4 addresses in a URL or of a private network,
 * if no other digits stand beside them. */
void mask_text(struct str text, bool hides_numbers, struct buf *out);
