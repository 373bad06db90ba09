/* Russian phone numbers in E.164: +7 and ten digits (contract, section 1). */
#pragma once

#include "kit/base/str.h"

enum { PHONE_LEN = 12, PHONE_MASKED_LEN = 12 };

bool phone_is_valid(struct str text);

/* What a phone's telephony reports: also 8XXXXXXXXXX and 7XXXXXXXXXX. False if it is no number. */
bool phone_normalize(struct str text, char ret_phone[static PHONE_LEN + 1]);

/* +79161234567 becomes +7916***4567; anything else becomes ***. */
void phone_mask(struct str phone, char ret_text[static PHONE_MASKED_LEN + 1]);
