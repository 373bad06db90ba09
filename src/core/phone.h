/*
 * Phone numbers are written in E.164 (contract, section 1 "Phone numbers"). SIMs, calls and SMS
 * take those that HERALD_NUMBER_PREFIXES allows (by default +7 and ten digits); messengers take
 * all.
 */
#pragma once

#include "kit/json/record.h"

enum {
    PHONE_MAX = 16, /* a plus sign and 15 digits */
    PHONE_PREFIXES_MAX = 16,
    PHONE_RULE_MAX = 600,
};

/* The numbers that are allowed, as people and schemas are told. */
struct phone_rule {
    char pattern[PHONE_RULE_MAX]; /* ECMA-262 */
    char message[PHONE_RULE_MAX];
};
/* Set with the prefixes; nothing else writes it. */
extern struct phone_rule phone_rule;

/* Tells whether the text is a list of 1 to PHONE_PREFIXES_MAX prefixes such as "+7,+375". */
bool phone_is_prefix_list(struct str list);
#define PHONE_PREFIXES_ALLOWED                                                                    \
    "prefixes of numbers separated by commas, each a plus sign and 1 to 7 digits, such as +7 or " \
    "+7,+375"
/* Allows the numbers with the prefixes of this list and no others. Call it once at the start,
 * before there are threads. Numbers that begin with +7 have 11 digits, others 7 to 15. */
void phone_set_prefixes(struct str list);

/* Tells whether the number is allowed. */
bool phone_is_valid(struct str text);
/* Tells whether the text is a number at all. */
bool phone_is_e164(struct str text);

/* The same as forms of fields. */
extern const struct field_format format_phone; /* that HERALD_NUMBER_PREFIXES allows */
extern const struct field_format format_e164;  /* any phone number */

/* Reads any phone number in a spelling that people use: with spaces, dashes, dots and brackets; of
 * a Russian one also 8XXXXXXXXXX and 7XXXXXXXXXX; of others with 11 digits also 00 for the plus
 * sign, or none, since a URL may have made a space of it. Returns false for anything else. */
bool phone_read(struct str text, char ret_phone[static PHONE_MAX + 1]);
/* Returns what a phone told as a number if it reads as one, else NULL: words of others are in no
 * log. */
const char *phone_if_one(const char *text);
enum { PHONE_SPELLED_MAX = 40 }; /* characters of such a spelling */
extern const struct field_format format_spelled_phone;

/* Reads a number as a phone reports it: an allowed one, or 8XXXXXXXXXX and 7XXXXXXXXXX where
 * +7XXXXXXXXXX is allowed. Returns false for anything else. */
bool phone_normalize(struct str text, char ret_phone[static PHONE_MAX + 1]);
