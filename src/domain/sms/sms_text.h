/*
 * The text of an SMS, and how many parts it takes (doc A, section 1 (3); contract, section 2): it
 * has the code in the operator's language, the hash of Android's SMS Retriever and the line of
 * WebOTP, and is one part where possible. Nothing here knows a database.
 */
#pragma once

#include "kit/base/arena.h"

enum sms_language { SMS_RUSSIAN, SMS_ENGLISH };

/* service->sms has what texts of codes stand on. */
struct sms_setup {
    enum sms_language language;
};

enum sms_alphabet { SMS_GSM7, SMS_UCS2 };

/* A text goes over the air in units and parts (3GPP TS 23.038). */
struct sms_size {
    enum sms_alphabet alphabet;
    int units; /* septets of GSM-7 (the extension table costs two), or 16-bit units of UCS-2 */
    int parts; /* 160 or 70 in one part; 153 or 67 in each of several */
};

/* Measures a text, which is valid UTF-8. */
struct sms_size sms_measure(const char *text);

/* Makes the SMS with a code, in the arena. `app_hash` (11 characters, or NULL) stands on a line of
 * its own, `origin` (a host, or NULL) on the last one, as WebOTP wants it. Where the language's
 * wording would make a second part and the code alone would not, the wording is left out. */
const char *sms_code_text(struct arena *arena, enum sms_language language, const char *code,
                          const char *app_hash, const char *origin);
