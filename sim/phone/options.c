/*
 * The command line of the simulated phone. Each option is one row of a table; the row is its help
 * as well.
 */
#include "options.h"

#include "kit/base/str.h"
#include "sim/common/print.h"

#include <getopt.h>
#include <stdio.h>

enum { POLL_MS = 5000 }; /* doc A, section 8 */

enum option_kind {
    KIND_TEXT,
    KIND_COUNT,
    KIND_SECONDS,
    KIND_MS,
    KIND_FLAG,
    KIND_NUMBER,
    KIND_ACCOUNT,
    KIND_HELP
};

struct option_row {
    const char *name;
    enum option_kind kind;
    size_t offset; /* in struct options */
    const char *value;
    const char *help;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row option_rows[] = {
    {"url", KIND_TEXT, AT(url), "URL", "where herald answers, such as http://127.0.0.1:8080"},
    {"key", KIND_TEXT, AT(key), "KEY", "the key of this phone (hd_...)"},
    {"key-file", KIND_TEXT, AT(key_file), "FILE", "read the key from FILE instead"},
    {"number", KIND_NUMBER, 0, "+7...", "a number (SIM) of this phone; up to 8 times"},
    {"account", KIND_ACCOUNT, 0, "ID:MESSENGER",
     "a connected messenger account, such as shop-12:telegram; up to 16"},
    {"poll-s", KIND_SECONDS, AT(poll_ms), "SECONDS", "ask for tasks every SECONDS (default 5)"},
    {"poll-ms", KIND_MS, AT(poll_ms), "MS", "the same in milliseconds, for tests"},
    {"once", KIND_FLAG, AT(is_once), NULL,
     "ask once for each number and account, answer, and exit"},
    {"sms-file", KIND_TEXT, AT(sms_file), "FILE",
     "append each SMS and message to FILE as a line of JSON"},
    {"memory", KIND_TEXT, AT(memory_file), "FILE", "remember in FILE which tasks were sent"},
    {"vanish-after-claim", KIND_COUNT, AT(vanish_after_claim), "N",
     "exit in mid-lease: the Nth task is claimed and not sent"},
    {"vanish-after-send", KIND_COUNT, AT(vanish_after_send), "N",
     "exit in mid-lease: the Nth of them is sent and not reported"},
    {"answer-late", KIND_SECONDS, AT(answer_late_ms), "SECONDS",
     "report a result SECONDS after sending; what was sent before at once"},
    {"answer-twice", KIND_FLAG, AT(answers_twice), NULL, "report each result twice"},
    {"fail", KIND_COUNT, AT(fail_count), "N", "the first N sends fail and may be tried again"},
    {"fail-permanent", KIND_FLAG, AT(fails_for_good), NULL,
     "failed sends are final; all fail where --fail is not given"},
    {"delivered", KIND_FLAG, AT(reports_delivered), NULL,
     "report delivered after sent, for SMS too"},
    {"call", KIND_TEXT, AT(caller), "CALLER",
     "report an inbound call and exit; 'hidden' is a call without number"},
    {"gateway", KIND_TEXT, AT(gateway), "+7...", "the number of this phone that was called"},
    {"event-id", KIND_TEXT, AT(event_id), "ID", "the id of the call event (default: a new one)"},
    {"help", KIND_HELP, 0, NULL, "print this"},
};

enum { OPTION_COUNT = sizeof option_rows / sizeof *option_rows };

static void print_help(void)
{
    print_text("phone - a simulated phone of herald's fleet\n"
               "\n"
               "  phone --url URL --key KEY --number +7... [--account ID:MESSENGER] [options]\n"
               "  phone --url URL --key KEY --call CALLER --gateway +7... [--event-id ID]\n"
               "\n"
               "It asks herald for SMS tasks as the phone application does, prints each SMS "
               "instead of sending it, and reports the result. A task that it has sent before is "
               "not sent again; its result is reported again. Its messenger accounts it declares "
               "every 20 seconds, and it does the same with their messages. It registers nothing: "
               "the key, the numbers and the accounts are those of POST /internal/v1/devices. "
               "SIGTERM and SIGINT end it with exit status 0.\n"
               "\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char left[40];
        snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        print_row(left, 26, row->help);
    }
    print_text("\n"
               "Over https:// it trusts the certificates in the file that SSL_CERT_FILE names, or "
               "else the system's.\n");
    print_text("\n"
               "Exit status: 0 done, stopped or vanished as told; 1 herald refused the key or the "
               "call; 2 the command line is wrong.\n");
}

static bool parse_amount(const char *text, int64_t unit, int64_t *ret_amount)
{
    long long amount;

    if (!str_to_int64(str_of(text), &amount) || amount < 0 || amount > 1000000) return false;
    *ret_amount = amount * unit;
    return true;
}

/* The messenger stands behind the last colon: ids may hold some. */
static bool take_account(char *value, struct options *options)
{
    char *colon = strrchr(value, ':');

    if (!colon || colon == value || !colon[1]) return false;
    if (options->account_count == OPTION_ACCOUNTS_MAX) return false;
    *colon = '\0';
    options->accounts[options->account_count++] = (struct option_account){value, colon + 1};
    return true;
}

/* Takes one option into the options; false if its value is no good. */
static bool take(const struct option_row *row, char *value, struct options *options)
{
    void *field = (char *)options + row->offset;

    switch (row->kind) {
    case KIND_TEXT:
        *(const char **)field = value;
        return true;
    case KIND_FLAG:
        *(bool *)field = true;
        return true;
    case KIND_COUNT:
    case KIND_MS:
        return parse_amount(value, 1, field);
    case KIND_SECONDS:
        return parse_amount(value, 1000, field);
    case KIND_NUMBER:
        if (options->number_count == OPTION_NUMBERS_MAX) return false;
        options->numbers[options->number_count++] = value;
        return true;
    case KIND_ACCOUNT:
        return take_account(value, options);
    case KIND_HELP:
        return true;
    }
    return false;
}

static enum options_verdict wrong(const char *sentence)
{
    fprintf(stderr, "phone: %s See phone --help.\n", sentence);
    return OPTIONS_WRONG;
}

/* Checks what no single option can tell. */
static enum options_verdict check_whole(struct options *options)
{
    if (!options->url) return wrong("--url is missing.");
    if (!options->key == !options->key_file) return wrong("Give either --key or --key-file.");
    if (!options->caller != !options->gateway) return wrong("--call and --gateway go together.");
    if (!options->caller && options->number_count + options->account_count == 0)
        return wrong("--number or --account is missing.");
    if (options->poll_ms == 0) return wrong("The poll interval must be above 0.");
    if (options->fails_for_good && options->fail_count == 0) options->fail_count = INT64_MAX;
    return OPTIONS_RUN;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option known[OPTION_COUNT + 1] = {0};
    int index;
    int letter;

    *ret_options = (struct options){.poll_ms = POLL_MS};
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        known[i].name = option_rows[i].name;
        known[i].has_arg = option_rows[i].value ? required_argument : no_argument;
    }
    while ((letter = getopt_long(argc, argv, "", known, &index)) == 0) {
        if (option_rows[index].kind == KIND_HELP) {
            print_help();
            return OPTIONS_HELP;
        }
        if (take(&option_rows[index], optarg, ret_options)) continue;
        fprintf(stderr, "phone: the value of --%s is not usable: %s\n", known[index].name, optarg);
        return OPTIONS_WRONG;
    }
    if (letter != -1 || optind < argc) return wrong("An argument is not understood.");
    return check_whole(ret_options);
}
