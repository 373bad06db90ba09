/* These checks ask what herald must reach, and where it must be reached: its public URL, providers
 * and ERPs. */
#include "app/doctor/doctor_check.h"
#include "app/setup/certificate.h"
#include "app/setup/channels.h"
#include "domain/channel/channel.h"
#include "domain/channel/driver.h"
#include "domain/integration/erp_address.h"
#include "domain/integration/integration.h"
#include "domain/order/order.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/fetch/networks.h"

enum { ERPS_MAX = 100 };

/* --- The certificate -------------------------------------------------------------------------- */

void doctor_check_certificate(struct doctor *doctor)
{
    struct certificate_fault faults[CERTIFICATE_FAULTS_MAX];

    if (!doctor->config.tls_cert_file) {
        doctor_say(doctor, DOCTOR_OK, "herald has none of its own, and speaks plain HTTP.");
        return;
    }
    size_t count = certificate_find_faults(&doctor->config, clock_wall_ms(), doctor->arena, faults);
    for (size_t i = 0; i < count; i++)
        doctor_say(doctor, faults[i].is_fatal ? DOCTOR_FAIL : DOCTOR_WARN, "%s",
                   faults[i].sentence);
    if (count == 0)
        doctor_say(doctor, DOCTOR_OK, "The certificate in %s fits its key and is valid.",
                   doctor->config.tls_cert_file);
}

/* --- The public URL --------------------------------------------------------------------------- */

#define KEY_SET_PATH "/.well-known/jwks.json"

/* `pin` NULL: as the system trusts. */
static void fetch_path(struct doctor *doctor, const char *base, const char *path, const char *pin,
                       struct fetch *ret_fetch)
{
    size_t len = strlen(base);

    while (len > 0 && base[len - 1] == '/')
        len--;
    *ret_fetch = (struct fetch){
        .method = "GET",
        .url = arena_printf(doctor->arena, "%.*s%s", (int)len, base, path),
        .route = {.pin = pin,
                  .connect_timeout_ms = DOCTOR_TIMEOUT_MS,
                  .timeout_ms = DOCTOR_TIMEOUT_MS},
    };
    doctor_fetch(doctor, ret_fetch, 1);
}

/* A proxy need not let health through (docs/deploy.md), but it does let ERPs fetch the key set, by
 * which one herald is told from another. */
static void compare_key_sets(struct doctor *doctor, const char *url, const char *pin)
{
    struct fetch outside, inside;

    fetch_path(doctor, url, KEY_SET_PATH, pin, &outside);
    fetch_path(doctor, doctor->url, KEY_SET_PATH, doctor->pin, &inside);
    const char *key = doctor_text_at(doctor, &outside, "/keys/0/kid");
    const char *own = doctor_text_at(doctor, &inside, "/keys/0/kid");
    if (!key)
        doctor_say(
            doctor, DOCTOR_WARN,
            "HERALD_PUBLIC_URL answers, but not as herald: neither /health/live nor " KEY_SET_PATH
            " comes from %s. Look at the proxy (docs/deploy.md).",
            url);
    else if (own && strcmp(key, own) != 0)
        doctor_say(doctor, DOCTOR_FAIL,
                   "At HERALD_PUBLIC_URL answers another herald: the keys at %s are not those of "
                   "%s. Correct the setting or the proxy.",
                   url, doctor->url);
    else
        doctor_say(doctor, DOCTOR_OK, "herald is reached at %s.", url);
    fetch_done(&outside);
    fetch_done(&inside);
}

static bool is_loopback_url(const char *url)
{
    return strstr(url, "://127.") || strstr(url, "://[::1]") || strstr(url, "://localhost");
}

void doctor_check_url(struct doctor *doctor)
{
    const char *url = doctor->config.public_url, *pin = NULL;
    struct fetch live;

    if (!url) {
        doctor_say(doctor, DOCTOR_OK,
                   "HERALD_PUBLIC_URL is not set, so tokens name %s. Set it where phones, ERPs or "
                   "providers reach herald from elsewhere.",
                   doctor->config.own_url);
        return;
    }
    if (strncmp(url, "https://", 8) != 0 && !is_loopback_url(url))
        doctor_say(doctor, DOCTOR_WARN,
                   "HERALD_PUBLIC_URL is %s: keys and tokens travel unencrypted. Give herald a "
                   "certificate, or let a proxy speak https (docs/deploy.md).",
                   url);
    fetch_path(doctor, url, "/health/live", NULL, &live);
    if (live.status == 0 && doctor->pin) {
        fetch_done(&live);
        pin = doctor->pin;
        fetch_path(doctor, url, "/health/live", pin, &live);
    }
    if (live.status > 0 && pin)
        doctor_say(doctor, DOCTOR_WARN,
                   "herald is reached at %s, and this machine does not trust its certificate. If "
                   "others are to, it must come from an authority that they know.",
                   url);
    if (live.status == 0)
        doctor_say(doctor, DOCTOR_FAIL,
                   "HERALD_PUBLIC_URL, %s, is not reached from here: %s. Look at its DNS name, its "
                   "certificate and the proxy.",
                   url, live.error);
    else
        compare_key_sets(doctor, url, pin);
    fetch_done(&live);
}

