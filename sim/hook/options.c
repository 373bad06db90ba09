/* The command line of the simulated receiver. Each option is one row of a table; the row is its
 * help as well. */
#include "options.h"

#include "kit/base/str.h"
#include "sim.h"
#include "sim/common/print.h"

#include <getopt.h>
#include <stdio.h>

#define AT(field) offsetof(struct options, field)

static const struct option_row {
    const char *name;
    size_t offset;        /* in struct options */
    const char *value;    /* what to give */
    const char *standard; /* the value where it is not given; NULL: none */
    const char *help;
    int64_t max; /* of a number; 0: it is a text */
} rows[] = {
    {"listen", AT(listen), "ADDRESS", "127.0.0.1:8094", "where it takes deliveries", 0},
    {"control", AT(control), "ADDRESS", "127.0.0.1:8095", "where the control API answers", 0},
    {"calls-file", AT(calls_file), "FILE", NULL, "append each delivery to FILE as a line of JSON",
     0},
    {"misbehave", AT(misbehave_percent), "PERCENT", "0", "so many deliveries are answered badly",
     100},
    {"seed", AT(seed), "NUMBER", "1", "which deliveries these are", INT32_MAX},
    {"tolerance-s", AT(tolerance_s), "SECONDS", "300",
     "a timestamp that is further off is not genuine; 0 takes any", INT32_MAX},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows, COLUMN = 26 };

static bool take(const struct option_row *row, const char *value, struct options *options)
{
    void *field = (char *)options + row->offset;
    long long number;

    if (row->max == 0) {
        *(const char **)field = value;
        return true;
    }
    if (!str_to_int64(str_of(value), &number) || number < 0 || number > row->max) return false;
    *(int64_t *)field = number;
    return true;
}

static void print_help(void)
{
    print_text("hook - a simulated receiver of webhooks (Standard Webhooks 1.0)\n"
               "\n"
               "  hook [options]\n"
               "\n"
               "Any path of its first port takes deliveries. It checks their signatures, records "
               "each of them, and answers 200, or as the control API on the second port tells it. "
               "Port 0 takes a free one; the first line on stdout says which. SIGTERM and SIGINT "
               "end it with exit status 0.\n"
               "\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s %s", rows[i].name, rows[i].value);
        print_row(left, COLUMN, rows[i].help);
    }
    puts("");
    print_routes(control_routes);
    behaviours_print();
    print_text("A record: id, verdict (genuine; forged: no signature is right; late: the timestamp "
               "is too far off; unsigned: a header is missing; unchecked: no secret was told), "
               "at_ms, webhook_id, headers, body, behaviour, claimed.\n");
}

static enum options_verdict wrong(const char *sentence)
{
    fprintf(stderr, "hook: %s See hook --help.\n", sentence);
    return OPTIONS_WRONG;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option known[ROW_COUNT + 2] = {0};
    int index, letter;

    *ret_options = (struct options){0};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        known[i] = (struct option){.name = rows[i].name, .has_arg = required_argument};
        if (rows[i].standard) take(&rows[i], rows[i].standard, ret_options);
    }
    known[ROW_COUNT].name = "help";
    while ((letter = getopt_long(argc, argv, "", known, &index)) == 0) {
        if (index == ROW_COUNT) {
            print_help();
            return OPTIONS_HELP;
        }
        if (!take(&rows[index], optarg, ret_options)) return wrong("A value is not usable.");
    }
    if (letter != -1 || optind < argc) return wrong("An argument is not understood.");
    return OPTIONS_RUN;
}
