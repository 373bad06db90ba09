/* These records show the state of channels, and all at a glance. */
#include "domain/overview/overview.h"

#define AT        "2026-11-21T04:33:00.123Z"
#define COUNT_DOC " It is counted up to 1,000, which stands for as many or more."

static const struct field circuit_fields[] = {
    FIELD(struct lane_circuit, state, FIELD_ENUM, FIELD_REQUIRED,
          "closed: sends go. open: the provider does not serve or takes no credentials; none goes, "
          "and new ones are refused. half_open: the next send or probe shows whether it serves.",
          .words = lane_circuit_words, .example = "open"),
    FIELD(struct lane_circuit, since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Since when it is not closed; null while it is.", .example = AT),
    FIELD(struct lane_circuit, next_probe_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the provider is tried next, while it is open; never in the past.",
          .example = "2026-11-21T04:33:30.123Z"),
    FIELD(struct lane_circuit, last_error, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Why it opened; null while it is closed.", .example = "HTTP 401"),
};
static const struct record circuit_record = {
    .name = "ChannelCircuit",
    .doc = "Whether sends go to the provider of a channel, and why not.",
    .size = sizeof(struct lane_circuit),
    RECORD_FIELDS(circuit_fields),
};

static const struct field channel_fields[] = {
    FIELD(struct channel_status, channel, FIELD_ENUM, FIELD_REQUIRED, "The channel.",
          .words = timeline_channel_words, .example = "messenger_gateway"),
    FIELD(struct channel_status, driver, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "What speaks to its provider; null: phones send, or it is not configured.",
          .example = "telegram_gateway"),
    FIELD(struct channel_status, configured, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether it has a driver. Where phones send, nothing is to be configured.",
          .example = "true"),
    FIELD(struct channel_status, circuit, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "Whether sends go to its provider; null: phones send.", .record = &circuit_record),
    FIELD(struct channel_status, under_way, FIELD_INTEGER, FIELD_REQUIRED,
          "Sends that a worker, or tasks that a phone, has taken and not yet reported." COUNT_DOC,
          .example = "2"),
    FIELD(struct channel_status, waiting, FIELD_INTEGER, FIELD_REQUIRED,
          "Sends or tasks that wait." COUNT_DOC, .example = "5"),
    FIELD(struct channel_status, oldest_waiting_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the oldest one that waits, of those counted, was created; null: none waits.",
          .example = AT),
    FIELD(struct channel_status, last_success_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When a send last went well; null: none did among the newest 1,000 of all providers, or "
          "of all phones.",
          .example = AT),
    FIELD(struct channel_status, rate_limit, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "Sends a second that each worker keeps to; null: the provider tells no pace.",
          .example = "10"),
    FIELD(struct channel_status, ready_sims, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "SIMs that can send, up to 10,000; null: not of SMS.", .example = "null"),
    FIELD(struct channel_status, connected_accounts, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "Accounts that can send, up to 10,000; null: not of the personal messenger.",
          .example = "null"),
};
const struct record channel_record = {
    .name = "Channel",
    .doc = "How a channel stands.",
    .size = sizeof(struct channel_status),
    RECORD_FIELDS(channel_fields),
};

static const struct field channel_list_fields[] = {
    FIELD(struct channel_status_list, channels, FIELD_RECORDS, FIELD_REQUIRED, "All channels.",
          .record = &channel_record),
};
const struct record channel_status_list_record = {
    .name = "ChannelList",
    .doc = "The channels and how they stand.",
    .size = sizeof(struct channel_status_list),
    RECORD_FIELDS(channel_list_fields),
};

/* --- All at a glance --- */

#define FIGURE(owner, member, meaning, value) \
    FIELD(struct owner, member, FIELD_INTEGER, FIELD_REQUIRED, meaning, .example = (value))

static const struct field fleet_fields[] = {
    FIGURE(fleet_overview, phones, "Phones, without those that were removed.", "3"),
    FIGURE(fleet_overview, enabled_phones, "Phones that are enabled.", "3"),
    FIGURE(fleet_overview, sims, "Gateway numbers.", "5"),
    FIGURE(fleet_overview, ready_sims, "Gateway numbers whose SIM can send.", "4"),
    FIGURE(fleet_overview, silent_sims, "Gateway numbers whose SIM has fallen silent.", "1"),
    FIGURE(fleet_overview, accounts, "Messenger accounts.", "2"),
    FIGURE(fleet_overview, connected_accounts, "Messenger accounts that are connected.", "2"),
};
static const struct record fleet_record = {
    .name = "FleetOverview",
    .doc = "The phones and what they have, each counted up to 10,000.",
    .size = sizeof(struct fleet_overview),
    RECORD_FIELDS(fleet_fields),
};

static const struct field process_fields[] = {
    FIGURE(process_overview, living, "Processes that run.", "4"),
    FIGURE(process_overview, lost, "Processes that ended without a word within a day.", "0"),
};
static const struct record process_overview_record = {
    .name = "ProcessOverview",
    .doc = "The processes, each counted once.",
    .size = sizeof(struct process_overview),
    RECORD_FIELDS(process_fields),
};

static const struct field overview_fields[] = {
    FIELD(struct overview, version, FIELD_STRING, FIELD_REQUIRED, "The version that answers.",
          .example = "" HERALD_VERSION ""),
    FIELD(struct overview, environment, FIELD_ENUM, FIELD_REQUIRED,
          "The environment that HERALD_ENVIRONMENT names.", .words = integration_environment_words,
          .example = "production"),
    FIELD(struct overview, degraded, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "What the process that answers does not do, though it is ready; null: it does all.",
          .example = "null"),
    FIELD(struct overview, fleet, FIELD_RECORD, FIELD_REQUIRED, "The fleet.",
          .record = &fleet_record),
    FIELD(struct overview, processes, FIELD_RECORD, FIELD_REQUIRED, "The processes.",
          .record = &process_overview_record),
    FIELD(struct overview, channels, FIELD_RECORDS, FIELD_REQUIRED,
          "All channels, with what waits in each.", .record = &channel_record),
    FIELD(struct overview, troubles, FIELD_RECORDS, FIELD_REQUIRED,
          "What is wrong now, of integrations as well: the worst first, the first 100.",
          .record = &trouble_shown_record),
    FIGURE(overview, trouble_count, "How much is wrong, with what `troubles` has no room for.",
           "1"),
    FIELD(struct overview, well_since, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "Since when nothing is wrong; null while something is, and until a worker has looked for "
          "the first time.",
          .example = "null"),
};
const struct record overview_record = {
    .name = "Overview",
    .doc = "What is wrong, and how codes, calls and messages stand.",
    .size = sizeof(struct overview),
    RECORD_FIELDS(overview_fields),
};

static const struct field exchange_fields[] = {
    FIGURE(exchange_overview, integrations, "Integrations, up to 10,000.", "12"),
    FIGURE(exchange_overview, enabled_integrations, "Those of them that are enabled.", "11"),
    FIGURE(exchange_overview, open_circuits,
           "Those of them whose ERP takes no orders: their circuit is open.", "1"),
    FIGURE(exchange_overview, old_catalogs,
           "Those enabled whose newest snapshot was applied more than 72 hours ago.", "1"),
    FIGURE(exchange_overview, packages_waiting, "Packages that are not applied yet." COUNT_DOC,
           "2"),
    FIGURE(exchange_overview, packages_failed, "Packages that failed." COUNT_DOC, "0"),
    FIGURE(exchange_overview, orders_waiting, "Orders that no ERP has yet." COUNT_DOC, "3"),
    FIELD(struct exchange_overview, oldest_package_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the oldest package that waits to be applied came; null: none waits.",
          .example = AT),
    FIELD(struct exchange_overview, oldest_order_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the oldest order that waits was created; null: none waits.", .example = AT),
};
const struct record exchange_overview_record = {
    .name = "ExchangeOverview",
    .doc = "How packages and orders of all integrations stand.",
    .size = sizeof(struct exchange_overview),
    RECORD_FIELDS(exchange_fields),
};
