/* Russian phone numbers in E.164: +7 and ten digits (contract, section 1). */
#pragma once

#include "kit/base/str.h"

enum { PHONE_LEN = 12 };

bool phone_is_valid(struct str text);

/* What a phone's telephony reports: also 8XXXXXXXXXX and 7XXXXXXXXXX. False if it is no number. */
bool phone_normalize(struct str text, char ret_phone[static PHONE_LEN + 1]);
