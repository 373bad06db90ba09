/* Phone numbers: +7 and ten digits. A table-free check; no library knows less than it needs. */
#include "kit/base/phone.h"

static bool is_digits(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
    }
    return true;
}

bool phone_is_valid(struct str text)
{
    return text.len == PHONE_LEN && text.data[0] == '+' && text.data[1] == '7' &&
           is_digits(text.data + 2, 10);
}

bool phone_normalize(struct str text, char ret_phone[static PHONE_LEN + 1])
{
    if (phone_is_valid(text)) {
        memcpy(ret_phone, text.data, PHONE_LEN);
        ret_phone[PHONE_LEN] = '\0';
        return true;
    }
    if (text.len != 11 || (text.data[0] != '7' && text.data[0] != '8')) return false;
    if (!is_digits(text.data, text.len)) return false;
    ret_phone[0] = '+';
    ret_phone[1] = '7';
    memcpy(ret_phone + 2, text.data + 1, 10);
    ret_phone[PHONE_LEN] = '\0';
    return true;
}
