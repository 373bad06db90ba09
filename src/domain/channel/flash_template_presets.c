/*
 * These templates are ready. {key} is the provider's key or password, {service_id} the login,
 * client or campaign that goes with it. Lists of refusals hold what is known of the provider; any
 * other refusal is final: it is shown and never sent again.
 */
#include "domain/channel/flash_template.h"

#define TEXT(...) #__VA_ARGS__

/* clang-format off */

/* `ip` is the visitor's address; -1 says that there is none. Most refusals carry words only. */
static const char smsru[] = TEXT({
    "name": "smsru",
    "mode": "learn",
    "base_url": "https://sms.ru",
    "send": {
        "method": "GET",
        "path": "/code/call",
        "query": {"api_id": "{key}", "phone": "{phone_digits}", "ip": "-1"}
    },
    "success": {"pointer": "/status", "equals": "OK"},
    "id": "/call_id",
    "code": {"pointer": "/code"},
    "error": {
        "code": "/status_code",
        "text": "/status_text",
        "ours": ["200", "201", "300", "301", "302", "*api_id*", "*средств*"],
        "permanent": ["202", "207"],
        "rate_limited": ["230", "231", "232", "*лимит*"],
        "retryable": ["220", "*временно недоступ*"]
    }
});

/* `timeout` is in milliseconds: how long the phone may ring. An errorCode is a number of the
 * provider's own list, or the HTTP status. */
static const char unibell[] = TEXT({
    "name": "unibell",
    "mode": "give",
    "base_url": "https://api.unibell.ru",
    "send": {
        "method": "POST",
        "path": "/apps/flash/calls/flash",
        "headers": {"X-Authorization": "AccessKey {key}"},
        "json": {"number": "{phone_digits}", "code": "{code_int}", "timeout": 30000}
    },
    "id": "/requestId",
    "error": {
        "code": "/errorCode",
        "text": "/errorReason",
        "ours": ["1", "2", "5", "6", "401", "403"],
        "rate_limited": ["4", "429"]
    }
});

/* HTTP 200 with success: false is a refusal, too. */
static const char plusofon[] = TEXT({
    "name": "plusofon",
    "mode": "give",
    "base_url": "https://restapi.plusofon.ru",
    "send": {
        "method": "POST",
        "path": "/api/v1/flash-call/send",
        "headers": {"Authorization": "Bearer {key}", "Client": "{service_id}"},
        "json": {"phone": "{phone_digits}", "pin": "{code}"}
    },
    "success": {"pointer": "/success", "equals": "true"},
    "id": "/data/key",
    "error": {
        "text": "/message",
        "ours": ["*money*", "*funds*", "*средств*", "*баланс*"]
    }
});

/* The provider chooses the digits, as long as no phone_suffix is sent. */
static const char zvonok[] = TEXT({
    "name": "zvonok",
    "mode": "learn",
    "base_url": "https://zvonok.com",
    "send": {
        "method": "POST",
        "path": "/manager/cabapi_external/api/v1/phones/flashcall/",
        "form": {"public_key": "{key}", "campaign_id": "{service_id}", "phone": "{phone_e164}"}
    },
    "success": {"pointer": "/status", "equals": "ok"},
    "id": "/data/call_id",
    "code": {"pointer": "/data/pincode"},
    "error": {
        "text": "/data",
        "ours": ["*public_key*", "*ampaign*", "*money*", "*funds*", "*alance*"]
    }
});

/* The code has six digits, and the number that calls ends in the last four. */
static const char smsc[] = TEXT({
    "name": "smsc",
    "mode": "learn",
    "base_url": "https://smsc.ru",
    "send": {
        "method": "GET",
        "path": "/sys/send.php",
        "query": {
            "login": "{service_id}", "psw": "{key}", "phones": "{phone_digits}",
            "mes": "code", "call": "1", "fmt": "3"
        }
    },
    "id": "/id",
    "code": {"pointer": "/code", "last_4": true},
    "error": {
        "code": "/error_code",
        "text": "/error",
        "ours": ["2", "3", "4"],
        "permanent": ["6", "7", "8"],
        "rate_limited": ["9"]
    }
});

/* clang-format on */

const struct flash_preset flash_presets[] = {
    {"smsru", smsru},   {"unibell", unibell}, {"plusofon", plusofon},
    {"zvonok", zvonok}, {"smsc", smsc},       {NULL, NULL},
};
