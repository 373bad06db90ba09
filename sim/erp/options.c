/*
 * The command line of the simulated ERP. Verbs and options are rows of tables; a row is the help
 * as well, and says which verbs take it and which variable of the environment stands in for it.
 */
#include "options.h"

#include "body.h"
#include "fault.h"
#include "kit/base/str.h"
#include "serve.h"
#include "sim/common/print.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECTIONS_MAX = 256, REPEATS_MAX = 10000, PACKAGES_MAX = 100000 };

/* --- Verbs ------------------------------------------------------------------------------------ */

enum {
    PRINTS = 1 << VERB_SNAPSHOT | 1 << VERB_CHANGES,
    PUSHES = 1 << VERB_PUSH_SNAPSHOT | 1 << VERB_PUSH_CHANGES | 1 << VERB_PUSH_QUEUE,
    RUNS = 1 << VERB_RUN,
    SERVES = 1 << VERB_SERVE,
    MAKES = PRINTS | 1 << VERB_PUSH_SNAPSHOT | 1 << VERB_PUSH_CHANGES | RUNS,
    MAKES_ONE = MAKES & ~RUNS,
    SNAPSHOTS = 1 << VERB_SNAPSHOT | 1 << VERB_PUSH_SNAPSHOT | RUNS,
    CHANGES = 1 << VERB_CHANGES | 1 << VERB_PUSH_CHANGES | RUNS,
};

static const struct {
    const char *words[2]; /* the second may be missing */
    const char *help;
} verb_rows[] = {
    [VERB_SNAPSHOT] = {{"snapshot"}, "print the body of a snapshot"},
    [VERB_CHANGES] = {{"changes"}, "print the body of a package of changes"},
    [VERB_PUSH_SNAPSHOT] = {{"push", "snapshot"}, "send a snapshot, see it applied"},
    [VERB_PUSH_CHANGES] = {{"push", "changes"}, "send packages of changes, see them applied"},
    [VERB_PUSH_QUEUE] = {{"push", "queue"}, "send what was left in the queue"},
    [VERB_RUN] = {{"run"}, "a snapshot, then changes every few seconds, until stopped"},
    [VERB_SERVE] = {{"serve"}, "take orders, until stopped: see below"},
};

enum { VERB_COUNT = sizeof(verb_rows) / sizeof(verb_rows[0]) };

/* Returns how many arguments the verb takes up; 0: there is none. */
static int find_verb(int argc, char **argv, enum verb *ret_verb)
{
    for (int i = 0; i < VERB_COUNT; i++) {
        const char *const *words = verb_rows[i].words;
        if (argc < 2 || strcmp(argv[1], words[0]) != 0) continue;
        *ret_verb = (enum verb)i;
        if (!words[1]) return 1;
        if (argc > 2 && strcmp(argv[2], words[1]) == 0) return 2;
    }
    return 0;
}

/* --- Options ---------------------------------------------------------------------------------- */

enum option_group {
    GROUP_MADE,
    GROUP_LINK,
    GROUP_SENDING,
    GROUP_MISBEHAVIOUR,
    GROUP_LOOP,
    GROUP_SERVE
};

enum option_kind { KIND_TEXT, KIND_NUMBER, KIND_SHARE, KIND_SECONDS, KIND_FLAG };

