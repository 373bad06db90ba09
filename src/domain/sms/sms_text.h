/*
 * What an SMS says and how many parts it takes (doc A, section 1 (3); contract, section 2): the
 * code in the operator's language, the hash of Android's SMS Retriever, the line of WebOTP; one
 * part where possible. Pure: knows no database.
 */
#pragma once

#include "kit/base/arena.h"

enum sms_language { SMS_RUSSIAN, SMS_ENGLISH };

/* What texts of codes stand on: service->sms. */
struct sms_setup {
    enum sms_language language;
};

enum sms_alphabet { SMS_GSM7, SMS_UCS2 };

/* How a text goes over the air (3GPP TS 23.038). */
struct sms_size {
    enum sms_alphabet alphabet;
    int units; /* septets of GSM-7 (the extension table costs two), or 16-bit units of UCS-2 */
    int parts; /* 160 or 70 in one part; 153 or 67 in each of several */
};

/* `text` is valid UTF-8. */
struct sms_size sms_measure(const char *text);

/* The SMS with a code. `app_hash` (11 characters, or NULL) stands on a line of its own, `origin` (a
 * host, or NULL) on the last one, as WebOTP wants it. Where the language's wording would make a
 * second part and the code alone would not, the wording is left out. In the arena. */
const char *sms_code_text(struct arena *arena, enum sms_language language, const char *code,
                          const char *app_hash, const char *origin);
