/*
 * load - herald's load generator: one scenario a run, its figures as a line of JSON.
 * bench/run starts herald, makes a fleet and calls it.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "kit/base/secret.h"
#include "kit/json/writer.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    CONNECTIONS = 32,
    SECONDS = 4,
    PACE = 200,
    ORDERS = 1000,
    IN_FLIGHT = 4,
    READERS = 1000,
    REPORT_MAX = 4096,
};

static const struct scenario *const scenarios[] = {
    &scenario_floor,      &scenario_claims,        &scenario_sms,           &scenario_pairs,
    &scenario_log,        &scenario_flash,         &scenario_tokens,        &scenario_bearer,
    &scenario_bearer_new, &scenario_packages,      &scenario_codes,         &scenario_orders,
    &scenario_arrivals,   &scenario_direct,        &scenario_submit,        &scenario_readers,
    &scenario_hooks,      &scenario_hooks_by_peer, &scenario_hook_arrivals,
};
enum { SCENARIO_COUNT = sizeof scenarios / sizeof scenarios[0] };

static int usage(FILE *out, int status)
{
    fputs(
        "load SCENARIO --address IP:PORT [--key-file FILE] [--fleet FILE]\n"
        "     [--clients FILE] [--token-path PATH] [--connections N] [--seconds N] [--pace N]\n"
        "     [--provider IP:PORT] [--beside N] [--senders FILE] [--offers FILE]\n"
        "     [--integrations FILE] [--sink IP:PORT] [--orders N] [--in-flight N] [--readers N]\n"
        "     [--bodies FILE]\n"
        "\n"
        "  --address      where herald listens, such as 127.0.0.1:8080\n"
        "  --key-file     a file with the internal key\n"
        "  --fleet        a file with a line \"DEVICE_KEY NUMBER\" for each number\n"
        "  --clients      a file with a line \"CLIENT_ID SECRET INTEGRATION_ID\" for each client\n"
        "  --token-path   where tokens are issued (default /v1/oauth/token)\n"
        "  --connections  each has one request under way (default 32)\n"
        "  --seconds      how long to ask (default 4)\n"
        "  --senders      a file with a line \"INTEGRATION_ID TOKEN\" for each ERP, for packages\n"
        "  --offers       a file with a line \"PRODUCT_ID VARIANT_ID\" for each variant\n"
        "  --integrations a file with a line \"INTEGRATION_ID POINT_ID\" for each, for orders\n"
        "  --sink         where the generator is their ERP, or has the webhook endpoints\n"
        "  --bodies       a file for the bodies of webhooks, a line each: hooks writes what "
        "herald\n"
        "                 delivered, and hooks_by_peer has the same delivered\n"
        "  --orders       how many are a backlog (default 1000)\n"
        "  --in-flight    how many the generator itself has under way with the sink (default 4)\n"
        "  --pace         requests a second, for log, flash, codes and arrivals, and entries\n"
        "                 a second for readers (default 200)\n"
        "  --readers      of the log stream (default 1000)\n"
        "  --provider     the control API of the simulated providers, for flash\n"
        "  --beside       first create N codes for the messenger gateway, for flash (default 0)\n"
        "\n"
        "Scenarios:\n",
        out);
    for (size_t i = 0; i < SCENARIO_COUNT; i++)
        fprintf(out, "  %-13s %s\n", scenarios[i]->name, scenarios[i]->help);
    fputs(
        "\nExit status: 0, or 1 if herald did not answer as it should, or 2 for a wrong command.\n",
        out);
    return status;
}

static const struct scenario *find_scenario(const char *name)
{
    for (size_t i = 0; i < SCENARIO_COUNT; i++)
        if (strcmp(scenarios[i]->name, name) == 0) return scenarios[i];
    return NULL;
}

static bool read_address(const char *text, struct sockaddr_in *ret_address)
{
    char ip[INET_ADDRSTRLEN];
    const char *colon = strchr(text, ':');
    long long port;

    if (!colon || (size_t)(colon - text) >= sizeof ip) return false;
    memcpy(ip, text, (size_t)(colon - text));
    ip[colon - text] = '\0';
    if (!str_to_int64(str_of(colon + 1), &port) || port < 1 || port > 65535) return false;
    *ret_address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, ip, &ret_address->sin_addr) == 1;
}

static bool read_key(const char *path, char ret_key[static KEY_MAX])
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool has_line = fgets(ret_key, KEY_MAX, file) != NULL;
    fclose(file);
    ret_key[strcspn(ret_key, "\r\n")] = '\0';
    return has_line;
}

static bool read_fleet(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bench->fleet = calloc(FLEET_MAX, sizeof *bench->fleet);
    if (!bench->fleet) abort();
    while (bench->fleet_count < FLEET_MAX) {
        struct sim *sim = &bench->fleet[bench->fleet_count];
        if (fscanf(file, "%127s %15s", sim->key, sim->number) != 2) break;
        bench->fleet_count++;
    }
    fclose(file);
    return bench->fleet_count > 0;
}

static bool read_clients(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bench->clients = calloc(CLIENTS_MAX, sizeof *bench->clients);
    if (!bench->clients) abort();
    while (bench->client_count < CLIENTS_MAX) {
        struct fetch_client *client = &bench->clients[bench->client_count];
        if (fscanf(file, "%39s %127s %39s", client->id, client->secret, client->integration_id) !=
            3)
            break;
        bench->client_count++;
    }
    fclose(file);
    return bench->client_count > 0;
}

static bool read_senders(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bench->senders = calloc(SENDERS_MAX, sizeof *bench->senders);
    if (!bench->senders) abort();
    while (bench->sender_count < SENDERS_MAX) {
        struct sender *sender = &bench->senders[bench->sender_count];
        if (fscanf(file, "%39s %2047s", sender->integration_id, sender->token) != 2) break;
        bench->sender_count++;
    }
    fclose(file);
    return bench->sender_count > 0;
}

static bool read_offers(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bench->offers = calloc(OFFERS_MAX, sizeof *bench->offers);
    if (!bench->offers) abort();
    while (bench->offer_count < OFFERS_MAX) {
        struct offer *offer = &bench->offers[bench->offer_count];
        if (fscanf(file, "%39s %39s", offer->product_id, offer->variant_id) != 2) break;
        bench->offer_count++;
    }
    fclose(file);
    return bench->offer_count > 0;
}

static bool read_integrations(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bench->integrations = calloc(INTEGRATIONS_MAX, sizeof *bench->integrations);
    if (!bench->integrations) abort();
    while (bench->integration_count < INTEGRATIONS_MAX) {
        struct integration *integration = &bench->integrations[bench->integration_count];
        if (fscanf(file, "%39s %39s", integration->id, integration->point_id) != 2) break;
        bench->integration_count++;
    }
    fclose(file);
    return bench->integration_count > 0;
}

static bool take_amount(const char *text, int64_t max, int64_t *ret_amount)
{
    long long amount;

    if (!str_to_int64(str_of(text), &amount) || amount < 1 || amount > max) return false;
    *ret_amount = amount;
    return true;
}

static bool take_option(struct bench *bench, int letter, const char *value)
{
    int64_t amount;

    switch (letter) {
    case 'a':
        return read_address(value, &bench->address);
    case 'k':
        return read_key(value, bench->internal_key);
    case 'f':
        return read_fleet(bench, value);
    case 'o':
        return read_clients(bench, value);
    case 'e':
        return read_senders(bench, value);
    case 'v':
        return read_offers(bench, value);
    case 'i':
        return read_integrations(bench, value);
    case 't':
        bench->token_path = value;
        return true;
    case 'd':
        bench->bodies_path = value;
        return true;
    case 'c':
        if (!take_amount(value, WIRE_CONNECTIONS_MAX, &amount)) return false;
        bench->connections = (size_t)amount;
        return true;
    case 's':
        if (!take_amount(value, 600, &amount)) return false;
        bench->duration_us = amount * 1000000;
        return true;
    case 'p':
        return take_amount(value, 100000, &bench->pace);
    case 'w':
        return read_address(value, &bench->provider);
    case 'b':
        return take_amount(value, 100000, &bench->beside);
    case 'l':
        return read_address(value, &bench->sink);
    case 'n':
        return take_amount(value, 1000000, &bench->orders);
    case 'r':
        return take_amount(value, 100000, &bench->readers);
    case 'u':
        if (!take_amount(value, WIRE_CONNECTIONS_MAX, &amount)) return false;
        bench->in_flight = (size_t)amount;
        return true;
    }
    return false;
}

static bool parse_options(struct bench *bench, int argc, char **argv)
{
    static const struct option options[] = {
        {"address", required_argument, NULL, 'a'},
        {"key-file", required_argument, NULL, 'k'},
        {"fleet", required_argument, NULL, 'f'},
        {"clients", required_argument, NULL, 'o'},
        {"token-path", required_argument, NULL, 't'},
        {"bodies", required_argument, NULL, 'd'},
        {"pace", required_argument, NULL, 'p'},
        {"provider", required_argument, NULL, 'w'},
        {"beside", required_argument, NULL, 'b'},
        {"senders", required_argument, NULL, 'e'},
        {"offers", required_argument, NULL, 'v'},
        {"integrations", required_argument, NULL, 'i'},
        {"sink", required_argument, NULL, 'l'},
        {"orders", required_argument, NULL, 'n'},
        {"readers", required_argument, NULL, 'r'},
        {"in-flight", required_argument, NULL, 'u'},
        {"connections", required_argument, NULL, 'c'},
        {"seconds", required_argument, NULL, 's'},
        {0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (take_option(bench, letter, optarg)) continue;
        fprintf(stderr, "load: not usable: %s\n", optarg ? optarg : argv[optind - 1]);
        return false;
    }
    if (bench->address.sin_port == 0) fprintf(stderr, "load: --address is missing\n");
    return bench->address.sin_port != 0;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void put_figure(struct json_writer *json, const char *name, double value)
{
    char digits[48];
    int len = snprintf(digits, sizeof digits, "%.3f", value);

    json_key(json, name);
    json_raw(json, (struct str){digits, (size_t)len});
}

static void report(struct bench *bench, const struct scenario *scenario,
                   const struct result *result)
{
    struct json_writer json;
    AUTO_BUF out = {0};

    buf_init(&out, REPORT_MAX);
    json_writer_init(&json, &out);
    json_object_begin(&json);
    json_put_text(&json, "scenario", scenario->name);
    json_put_int(&json, "connections", (int64_t)bench->connections);
    json_put_int(&json, "count", result->count);
    put_figure(&json, "seconds", result->seconds);
    put_figure(&json, "rate", (double)result->count / result->seconds);
    put_figure(&json, "p50_ms", samples_percentile_ms(&bench->latency, 0.50));
    put_figure(&json, "p99_ms", samples_percentile_ms(&bench->latency, 0.99));
    put_figure(&json, "max_ms", samples_percentile_ms(&bench->latency, 1.0));
    for (size_t i = 0; i < FIGURES_MAX && result->figures[i].name; i++)
        put_figure(&json, result->figures[i].name, result->figures[i].value);
    put_figure(&json, "generator_cpu_s", cpu_seconds());
    json_put_int(&json, "unexpected", bench->unexpected);
    json_object_end(&json);
    printf("%.*s\n", (int)out.len, out.data);
}

/* A start for recipients and keys that no earlier run on the same database has used. */
static void set_apart(struct bench *bench)
{
    bench->first_recipient = random_below(1000000000);
    /* Of the hexadecimal digits the letters alone: digits would be masked in the log as those of a
     * phone number are. */
    for (size_t i = 0; i + 1 < sizeof bench->run; i++)
        bench->run[i] = (char)('a' + random_below(6));
}