struct option_row {
    enum option_group group; /* in the help */
    const char *name;
    enum option_kind kind;
    size_t offset; /* in struct options */
    unsigned verbs;
    const char *value;
    const char *standard; /* what holds unless given; NULL: nothing */
    int64_t min, max;     /* of a number, of seconds */
    const char *variable; /* of the environment; NULL: none */
    const char *help;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row option_rows[] = {
    {GROUP_MADE, "seed", KIND_NUMBER, AT(seed), MAKES | SERVES, "N", "1", 0, INT32_MAX, NULL,
     "which catalog: the same seed gives the same bytes; of serve, which misbehaviours"},
    {GROUP_MADE, "products", KIND_NUMBER, AT(product_count), MAKES, "N", "100", 1,
     CATALOG_PRODUCTS_MAX, NULL, "how many products; 15000 are 25 MB"},
    {GROUP_MADE, "bytes", KIND_NUMBER, AT(bytes), MAKES, "N", "0", 0, BODY_MAX, NULL,
     "lengthen the descriptions until it has N bytes (default: as it comes)"},
    {GROUP_MADE, "change-seed", KIND_NUMBER, AT(change_seed), MAKES, "N", "0", 0, INT32_MAX, NULL,
     "another day: prices and names differ, products came or went (default: none)"},
    {GROUP_MADE, "change-share", KIND_SHARE, AT(change_ppm), MAKES, "SHARE", "0.01", 0, 0, NULL,
     "the part of the products that differ then (default 0.01)"},
    {GROUP_MADE, "event-id", KIND_TEXT, AT(event_id), MAKES_ONE, "ID", NULL, 0, 0, NULL,
     "the id of the package; of several, followed by their numbers"},
    {GROUP_MADE, "fault", KIND_TEXT, AT(fault), MAKES_ONE, "NAME", NULL, 0, 0, NULL,
     "something is wrong with the body: see below"},
    {GROUP_MADE, "rows", KIND_NUMBER, AT(row_count), CHANGES, "N", "100", 0,
     2 * (int64_t)BODY_ROWS_MAX, NULL,
     "rows of a package of changes, half of them prices, half stock"},
    {GROUP_MADE, "prices", KIND_NUMBER, AT(price_count), CHANGES, "N", NULL, 0, BODY_ROWS_MAX, NULL,
     "so many are prices; without --stocks, all are"},
    {GROUP_MADE, "stocks", KIND_NUMBER, AT(stock_count), CHANGES, "N", NULL, 0, BODY_ROWS_MAX, NULL,
     "so many are stock; without --prices, all are"},
    {GROUP_MADE, "number", KIND_NUMBER, AT(number), CHANGES, "N", "1", 0, INT32_MAX, NULL,
     "which rows, with which values; the next package has the next number"},
    {GROUP_MADE, "packages", KIND_NUMBER, AT(package_count), 1 << VERB_PUSH_CHANGES, "N", "1", 1,
     PACKAGES_MAX, NULL, "how many packages of changes"},

    {GROUP_LINK, "base-url", KIND_TEXT, AT(base_url), PUSHES | RUNS, "URL", NULL, 0, 0,
     "ERP_BASE_URL", "the service, such as http://127.0.0.1:8080"},
    {GROUP_LINK, "token-url", KIND_TEXT, AT(token_url), PUSHES | RUNS, "URL", NULL, 0, 0,
     "ERP_TOKEN_URL", "where tokens are issued (default: there, /v1/oauth/token)"},
    {GROUP_LINK, "integration-id", KIND_TEXT, AT(integration_id), PUSHES | RUNS, "UUID", NULL, 0, 0,
     "ERP_INTEGRATION_ID", "the integration of the sales point"},
    {GROUP_LINK, "client-id", KIND_TEXT, AT(client_id), PUSHES | RUNS, "ID", NULL, 0, 0,
     "ERP_CLIENT_ID", "its workload client"},
    {GROUP_LINK, "client-secret", KIND_TEXT, AT(client_secret), PUSHES | RUNS, "SECRET", NULL, 0, 0,
     "ERP_CLIENT_SECRET", "the secret of the client"},
    {GROUP_LINK, "client-secret-file", KIND_TEXT, AT(client_secret_file), PUSHES | RUNS, "FILE",
     NULL, 0, 0, "ERP_CLIENT_SECRET_FILE", "read it from FILE"},
    {GROUP_LINK, "scope", KIND_TEXT, AT(scope), PUSHES | RUNS, "WORDS",
     "erp.catalog.write erp.changes.write erp.events.read", 0, 0, NULL,
     "what the token is for (default: all three)"},

    {GROUP_SENDING, "queue", KIND_TEXT, AT(queue), PUSHES | RUNS, "FOLDER", "erp-queue", 0, 0, NULL,
     "keeps packages until they are applied; made if missing"},
    {GROUP_SENDING, "report", KIND_TEXT, AT(report), PUSHES | RUNS, "FILE", NULL, 0, 0, NULL,
     "append what happens to FILE as lines of JSON"},
    {GROUP_SENDING, "hurry", KIND_NUMBER, AT(hurry), PUSHES | RUNS, "N", "1", 1, 100000, NULL,
     "the waits between attempts are N times shorter, for tests"},
    {GROUP_SENDING, "timeout-s", KIND_SECONDS, AT(timeout_ms), PUSHES | RUNS, "SECONDS", "60", 1,
     86400, NULL, "of a request"},
    {GROUP_SENDING, "give-up-s", KIND_SECONDS, AT(give_up_ms), PUSHES, "SECONDS", "0", 0, 864000,
     NULL, "end with status 3 after so long (default: never)"},
    {GROUP_SENDING, "no-watch", KIND_FLAG, AT(does_not_watch), PUSHES, NULL, NULL, 0, 0, NULL,
     "end when all is delivered; do not ask whether it was applied"},

    {GROUP_MISBEHAVIOUR, "repeat", KIND_NUMBER, AT(repeat_count), PUSHES, "N", "1", 1, REPEATS_MAX,
     NULL, "send each package N times"},
    {GROUP_MISBEHAVIOUR, "connections", KIND_NUMBER, AT(connection_count), PUSHES, "N", "1", 1,
     CONNECTIONS_MAX, NULL, "send over N connections at once"},
    {GROUP_MISBEHAVIOUR, "reorder", KIND_NUMBER, AT(order_seed), PUSHES, "SEED", "0", 0, INT32_MAX,
     NULL, "send in another order (default: in order)"},
    {GROUP_MISBEHAVIOUR, "break", KIND_NUMBER, AT(break_count), PUSHES, "N", "0", 0, REPEATS_MAX,
     NULL, "the first N attempts of a package break off in its middle (default: none)"},
    {GROUP_MISBEHAVIOUR, "break-percent", KIND_NUMBER, AT(break_percent), PUSHES, "N", "50", 0, 99,
     NULL, "so far behind its beginning"},
    {GROUP_MISBEHAVIOUR, "slow", KIND_NUMBER, AT(bytes_per_s), PUSHES, "N", "0", 0, INT32_MAX, NULL,
     "send N bytes a second (default: as fast as it goes)"},
    {GROUP_MISBEHAVIOUR, "wrong-key", KIND_FLAG, AT(has_wrong_key), PUSHES, NULL, NULL, 0, 0, NULL,
     "send an Idempotency-Key that is not the event id"},

    {GROUP_LOOP, "every-s", KIND_SECONDS, AT(pause_ms), RUNS, "SECONDS", "3", 1, 86400, NULL,
     "between two packages of changes"},
    {GROUP_LOOP, "snapshot-every-s", KIND_SECONDS, AT(snapshot_pause_ms), RUNS, "SECONDS", "0", 0,
     864000, NULL, "another snapshot, of the next change seed (default: only the first)"},

    {GROUP_SERVE, "listen", KIND_TEXT, AT(listen), SERVES, "ADDRESS", "127.0.0.1:8092", 0, 0, NULL,
     "where orders are taken"},
    {GROUP_SERVE, "control", KIND_TEXT, AT(control), SERVES, "ADDRESS", "127.0.0.1:8093", 0, 0,
     NULL, "where the control API answers"},
    {GROUP_SERVE, "token", KIND_TEXT, AT(token), SERVES, "TOKEN", "erp-token", 0, 0, NULL,
     "what callers must show"},
    {GROUP_SERVE, "order-path", KIND_TEXT, AT(order_path), SERVES, "PATH", "/svc/v1/orders", 0, 0,
     NULL, "the path of orders"},
    {GROUP_SERVE, "documents", KIND_TEXT, AT(documents), SERVES, "FILE", NULL, 0, 0, NULL,
     "append each document to FILE as a line of JSON"},
    {GROUP_SERVE, "misbehave", KIND_SHARE, AT(misbehave_ppm), SERVES, "SHARE", "0", 0, 0, NULL,
     "the part of the calls for orders that misbehaves (default: none)"},
    {GROUP_SERVE, "timeout-ms", KIND_NUMBER, AT(late_ms), SERVES, "MS", "15000", 0, 3600000, NULL,
     "the answer of a late call comes after MS"},
};

enum { OPTION_COUNT = sizeof(option_rows) / sizeof(option_rows[0]) };

/* A share of 0 to 1 with up to 6 digits, in millionths. */
static bool parse_share(const char *text, int64_t *ret_ppm)
{
    char *end;
    double share = strtod(text, &end);

    if (end == text || *end || !(share >= 0 && share <= 1)) return false;
    *ret_ppm = (int64_t)(share * CATALOG_SHARE_ALL + 0.5);
    return true;
}

static bool parse_number(const struct option_row *row, const char *text, int64_t *ret_number)
{
    long long number;

    if (!str_to_int64(str_of(text), &number) || number < row->min || number > row->max)
        return false;
    *ret_number = row->kind == KIND_SECONDS ? number * 1000 : number;
    return true;
}

/* Takes one option; false if its value is no good. */
static bool take(const struct option_row *row, const char *value, struct options *options)
{
    void *field = (char *)options + row->offset;

    switch (row->kind) {
    case KIND_TEXT:
        *(const char **)field = value;
        return true;
    case KIND_NUMBER:
    case KIND_SECONDS:
        return parse_number(row, value, field);
    case KIND_SHARE:
        return parse_share(value, field);
    case KIND_FLAG:
        *(bool *)field = true;
        return true;
    }
    return false;
}

/* --- Help ------------------------------------------------------------------------------------- */

static void print_option(const struct option_row *row)
{
    char left[48], text[256];
    bool has_standard = row->standard && !strstr(row->help, "default");

    snprintf(left, sizeof(left), "--%s%s%s", row->name, row->value ? " " : "",
             row->value ? row->value : "");
    snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", row->help, row->variable ? " ($" : "",
             row->variable ? row->variable : "", row->variable ? ")" : "",
             has_standard ? " (default " : "", has_standard ? row->standard : "",
             has_standard ? ")" : "");
    print_row(left, 28, text);
}

static void print_options(void)
{
    static const char *const titles[] = {
        [GROUP_MADE] = "What is made:",
        [GROUP_LINK] = "Where it goes:",
        [GROUP_SENDING] = "How it goes there:",
        [GROUP_MISBEHAVIOUR] = "How it should not:",
        [GROUP_LOOP] = "The loop:",
        [GROUP_SERVE] = "Orders:",
    };

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        if (i == 0 || row->group != option_rows[i - 1].group) printf("\n%s\n", titles[row->group]);
        print_option(row);
    }
}