/* --- Providers -------------------------------------------------------------------------------- */

/* Asks about a send that there never was; only a refusal of the key says that the key is wrong. */
static void ask_by_status(struct doctor *doctor, const struct channel_setup *setup,
                          struct fetch *fetch, struct channel_answer *ret_answer)
{
    const struct channel_content nothing = {.provider_id = "none", .now_ms = clock_now_ms()};

    setup->driver->make_status(&setup->config, &nothing, doctor->arena, fetch);
    doctor_fetch(doctor, fetch, 1);
    setup->driver->read_status(&setup->config, fetch, doctor->arena, ret_answer);
    bool is_told = fetch->end == FETCH_ANSWERED && fetch->status < 500 &&
                   ret_answer->outcome == OUTCOME_RETRYABLE;
    if (is_told || ret_answer->outcome == OUTCOME_PERMANENT) ret_answer->outcome = OUTCOME_DONE;
}

static void ask_by_probe(struct doctor *doctor, const struct channel_setup *setup,
                         struct fetch *fetch, struct channel_answer *ret_answer)
{
    setup->driver->make_probe(&setup->config, doctor->arena, fetch);
    doctor_fetch(doctor, fetch, 1);
    setup->driver->read_send(&setup->config, fetch, doctor->arena, ret_answer);
}

static void judge_provider(struct doctor *doctor, enum channel channel,
                           const struct channel_setup *setup)
{
    struct channel_answer answer = {.error = NULL};
    struct fetch fetch = {.route = setup->config.route};
    const char *who = setup->driver->name;

    fetch.route.connect_timeout_ms = fetch.route.timeout_ms = DOCTOR_TIMEOUT_MS;
    if (setup->driver->make_probe)
        ask_by_probe(doctor, setup, &fetch, &answer);
    else
        ask_by_status(doctor, setup, &fetch, &answer);
    const char *error = answer.error ? answer.error : fetch.error ? fetch.error : "no reason";
    if (answer.outcome == OUTCOME_DONE)
        doctor_say(doctor, DOCTOR_OK, "%s: %s takes the key.", channel_words[channel], who);
    else if (answer.outcome == OUTCOME_OURS)
        doctor_say(doctor, DOCTOR_FAIL, "%s: %s refuses the key: %s. Set the right one.",
                   channel_words[channel], who, error);
    else
        doctor_say(doctor, DOCTOR_WARN,
                   "%s: %s does not say whether it takes the key: %s. Look at its URL, its proxy "
                   "and the network.",
                   channel_words[channel], who, error);
    fetch_done(&fetch);
}

void doctor_check_providers(struct doctor *doctor)
{
    const struct channel_setup *setups = channels_setup(doctor->channels);
    size_t count = 0;

    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct channel_setup *setup = &setups[i];
        if (!setup->driver) continue;
        count++;
        if (setup->driver->make_probe || setup->driver->tells_key_by_status)
            judge_provider(doctor, (enum channel)i, setup);
        else
            doctor_say(doctor, DOCTOR_OK,
                       "%s: %s is set up; its key cannot be tried without a cost.",
                       channel_words[i], setup->driver->name);
    }
    if (count == 0) doctor_say(doctor, DOCTOR_OK, "None is set up.");
}

/* --- ERPs ------------------------------------------------------------------------------------- */

struct erp_asking {
    struct work work; /* first, since the work gives this pointer back */
    struct integration_list list;
    struct networks networks;
    const char *ca_file;
    bool may_use_http;
};

static enum err run_list(struct work *work)
{
    const struct integration_filter enabled = {.is_enabled = 1, .limit = ERPS_MAX};
    return integration_list(work, &enabled, &((struct erp_asking *)work)->list);
}

/* The unit may have given the service what this command was not given, so the service's values
 * count where they are known. */
static bool take_rules(struct doctor *doctor, struct erp_asking *asking)
{
    const struct config *config = &doctor->config;
    const char *networks = doctor_running_value(doctor, "HERALD_ERP_NETWORKS");
    const char *ca_file = doctor_running_value(doctor, "HERALD_ERP_CA_FILE");
    const char *may_use_http = doctor_running_value(doctor, "HERALD_ERP_ALLOW_HTTP");

    asking->ca_file = ca_file ? ca_file : config->erp_ca_file;
    asking->may_use_http =
        may_use_http ? strcmp(may_use_http, "true") == 0 : config->may_use_http_for_erp != 0;
    return networks_parse(str_of(networks ? networks : config->erp_networks), &asking->networks);
}

