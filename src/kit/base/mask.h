/*
 * What a log shows of phone numbers: +7916***4567 #k3v9 (contract, section 2, rule 12, and section
 * 9.9). The mark behind the mask is a hash of the number under a key of the installation: the same
 * in every entry, so that two customers differ, and useless to who has not got the key.
 */
#pragma once

#include "kit/base/buf.h"

enum {
    MASK_KEY_LEN = 16,
    MASK_LEN_MAX = 18,
    MASK_GROWTH = 2, /* of a text, at most */
};

/* For all marks of this process: call once at the start, before there are threads. Until then there
 * are none. */
void mask_set_key(const uint8_t key[static MASK_KEY_LEN]);

/* A number, in whatever spelling. Of what is none only the mark is shown: "*** #k3v9". */
void mask_number(struct str number, struct buf *out);

/* False, and quickly so, for nearly all texts: mask_text would copy such a one as it is. */
bool mask_may_hold_number(struct str text);
/* A text of other people's, with the numbers in it masked, in whatever digits and groups: 10 digits
 * or more, or 7 behind a plus sign. UUIDs and addresses (IPv4) are none. */
void mask_text(struct str text, struct buf *out);