static void print_help(void)
{
    print_text("erp - a simulated ERP: makes catalogs of any size, and sends them as a real one "
               "does, and takes orders\n"
               "\n");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        char words[48];
        const char *second = verb_rows[i].words[1];
        snprintf(words, sizeof(words), "erp %s%s%s [options]", verb_rows[i].words[0],
                 second ? " " : "", second ? second : "");
        print_row(words, 28, verb_rows[i].help);
    }
    print_text(
        "\n"
        "A package is stored in the queue with its event id before the first attempt. On 202 it is "
        "delivered. On a network error, 429 or 5xx the same bytes go again after 5, 15, 30, 60 and "
        "120 seconds, then every 5 minutes, later where Retry-After says so. On any other answer "
        "the queue stops with a diagnostic. Then the status is asked for until applied.\n");
    print_text("\n"
               "Over https:// it trusts the certificates in the file that SSL_CERT_FILE names, or "
               "else the system's.\n");
    print_options();
    print_text("\n"
               "Faults, and the packages that can have them:\n");
    fault_print_help();
    print_text("\n"
               "Exit status: 0 done, or stopped by SIGTERM or SIGINT; 1 a package was refused or "
               "failed, or serve cannot listen; 2 the command line is wrong; 3 given up.\n");
    serve_print_help();
}

