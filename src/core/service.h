/*
 * What the rules of the business stand on at run time: made once at the start, shared by all
 * threads, never changed. Reached through `work->service`.
 */
#pragma once

#include "core/sealed.h"
#include "core/work.h"

struct catalog_memory;
struct channel_setup;
struct erp_applying;
struct erp_gate;
struct keyring;
struct networks;
struct pack_pool;
struct presence;
struct phone_task_line;
struct phone_task_owner;

enum sms_language { SMS_RUSSIAN, SMS_ENGLISH };

struct service {
    struct db *verification;   /* fleet, challenges, codes, tasks, messages, log */
    struct db *exchange;       /* clients, keys, packages, catalog, orders */
    bool is_one_database;      /* the two stores lie in one, each with connections of its own */
    struct vault *vault;       /* seals what is stored (core/sealed.h) */
    struct presence *presence; /* who was heard from since the last write (domain/fleet) */
    /* Providers by enum channel (domain/channel). */
    const struct channel_setup *channels;
    /* What phones send, by enum phone_task_channel, and who wants it, by enum phone_task_owner_kind
     * (domain/phone_task). */
    const struct phone_task_line *const *phone_task_lines;
    const struct phone_task_owner *const *phone_task_owners;
    enum sms_language sms_language;
    struct keyring *keyring;   /* of signing keys (domain/token) */
    const char *own_url;       /* where this service is reached; no slash at its end */
    const char *issuer;        /* `iss` of tokens that are issued here */
    const char *token_url;     /* where clients fetch them; NULL: nowhere that is known here */
    bool has_own_tokens;       /* false: those of the identity service of HERALD_JWKS_URL count */
    bool may_use_http_for_erp; /* HERALD_ERP_ALLOW_HTTP */
    const struct networks *erp_networks; /* HERALD_ERP_NETWORKS: what calls to ERPs may reach, for
                                            fetch_route (kit/fetch) */
    const char *erp_ca_file;             /* HERALD_ERP_CA_FILE, for it too; NULL: the system's */
    struct pack_pool *packs;             /* what bodies of packages are packed with */
    struct erp_gate *erp_gate;           /* how many large bodies are taken at once */
    struct erp_applying *applying; /* packages that are applied by this process (domain/erp) */
    struct catalog_memory *catalog_memory; /* numbers of products (domain/catalog) */
    const char *const *vat_rates;          /* HERALD_ERP_VAT_RATES; ends with NULL */
    int64_t erp_archive_share_ppm;         /* HERALD_ERP_MAX_ARCHIVE_SHARE, in parts per million */
    int64_t erp_body_days;                 /* HERALD_ERP_BODY_DAYS; 0: bodies are kept for ever */
    /* HERALD_ERP_SNAPSHOTS_PER_DAY and so on, of one integration; 0: no limit. */
    int64_t erp_snapshots_per_day, erp_packages_per_minute;
    int64_t erp_bodies_max; /* bytes, packed */
    /* A phone was disabled: its tasks return to the queue. Set to the room above fleet. */
    enum err (*on_device_disabled)(struct work *work, const struct uuid *device_id);
};