/* Fills the same question as the probe of a lane. Returns NULL, or why it may not leave. */
static const char *fill_question(struct doctor *doctor, const struct erp_asking *asking,
                                 const struct integration *erp, struct fetch *ret_fetch)
{
    struct vault_place place = sealed_at(SEALED_ERP_TOKEN, uuid_view(&erp->id));
    const char *token;

    *ret_fetch = (struct fetch){
        .method = "GET",
        .url = arena_printf(doctor->arena, "%s" ORDER_HEALTH_PATH, erp->erp->base_url),
        .route = {.ca_file = asking->ca_file,
                  .networks = &asking->networks,
                  .connect_timeout_ms = DOCTOR_TIMEOUT_MS,
                  .timeout_ms = DOCTOR_TIMEOUT_MS},
    };
    if (!asking->may_use_http && !erp_url_is_https(str_of(erp->erp->base_url)))
        return "its address is not https, and HERALD_ERP_ALLOW_HTTP is off";
    if (!doctor->has_vault ||
        vault_open_text(doctor->service.vault, place, erp->sealed_erp_token, doctor->arena, &token))
        return "the token for it cannot be read";
    ret_fetch->headers[0] =
        (struct fetch_header){"Authorization", arena_printf(doctor->arena, "Bearer %s", token)};
    return NULL;
}

/* Tells whether the ERP is well, and else what is not. */
static bool judge_erp(struct doctor *doctor, const struct integration *erp,
                      const struct fetch *fetch)
{
    const char *url = erp->erp->base_url;
    const char *name = mask_text(mask_words, erp->name, doctor->arena);

    if (fetch->status >= 200 && fetch->status <= 299) return true;
    if (fetch->status == 401 || fetch->status == 403)
        doctor_say(doctor, DOCTOR_FAIL,
                   "The ERP of \"%s\" at %s refuses our token (status %d). Give it a new one: "
                   "herald admin integrations change.",
                   name, url, fetch->status);
    else if (fetch->status > 0)
        doctor_say(doctor, DOCTOR_WARN,
                   "The ERP of \"%s\" at %s is not well: GET " ORDER_HEALTH_PATH
                   " gave status %d. Its orders wait; tell its team.",
                   name, url, fetch->status);
    else
        doctor_say(doctor, DOCTOR_WARN,
                   "The ERP of \"%s\" at %s does not answer: %s. Its orders wait; look at the "
                   "address and at HERALD_ERP_NETWORKS, and tell its team.",
                   name, url, fetch->error);
    return false;
}

static void ask_erps(struct doctor *doctor, const struct erp_asking *asking)
{
    const struct integration *erps = asking->list.integrations.items;
    size_t count = asking->list.integrations.count, asked = 0, well = 0;
    struct fetch *fetches = arena_array(doctor->arena, count, sizeof(*fetches));
    const struct integration **whose = arena_array(doctor->arena, count, sizeof(*whose));

    for (size_t i = 0; i < count; i++) {
        const char *fault = fill_question(doctor, asking, &erps[i], &fetches[asked]);
        if (!fault)
            whose[asked++] = &erps[i];
        else
            doctor_say(doctor, DOCTOR_FAIL, "The ERP of \"%s\" is not asked: %s. Its orders wait.",
                       mask_text(mask_words, erps[i].name, doctor->arena), fault);
    }
    doctor_fetch(doctor, fetches, asked);
    for (size_t i = 0; i < asked; i++) {
        well += judge_erp(doctor, whose[i], &fetches[i]);
        fetch_done(&fetches[i]);
    }
    if (count == 0)
        doctor_say(doctor, DOCTOR_OK, "No integration is enabled.");
    else if (well == count)
        doctor_say(doctor, DOCTOR_OK, "%zu of %zu ERPs are well.%s", well, count,
                   asking->list.next_cursor ? " No more are asked at once." : "");
}

void doctor_check_erps(struct doctor *doctor)
{
    struct erp_asking asking = {.list = {.next_cursor = NULL}};

    if (!doctor->has_stores || !take_rules(doctor, &asking)) return;
    work_init(&asking.work, &doctor->service, doctor->arena, clock_now_ms(), NULL);
    asking.work.task.is_read = true;
    if (work_run(&asking.work, doctor->service.exchange, run_list))
        doctor_say(
            doctor, DOCTOR_FAIL,
            "The database does not answer. Look whether its server runs and is reached from here.");
    else
        ask_erps(doctor, &asking);
}