/* --- Parsing ---------------------------------------------------------------------------------- */

static void set_standards(struct options *options)
{
    *options = (struct options){.price_count = -1, .stock_count = -1};
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].standard) take(&option_rows[i], option_rows[i].standard, options);
}

static enum options_verdict wrong(const char *sentence)
{
    fprintf(stderr, "erp: %s See erp --help.\n", sentence);
    return OPTIONS_WRONG;
}

/* Variables stand in for options that were not given. */
static void take_environment(struct options *options)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->variable) continue;
        const char *value = getenv(row->variable);
        const char **field = (const char **)((char *)options + row->offset);
        if (!*field && value && *value) *field = value;
    }
}

static enum options_verdict check_link(const struct options *options)
{
    if (!options->base_url) return wrong("--base-url is missing.");
    if (!options->integration_id) return wrong("--integration-id is missing.");
    if (!options->client_id) return wrong("--client-id is missing.");
    if (!options->client_secret && !options->client_secret_file)
        return wrong("--client-secret or --client-secret-file is missing.");
    return OPTIONS_RUN;
}

static enum options_verdict check_fault(const struct options *options)
{
    enum package_type type = 1 << options->verb & SNAPSHOTS ? PACKAGE_SNAPSHOT : PACKAGE_CHANGES;

