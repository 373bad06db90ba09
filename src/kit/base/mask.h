/*
 * What a log shows of phone numbers: +7916***4567 #k3v9 (contract, section 2, rule 12, and section
 * 9.9). The mark behind the mask is a hash of the number under a key of the installation: the same
 * in every entry, so that two customers differ, and useless to who has not got the key. Of secrets
 * that stand in a text it shows "***" (contract, section 9.16).
 */
#pragma once

#include "kit/base/buf.h"

enum {
    MASK_KEY_LEN = 16,
    MASK_LEN_MAX = 18,
    MASK_GROWTH = 2,          /* of a text, at most */
    MASK_SECRETS_MAX = 4,     /* added */
    MASK_SECRET_LEN_MIN = 16, /* of one that is looked for */
};

/* For all marks of this process: call once at the start, before there are threads. Until then there
 * are none. */
void mask_set_key(const uint8_t key[static MASK_KEY_LEN]);
/* One that cannot be told by its looks: it is looked for in texts if it is of letters, digits, "-"
 * and "_". Call behind mask_set_key, also before there are threads. */
void mask_add_secret(struct str secret);

/* A number, in whatever spelling. Of what is none only the mark is shown: "*** #k3v9". */
void mask_number(struct str number, struct buf *out);

/* False, and quickly so, for nearly all texts: mask_text would copy such a one as it is. */
bool mask_may_hide(struct str text, bool hides_numbers);
/* A text of other people's. Hidden are words that hold what looks like a key, a client secret or a
 * token: "hs_" and its like with 43 characters behind, 32 characters or more that follow each other
 * as by chance, and secrets that were added. With `hides_numbers` also numbers, in whatever digits
 * and with whatever between them that is no letter: 10 digits or more, or 7 behind a plus sign.
 * UUIDs are none; nor are times, and addresses (IPv4) that are in a URL or of a private network,
 * with no other digits beside. */
void mask_text(struct str text, bool hides_numbers, struct buf *out);
