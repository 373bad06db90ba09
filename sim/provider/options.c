/*
 * The command line of the simulated providers. Each option is one row of a table; the row is its
 * help as well.
 */
#include "options.h"

#include "kit/base/str.h"

#include <getopt.h>
#include <stdio.h>

enum { NUMBER_MAX = 600 * 1000 };

#define AT(field) offsetof(struct options, field)

static const struct option_row option_rows[] = {
    {"listen", AT(listen), "ADDRESS", "127.0.0.1:8090", "where all providers answer", false},
    {"control", AT(control), "ADDRESS", "127.0.0.1:8091", "where the control API answers", false},
    {"calls-file", AT(calls_file), "FILE", NULL, "append each call to FILE as a line of JSON",
     false},
    {"gateway-token", AT(gateway_token), "TOKEN", "gateway-token", "Telegram Gateway: its token",
     false},
    {"bot-token", AT(bot_token), "TOKEN", "1000:bot-token", "Telegram bot: its token", false},
    {"ucaller-key", AT(ucaller_key), "KEY", "ucaller-key", "uCaller: the secret key", false},
    {"ucaller-service", AT(ucaller_service), "ID", "1000", "uCaller: the service id", false},
    {"sms-ru-id", AT(sms_ru_id), "ID", "sms-ru-id", "SMS.ru: api_id", false},
    {"unibell-key", AT(unibell_key), "KEY", "unibell-key", "Unibell: the AccessKey", false},
    {"plusofon-token", AT(plusofon_token), "TOKEN", "plusofon-token", "Plusofon: its token", false},
    {"plusofon-client", AT(plusofon_client), "ID", "10553", "Plusofon: the header Client", false},
    {"zvonok-key", AT(zvonok_key), "KEY", "zvonok-key", "Zvonok: public_key", false},
    {"zvonok-campaign", AT(zvonok_campaign), "ID", "1000", "Zvonok: campaign_id", false},
    {"smsc-login", AT(smsc_login), "LOGIN", "smsc-login", "SMSC: login", false},
    {"smsc-password", AT(smsc_password), "PASSWORD", "smsc-password", "SMSC: psw", false},
    {"settle-ms", AT(settle_ms), "MS", "200", "a message is delivered, a call placed after MS",
     true},
    {"report-retry-ms", AT(report_retry_ms), "MS", "1000",
     "a report that was not answered 200 is repeated after MS, doubling", true},
    {"http-callbacks", AT(takes_http_callbacks), NULL, NULL,
     "take callback URLs with http:// too; the real Gateway does not", false},
    {"report-to", AT(report_to), "URL", NULL,
     "send reports to scheme and host of URL, at the path of the callback URL", false},
    {"bot-limits", AT(limits_bot), NULL, NULL,
     "keep the bot's limits: 30 messages a second, one a second to a chat", false},
};

enum { OPTION_COUNT = sizeof option_rows / sizeof *option_rows };

static bool take(const struct option_row *row, const char *value, struct options *options)
{
    void *field = (char *)options + row->offset;
    long long number;

    if (!row->value) {
        *(bool *)field = true;
        return true;
    }
    if (!row->is_number) {
        *(const char **)field = value;
        return true;
    }
    if (!str_to_int64(str_of(value), &number) || number < 0 || number > NUMBER_MAX) return false;
    *(int64_t *)field = number;
    return true;
}

static struct options standard_options(void)
{
    struct options options = {0};

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_rows[i].standard) take(&option_rows[i], option_rows[i].standard, &options);
    }
    return options;
}

static enum options_verdict wrong(const char *sentence)
{
    fprintf(stderr, "provider: %s See provider --help.\n", sentence);
    return OPTIONS_WRONG;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option known[OPTION_COUNT + 2] = {0};
    int index;
    int letter;

    *ret_options = standard_options();
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        known[i].name = option_rows[i].name;
        known[i].has_arg = option_rows[i].value ? required_argument : no_argument;
    }
    known[OPTION_COUNT].name = "help";
    while ((letter = getopt_long(argc, argv, "", known, &index)) == 0) {
        if (index == OPTION_COUNT) {
            help_print(option_rows, OPTION_COUNT);
            return OPTIONS_HELP;
        }
        if (take(&option_rows[index], optarg, ret_options)) continue;
        fprintf(stderr, "provider: the value of --%s is not usable: %s\n", known[index].name,
                optarg);
        return OPTIONS_WRONG;
    }
    if (letter != -1 || optind < argc) return wrong("An argument is not understood.");
    return OPTIONS_RUN;
}