static bool run(struct bench *bench, const struct scenario *scenario)
{
    struct result result = {0};

    set_apart(bench);
    bool is_good = wire_open(&bench->wire, &bench->address, bench->connections) &&
                   scenario->run(bench, &result) && result.count > 0;
    if (is_good) report(bench, scenario, &result);
    wire_close(&bench->wire);
    return is_good && bench->unexpected == 0;
}

static int run_command(struct bench *bench, const struct scenario *scenario, int argc, char **argv)
{
    if (!parse_options(bench, argc, argv)) return 2;
    if (scenario->needs_fleet && bench->fleet_count == 0) {
        fprintf(stderr, "load: %s needs --key-file and --fleet\n", scenario->name);
        return 2;
    }
    if (scenario->needs_clients && bench->client_count == 0) {
        fprintf(stderr, "load: %s needs --clients\n", scenario->name);
        return 2;
    }
    return secret_system_init() && run(bench, scenario) ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct bench bench = {.connections = CONNECTIONS,
                          .duration_us = SECONDS * 1000000,
                          .pace = PACE,
                          .orders = ORDERS,
                          .in_flight = IN_FLIGHT,
                          .readers = READERS,
                          .token_path = "/v1/oauth/token"};

    if (argc > 1 && strcmp(argv[1], "--help") == 0) return usage(stdout, 0);
    const struct scenario *scenario = argc > 1 ? find_scenario(argv[1]) : NULL;
    if (!scenario) return usage(stderr, 2);
    int status = run_command(&bench, scenario, argc - 1, argv + 1);
    samples_done(&bench.latency);
    samples_done(&bench.latency_extra);
    free(bench.fleet);
    free(bench.clients);
    free(bench.senders);
    free(bench.offers);
    free(bench.integrations);
    return status;
}
