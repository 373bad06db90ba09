/*
 * A log shows a phone number as +7916***4567 #k3v9 (contract, section 2, rule 15).
 * The mark behind the mask is a hash of the number under a key of the installation. It is the same
 * in every entry, so that two customers can be told apart, and useless without the key. What a text
 * is decides how it is read: a number, an id, or words that people wrote. A secret within an id or
 * words is shown as "***".
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"

enum {
    MASK_KEY_LEN = 16,
    MASK_LEN_MAX = 18,        /* a masked text is at most so much longer */
    MASK_GROWTH = 2,          /* a list of masked texts is at most so many times as long */
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

/* These write a text masked, or return false, with nothing written, if it may be shown as it is. A
 * secret is what looks like a key, a client secret or a token: "hs_" or its like with 43 characters
 * behind, 32 or more characters that follow each other as by chance, and the secrets that were
 * added. */
typedef bool (*mask_fn)(struct str text, struct buf *out);
bool mask_secrets(struct str text, struct buf *out);
/* An id stands whole, without its secrets, unless all of it reads as a phone number. */
bool mask_id(struct str text, struct buf *out);
/* Of words, a run of 7 or more digits, whatever single spaces, hyphens, dots or brackets stand
 * between, becomes "***" and its last two. */
bool mask_words(struct str text, struct buf *out);
/* Returns a text as `mask` shows it, in the arena if it is not `text` itself; NULL for NULL. */
const char *mask_text(mask_fn mask, const char *text, struct arena *arena);