    if (!options->fault || fault_find(options->fault, type)) return OPTIONS_RUN;
    return wrong("There is no such --fault for this package.");
}

/* Checks what no single option can tell. */
static enum options_verdict check_whole(struct options *options)
{
    if (options->price_count < 0)
        options->price_count = options->stock_count < 0 ? (options->row_count + 1) / 2 : 0;
    else if (options->stock_count < 0)
        options->stock_count = 0;
    if (options->stock_count < 0) options->stock_count = options->row_count / 2;
    if (options->event_id && strlen(options->event_id) > BODY_EVENT_ID_MAX)
        return wrong("The --event-id is too long.");
    enum options_verdict verdict = check_fault(options);
    if (verdict != OPTIONS_RUN || 1 << options->verb & (PRINTS | SERVES)) return verdict;
    take_environment(options);
    return check_link(options);
}

static bool is_taken_by(const struct option_row *row, enum verb verb)
{
    return row->verbs & 1U << verb;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option known[OPTION_COUNT + 2] = {{0}};
    int index;
    int letter;

    set_standards(ret_options);
    int verb_words = find_verb(argc, argv, &ret_options->verb);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        known[i] = (struct option){.name = option_rows[i].name,
                                   .has_arg = option_rows[i].value ? required_argument : 0};
    known[OPTION_COUNT].name = "help";
    optind = 1 + verb_words;
    while ((letter = getopt_long(argc, argv, "", known, &index)) == 0) {
        if (index == OPTION_COUNT) {
            print_help();
            return OPTIONS_HELP;
        }
        if (verb_words > 0 && !is_taken_by(&option_rows[index], ret_options->verb)) {
            fprintf(stderr, "erp: --%s is not for this verb.\n", known[index].name);
            return OPTIONS_WRONG;
        }
        if (take(&option_rows[index], optarg, ret_options)) continue;
        fprintf(stderr, "erp: the value of --%s is not usable: %s\n", known[index].name, optarg);
        return OPTIONS_WRONG;
    }
    if (verb_words == 0) return wrong("A verb is missing.");
    if (letter != -1 || optind < argc) return wrong("An argument is not understood.");
    return check_whole(ret_options);
}
