/* Integrations and their clients, for the tests of domain/integration: each function one
 * transaction. */
#pragma once

#include "domain/integration/integration.h"
#include "world.h"

#define TOKEN_URL "https://herald.example/v1/oauth/token"

/* A world whose clients know where to fetch tokens. */
static inline void begin(struct world *world, struct store *store)
{
    world_open(world, store);
    world->integrations.token_url = TOKEN_URL;
    world->integrations.has_own_tokens = true;
}

/* --- Integrations --- */

struct creating {
    struct integration_input input;
    struct uuid id;
    struct integration integration;
    struct integration_refusal refusal;
};

static inline enum err run_create(struct work *work, void *arg)
{
    struct creating *step = arg;
    return integration_create(work, &step->id, &step->input, &step->integration, &step->refusal);
}

/* An integration whose ERP is at `erp`; `step` then has the answer. */
static inline enum err create_of(struct world *world, struct erp_input *erp, struct creating *step)
{
    *step = (struct creating){
        .input = {.tenant_id = uuid_new(world->now_ms),
                  .point_id = uuid_new(world->now_ms),
                  .name = "Shop 12",
                  .erp = erp},
        .id = uuid_new(world->now_ms),
    };
    return world_run(world, run_create, step);
}

static inline struct integration create(struct world *world)
{
    struct erp_input erp = {.base_url = "https://erp.example/hs", .token = "made-up"};
    struct creating step;
    assert_ok(create_of(world, &erp, &step));
    return step.integration;
}

struct changing {
    const struct uuid *id;
    const struct integration_change *change;
    struct integration integration;
    struct integration_refusal refusal;
};

static inline enum err run_change(struct work *work, void *arg)
{
    struct changing *step = arg;
    return integration_change(work, step->id, step->change, &step->integration, &step->refusal);
}

static inline struct integration change(struct world *world, const struct uuid *id,
                                        const struct integration_change *change)
{
    struct changing step = {.id = id, .change = change};
    assert_ok(world_run(world, run_change, &step));
    return step.integration;
}

/* --- Clients --- */

struct hiring {
    const struct uuid *integration_id;
    struct client_input input;
    struct client_credentials credentials;
};

static inline enum err run_hire(struct work *work, void *arg)
{
    struct hiring *step = arg;
    return client_create(work, step->integration_id, &step->input, &step->credentials);
}

/* A client for everything. */
static inline struct client_credentials hire(struct world *world, const struct uuid *integration_id)
{
    struct hiring step = {.integration_id = integration_id};
    assert_ok(world_run(world, run_hire, &step));
    return step.credentials;
}

struct listing {
    const struct uuid *integration_id;
    struct page_query query;
    struct client_list list;
};

static inline enum err run_list_clients(struct work *work, void *arg)
{
    struct listing *step = arg;
    return client_list(work, step->integration_id, &step->query, &step->list);
}

static inline struct record_list clients_of(struct world *world, const struct uuid *integration_id)
{
    struct listing step = {.integration_id = integration_id, .query.limit = CLIENTS_MAX};
    assert_ok(world_read(world, run_list_clients, &step));
    assert_null(step.list.next_cursor);
    return step.list.clients;
}

struct rotating {
    struct uuid client_id;
    int64_t overlap_seconds;
    struct client_credentials credentials;
};

static inline enum err run_rotate(struct work *work, void *arg)
{
    struct rotating *step = arg;
    return client_rotate_secret(work, &step->client_id, step->overlap_seconds, &step->credentials);
}

static inline struct client_credentials rotate(struct world *world, struct uuid client_id,
                                               int64_t overlap_seconds)
{
    struct rotating step = {.client_id = client_id, .overlap_seconds = overlap_seconds};
    assert_ok(world_run(world, run_rotate, &step));
    return step.credentials;
}

struct revoking {
    struct uuid client_id, secret_id;
};

static inline enum err run_revoke(struct work *work, void *arg)
{
    const struct revoking *step = arg;
    return client_revoke_secret(work, &step->client_id, &step->secret_id);
}

static inline enum err revoke(struct world *world, struct uuid client_id, struct uuid secret_id)
{
    return world_run(world, run_revoke, &(struct revoking){client_id, secret_id});
}

struct switching {
    struct uuid client_id;
    bool is_enabled;
};

static inline enum err run_switch(struct work *work, void *arg)
{
    const struct switching *step = arg;
    return client_set_enabled(work, &step->client_id, step->is_enabled);
}

static inline enum err set_enabled(struct world *world, struct uuid client_id, bool is_enabled)
{
    return world_run(world, run_switch, &(struct switching){client_id, is_enabled});
}

/* --- Who is it? --- */

struct asking {
    struct str client_id, secret;
    struct client_identity identity;
};

static inline enum err run_authenticate(struct work *work, void *arg)
{
    struct asking *step = arg;
    return client_authenticate(work, step->client_id, step->secret, &step->identity);
}

static inline enum err authenticate_as(struct world *world, const char *client_id,
                                       const char *secret, struct client_identity *ret_identity)
{
    struct asking step = {.client_id = str_of(client_id), .secret = str_of(secret)};
    enum err err = world_read(world, run_authenticate, &step);
    if (!err) *ret_identity = step.identity;
    return err;
}

/* Returns whether these credentials get a token. */
static inline enum err authenticate(struct world *world,
                                    const struct client_credentials *credentials)
{
    struct client_identity identity;
    char id[UUID_TEXT_LEN + 1];
    uuid_format(&credentials->client_id, id);
    return authenticate_as(world, id, credentials->client_secret, &identity);
}
