/* Each option is one row of a table; the row is its help as well. */
#include "options.h"

#include "kit/base/macros.h"
#include "kit/base/str.h"
#include "sim/common/print.h"

#include <getopt.h>
#include <stdio.h>

enum option_kind { KIND_TEXT, KIND_COUNT, KIND_SECONDS, KIND_MS, KIND_FLAG, KIND_SIM, KIND_HELP };

#define AT(field) offsetof(struct options, field)

static const struct option_row {
    const char *name;
    enum option_kind kind;
    size_t offset; /* in struct options */
    const char *value;
    const char *help;
} option_rows[] = {
    {"url", KIND_TEXT, AT(url), "URL",
     "herald's address, such as http://127.0.0.1:8080/smsgate/v1"},
    {"code", KIND_TEXT, AT(code), "DIGITS", "the pairing code"},
    {"key", KIND_TEXT, AT(key), "KEY", "the key of the phone, in place of a code"},
    {"key-file", KIND_TEXT, AT(key_file), "FILE",
     "keep key and settings in FILE, and use them from there"},
    {"sim", KIND_SIM, 0, "+7...", "the number of a SIM, in the order of the slots; up to 3"},
    {"sms-file", KIND_TEXT, AT(sms_file), "FILE", "append each SMS to FILE as a line of JSON"},
    {"memory", KIND_TEXT, AT(memory_file), "FILE", "remember messages and their states in FILE"},
    {"ping-ms", KIND_MS, AT(ping_ms), "MS", "ask so often, whatever herald says"},
    {"hide-numbers", KIND_FLAG, AT(hides_numbers), NULL, "show no digits of the numbers"},
    {"google", KIND_FLAG, AT(has_google), NULL,
     "have Google's push, and so listen only if an earlier run was told to"},
    {"no-stream", KIND_FLAG, AT(has_no_stream), NULL, "do not listen for events"},
    {"lose-stream-ms", KIND_MS, AT(lose_stream_ms), "MS", "lose the stream each so often"},
    {"pull-twice", KIND_FLAG, AT(pulls_twice), NULL, "fetch messages twice in a row"},
    {"doze-ms", KIND_MS, AT(doze_ms), "MS", "sleep between fetching and sending"},
    {"clock-off-s", KIND_SECONDS, AT(clock_off_ms), "SECONDS",
     "have a clock that is ahead by that"},
    {"stuck", KIND_COUNT, AT(stuck_each), "N", "each Nth message stays Processed"},
    {"fail", KIND_COUNT, AT(fail_each), "N", "each Nth message is refused by the radio"},
    {"undelivered", KIND_COUNT, AT(undelivered_each), "N",
     "each Nth message is not delivered, the network says"},
    {"skip-sent", KIND_FLAG, AT(skips_sent), NULL, "go from Processed to Delivered"},
    {"die-at", KIND_TEXT, AT(die_at), "STEP",
     "end as if killed, behind the step pull, stored, memory, processed, air or sent"},
    {"help", KIND_HELP, 0, NULL, "print this"},
};

static void print_help(void)
{
    print_text("smsgate - a stand-in for the SMSGate app, against herald as its private server\n"
               "\n"
               "  smsgate --url URL --code DIGITS --sim +7... [options]\n"
               "\n"
               "It registers, or says which SIMs there are where --key-file has a key; listens for "
               "events, asks as often as herald said to an earlier run, prints each SMS instead of "
               "sending it, and says what became of it, as the app does. SIGTERM ends it with 0.\n"
               "\n");
    for (size_t i = 0; i < COUNT_OF(option_rows); i++) {
        char left[40];
        snprintf(left, sizeof(left), "--%s%s%s", option_rows[i].name,
                 option_rows[i].value ? " " : "", option_rows[i].value ? option_rows[i].value : "");
        print_row(left, 24, option_rows[i].help);
    }
    print_text("\n"
               "Exit status: 0 stopped or died as told; 1 herald refused the code or the key; 2 "
               "the command line is wrong.\n");
}

static bool parse_amount(const char *text, int64_t unit, int64_t *ret_amount)
{
    long long amount;

    if (!str_to_int64(str_of(text), &amount) || amount < -1000000 || amount > 1000000) return false;
    *ret_amount = amount * unit;
    return true;
}

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
    case KIND_SIM:
        if (options->sim_count == OPTION_SIMS_MAX) return false;
        options->sims[options->sim_count++] = value;
        return true;
    case KIND_HELP:
        return true;
    }
    return false;
}

static enum options_verdict wrong(const char *sentence)
{
    fprintf(stderr, "smsgate: %s See smsgate --help.\n", sentence);
    return OPTIONS_WRONG;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option known[COUNT_OF(option_rows) + 1] = {0};
    int index, letter;

    *ret_options = (struct options){0};
    for (size_t i = 0; i < COUNT_OF(option_rows); i++) {
        known[i].name = option_rows[i].name;
        known[i].has_arg = option_rows[i].value ? required_argument : no_argument;
    }
    while ((letter = getopt_long(argc, argv, "", known, &index)) == 0) {
        if (option_rows[index].kind == KIND_HELP) {
            print_help();
            return OPTIONS_HELP;
        }
        if (!take(&option_rows[index], optarg, ret_options)) return wrong("A value is no good.");
    }
    if (letter != -1 || optind < argc) return wrong("An argument is not understood.");
    if (!ret_options->url) return wrong("--url is missing.");
    if (!ret_options->code && !ret_options->key && !ret_options->key_file)
        return wrong("Give --code, --key or --key-file.");
    return OPTIONS_RUN;
}
