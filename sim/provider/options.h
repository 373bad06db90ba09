/* The command line of the simulated providers. */
#pragma once

#include "sim/common/main.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
    const char *listen;  /* the providers */
    const char *control; /* the control API */
    const char *calls_file;

    const char *gateway_token;
    const char *bot_token;
    const char *ucaller_key;
    const char *ucaller_service;
    const char *sms_ru_id;
    const char *unibell_key;
    const char *plusofon_token;
    const char *plusofon_client;
    const char *zvonok_key;
    const char *zvonok_campaign;
    const char *smsc_login;
    const char *smsc_password;

    int64_t settle_ms;         /* until a message is delivered, a call placed */
    int64_t report_retry_ms;   /* until the first repeat of a report; doubles, 60 s at most */
    bool takes_http_callbacks; /* callback URLs may be http://, as on one machine */
    const char *report_to;     /* send reports there instead of to the URL's own host */
    bool limits_bot;           /* 30 messages a second, one a second to a chat */
};

/* The texts in `ret_options` are borrowed from `argv`. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret_options);

/* help.c: prints `options` rows and all that the tables of this program say of themselves. */
struct option_row {
    const char *name;
    size_t offset;        /* in struct options */
    const char *value;    /* what to give; NULL for a flag */
    const char *standard; /* the value where it is not given; NULL: none */
    const char *help;
    bool is_number;
};
void help_print(const struct option_row *rows, size_t count);
