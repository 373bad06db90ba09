/*
 * A driver speaks to one provider (contract, section 3). It is a table of pure functions: one makes
 * the fetch, one reads what came of it. It opens no connection, knows no database and keeps no
 * state, so that every state and error of a provider can be tested as data.
 */
#pragma once

#include "core/service.h"
#include "kit/fetch/fetch.h"

/* A fetch ends in one of these, as far as the send is concerned. */
enum channel_outcome {
    OUTCOME_DONE,         /* the provider has it */
    OUTCOME_RATE_LIMITED, /* nothing was sent: wait as told, then again */
    OUTCOME_RETRYABLE,    /* nothing was sent, for a reason that may pass */
    OUTCOME_PERMANENT,    /* this recipient cannot be reached this way */
    OUTCOME_OURS,         /* credentials or balance: opens the circuit, nothing was sent */
    OUTCOME_UNKNOWN,      /* it may have been sent: never again by itself, unless deduplicated */
};

/* The provider tells how far a send has come. */
enum channel_progress { PROGRESS_ACCEPTED, PROGRESS_SENT, PROGRESS_DELIVERED, PROGRESS_FAILED };

/* A send carries this to the provider. */
struct channel_content {
    struct uuid send_id;     /* the provider's idempotency key, where it takes one */
    int64_t now_ms;          /* for a provider that wants the time of the request */
    const char *recipient;   /* +79161234567; NULL for a bot */
    const char *chat_id;     /* of a bot: digits (with '-') or @name; NULL otherwise */
    const char *code;        /* the code to give; NULL for a message, or if the provider chooses */
    const char *text;        /* of a message; NULL for a code */
    int64_t ttl_s;           /* how long the code is good for */
    const char *provider_id; /* of an earlier fetch for this send; NULL: none yet */
};

/* An answer of the provider is read into this. Texts lie in the arena, and hold no secret. */
struct channel_answer {
    enum channel_outcome outcome;
    enum channel_progress progress; /* of OUTCOME_DONE */
    const char *provider_id;        /* the provider's id of the send; NULL: none */
    const char *learned_code;       /* the code that the provider chose; NULL: ours */
    const char *error;              /* herald's own word for what failed; NULL: nothing did */
    const char *words;              /* of the provider, for people (said_keep); NULL: it has none */
    int64_t wait_ms;                /* of OUTCOME_RATE_LIMITED and RETRYABLE; 0: not told */
    bool is_pending;                /* of a status: ask again later */
    bool is_unsent;                 /* of a status: under this id nothing went out */
};

/* A driver reaches its provider by these, which are made of its settings. */
struct driver_config {
    const char *base_url; /* without a slash at the end; NULL: the template's (flash_template) */
    const struct secret *token; /* visible ASCII; NULL: a template that uses no {key} */
    const char *service_id;     /* ucaller, flash_template: visible ASCII; NULL */
    const char *callback_url;   /* telegram_gateway; NULL: no reports */
    const char *sender;         /* telegram_gateway sender_username; NULL */
    bool is_checking;           /* first ask whether the recipient can be reached (make_check) */
    const struct flash_template *template; /* flash_template */
    struct fetch_route route;
};

struct channel_driver {
    const char *name; /* "ucaller" */
    /* A repeat with the same send_id is one send: an unknown outcome may be sent again. */
    bool is_deduplicating;
    bool chooses_code;      /* the provider chooses the code and tells it: content->code is NULL */
    int code_min, code_max; /* of the codes it takes, such as 0001 to 9999; max 0: all */
    bool tells_key_by_status; /* make_status costs nothing, and of a send that it does not know its
                                 answer tells whether the credentials are good */
    int calls_per_s;          /* the pace that the provider allows in all; 0: not told */

    /* Fills method, url, headers and body of `fetch`, in the memory of the arena. */
    void (*make_send)(const struct driver_config *config, const struct channel_content *content,
                      struct arena *arena, struct fetch *fetch);
    /* Reads a fetch that has ended, with whatever end. */
    void (*read_send)(const struct driver_config *config, const struct fetch *fetch,
                      struct arena *arena, struct channel_answer *ret_answer);
    /* Asks for the state of a send by content->provider_id. NULL: the provider has none to tell. */
    void (*make_status)(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch);
    void (*read_status)(const struct driver_config *config, const struct fetch *fetch,
                        struct arena *arena, struct channel_answer *ret_answer);
    /* These take a send back after a cancel, and tell of the right code after success. They are
     * best effort: the answer is not looked at. NULL: there is no such thing. */
    void (*make_revoke)(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch);
    void (*make_success)(const struct driver_config *config, const struct channel_content *content,
                         struct arena *arena, struct fetch *fetch);
    /* Asks whether the recipient can be reached. read_send reads the answer, whose provider_id a
     * send then carries: by it make_status shows afterwards whether that send went out. NULL: there
     * is no such fetch. */
    void (*make_check)(const struct driver_config *config, const struct channel_content *content,
                       struct arena *arena, struct fetch *fetch);
    /* Asks whether the credentials are good; read_send reads the answer. NULL: there is no such
     * fetch. */
    void (*make_probe)(const struct driver_config *config, struct arena *arena,
                       struct fetch *fetch);
};

extern const struct channel_driver driver_telegram_gateway;
extern const struct channel_driver driver_telegram_bot;
extern const struct channel_driver driver_ucaller;
extern const struct channel_driver driver_flash_template; /* its flags stand in the template */

/* Telegram Gateway posts signed delivery reports to our callback. */
struct telegram_gateway_report {
    const char *request_id;
    struct uuid send_id; /* of the payload that we sent along; nil: none */
    struct channel_answer answer;
};
extern const struct record telegram_gateway_delivery_record; /* its body */
enum { TELEGRAM_GATEWAY_REPORT_AGE_MAX_MS = 5 * 60 * 1000 };
/* Checks and reads a report. ERR_UNAUTHORIZED: the signature is wrong or the timestamp too old, or
 * too far ahead. ERR_VALIDATION: it is signed, but is no report. */
enum err telegram_gateway_report_read(const struct driver_config *config, struct str timestamp,
                                      struct str signature, struct str body, int64_t now_ms,
                                      struct arena *arena,
                                      struct telegram_gateway_report *ret_report) MUST_CHECK;
/* Reads the progress out of the word of a delivery status: sent; delivered or read; expired or
 * revoked. Without one (NULL), or with a word that is new, the send is accepted and its status
 * pending. */
void telegram_gateway_read_progress(const char *word, struct channel_answer *ret_answer);

/* A template makes any other flash-call provider a driver, by configuration
 * (docs/flash-call-providers.md). */
struct flash_template;
/* Reads a preset by its name (smsru, unibell, plusofon, zvonok, smsc), or a JSON text. `why` says
 * what is wrong and where. The template lives in the arena. */
enum err flash_template_read(const char *name_or_json, struct arena *arena,
                             const struct flash_template **ret_template,
                             struct buf *why) MUST_CHECK;
/* Makes the driver that the template describes, with its flags and codes. */
const struct channel_driver *flash_template_driver(const struct flash_template *template);
/* Tells whether a template holds a placeholder, such as "key" or "service_id": then that setting is
 * needed. */
bool flash_template_uses(const struct flash_template *template, const char *placeholder);
