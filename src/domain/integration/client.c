/*
 * Workload clients and their secrets (doc B, section 5; contract, section 4). A secret is 256
 * random bits, shown once; what is stored is its hash, by which it is found. Rotating leaves at
 * most two live ones, revoking and disabling stop new tokens at once.
 */
#include "core/audit.h"
#include "core/words.h"
#include "domain/integration/client_db.h"
#include "domain/integration/integration_db.h"

#define SECRET_PREFIX "hs_"

static unsigned wanted_scopes(const struct client_input *input)
{
    const char *const *words = input->scopes.items;
    unsigned scopes = 0;

    if (!words) return SCOPES_ALL;
    for (size_t i = 0; i < input->scopes.count; i++) {
        int scope = word_index(scope_words, words[i]);
        assert(scope >= 0); /* the record has checked it */
        scopes |= 1U << scope;
    }
    return scopes;
}

/* Makes a new secret for the client; the arena holds the only copy of it. */
static enum err issue_secret(struct work *work, const struct workload_client *client,
                             struct client_credentials *ret_credentials)
{
    struct client_secret secret = {.id = uuid_new(work->now_ms), .created_at = work->now_ms};
    const char *text = secret_new_token(work->arena, SECRET_PREFIX);
    uint8_t hash[SECRET_HASH_LEN];

    secret_hash(str_of(text), hash);
    enum err err = client_secret_insert(work, &client->client_id, &secret,
                                        (struct str){(const char *)hash, sizeof(hash)});
    if (err) return err;
    *ret_credentials = (struct client_credentials){
        .client_id = client->client_id,
        .client_secret = text,
        .secret_id = secret.id,
        .token_url = work->service->integrations->token_url,
        .integration_id = client->integration_id,
        .scopes = client->scopes,
    };
    return ERR_OK;
}

/* Names the new secret by its id. */
static void audit_secret(struct work *work, struct audit_changes *changes,
                         const struct uuid *secret_id)
{
    audit_change_text(changes, "secret_id", NULL, uuid_text(secret_id, work->arena));
    audit_change_secret(changes, "secret");
}

/* A secret for which no token would be issued is not handed out. */
static enum err check_issuing(const struct work *work)
{
    return work->service->integrations->has_own_tokens ? ERR_OK : ERR_TOKENS_ELSEWHERE;
}

/* Holds the integration, so that the last place is given once. */
static enum err check_room(struct work *work, const struct uuid *integration_id)
{
    struct integration integration;
    int64_t count;

    enum err err = integration_lock(work, integration_id, &integration);
    if (err) return err;
    err = client_count(work, integration_id, &count);
    if (err) return err;
    return count < CLIENTS_MAX ? ERR_OK : ERR_VALIDATION;
}

enum err client_create(struct work *work, const struct uuid *integration_id,
                       const struct client_input *input, struct client_credentials *ret_credentials)
{
    enum err err = check_issuing(work);
    if (!err) err = check_room(work, integration_id);
    if (err) return err;

    struct workload_client client = {
        .client_id = uuid_new(work->now_ms),
        .integration_id = *integration_id,
        .name = input->name,
        .enabled = true,
        .created_at = work->now_ms,
        .scope_set = wanted_scopes(input),
    };
    client.scopes = scopes_list(work->arena, client.scope_set);
    err = client_insert(work, &client);
    if (err) return err;
    err = issue_secret(work, &client, ret_credentials);
    if (err) return err;

    work_note(work, LOG_INFO, "client created",
              LOG_FIELDS(log_uuid("client_id", &client.client_id), log_integration(integration_id),
                         log_words("name", client.name),
                         log_plain("scopes", scopes_text(work->arena, client.scope_set)),
                         log_uuid("secret_id", &ret_credentials->secret_id)));
    struct audit_changes changes = {.arena = work->arena};
    audit_change_text(&changes, "integration_id", NULL, uuid_text(integration_id, work->arena));
    audit_change_words(&changes, "name", NULL, client.name);
    audit_change_text(&changes, "scopes", NULL, scopes_text(work->arena, client.scope_set));
    audit_secret(work, &changes, &ret_credentials->secret_id);
    work_audit_id(work, "client.create", "client", &client.client_id, &changes);
    return ERR_OK;
}

enum err client_list(struct work *work, const struct uuid *integration_id,
                     const struct page_query *query, struct client_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct workload_client, client_id);
    struct client_list list = {0};
    struct integration integration;
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_id, &after);
    if (!err) err = integration_read(work, integration_id, &integration);
    if (!err)
        err = client_select_page(work, integration_id, &after.id, query->limit + 1, &list.clients);
    if (err) return err;
    list.next_cursor = page_end(query->limit, &by_id, &list.clients, work->arena);
    *ret_list = list;
    return ERR_OK;
}

/* --- Secrets --- */

/* The newest secret is the one without an end or, where that was revoked, the one that still
 * overlapped with it. */
static const struct client_secret *find_newest(const struct record_list *secrets)
{
    const struct client_secret *rows = secrets->items, *newest = NULL;

    for (size_t i = 0; i < secrets->count; i++) {
        if (!newest || newest->expires_at > 0) newest = &rows[i];
    }
    return newest;
}

/* Leaves one old secret for the time of the overlap, which never prolongs an end that was set. The
 * others end now, whatever their end was. */
static enum err retire_secrets(struct work *work, const struct uuid *client_id,
                               int64_t overlap_seconds)
{
    struct record_list secrets;
    int64_t expires_at = work->now_ms + overlap_seconds * 1000;

    enum err err = client_secret_select(work, client_id, &secrets);
    if (err) return err;
    const struct client_secret *kept = overlap_seconds > 0 ? find_newest(&secrets) : NULL;
    err = client_secret_end_others(work, client_id, kept ? &kept->id : &(struct uuid){0});
    if (err || !kept) return err;
    if (kept->expires_at > 0 && kept->expires_at < expires_at) return ERR_OK;
    return client_secret_set_expiry(work, &kept->id, expires_at);
}

enum err client_rotate_secret(struct work *work, const struct uuid *client_id,
                              int64_t overlap_seconds, struct client_credentials *ret_credentials)
{
    struct workload_client client;

    enum err err = check_issuing(work);
    /* Two that rotate at the same moment come one after the other. */
    if (!err) err = client_lock(work, client_id, &client);
    if (err) return err;
    err = retire_secrets(work, client_id, overlap_seconds);
    if (err) return err;
    err = issue_secret(work, &client, ret_credentials);
    if (err) return err;

    work_note(work, LOG_INFO, "client secret rotated",
              LOG_FIELDS(log_uuid("client_id", client_id), log_integration(&client.integration_id),
                         log_int("overlap_seconds", overlap_seconds),
                         log_uuid("secret_id", &ret_credentials->secret_id)));
    struct audit_changes changes = {.arena = work->arena};
    audit_secret(work, &changes, &ret_credentials->secret_id);
    audit_change_text(&changes, "overlap_seconds", NULL,
                      arena_printf(work->arena, "%lld", (long long)overlap_seconds));
    work_audit_id(work, "client.rotate_secret", "client", client_id, &changes);
    return ERR_OK;
}

enum err client_revoke_secret(struct work *work, const struct uuid *client_id,
                              const struct uuid *secret_id)
{
    enum err err = client_secret_end(work, client_id, secret_id);
    if (err) return err;
    work_note(work, LOG_INFO, "client secret revoked",
              LOG_FIELDS(log_uuid("client_id", client_id), log_uuid("secret_id", secret_id)));
    struct audit_changes changes = {.arena = work->arena};
    audit_change_text(&changes, "secret_id", uuid_text(secret_id, work->arena), NULL);
    work_audit_id(work, "client.revoke_secret", "client", client_id, &changes);
    return ERR_OK;
}

enum err client_set_enabled(struct work *work, const struct uuid *client_id, bool is_enabled)
{
    struct workload_client before;
    struct audit_changes changes = {.arena = work->arena};

    enum err err = client_lock(work, client_id, &before);
    if (!err) err = client_update_enabled(work, client_id, is_enabled);
    if (err) return err;
    work_note(work, LOG_INFO, is_enabled ? "client enabled" : "client disabled",
              LOG_FIELDS(log_uuid("client_id", client_id)));
    audit_change_bool(&changes, "enabled", before.enabled, is_enabled);
    if (changes.count > 0) work_audit_id(work, "client.enable", "client", client_id, &changes);
    return ERR_OK;
}

/* --- Who is it? --- */

enum err client_authenticate(struct work *work, struct str client_id, struct str secret,
                             struct client_identity *ret_identity)
{
    struct client_identity identity;
    struct uuid id;
    uint8_t hash[SECRET_HASH_LEN];

    /* The index compares hashes, so the time that it takes tells of the hash alone. */
    secret_hash(secret, hash);
    if (!uuid_parse(client_id, &id)) return ERR_UNAUTHORIZED;
    enum err err =
        client_select_identity(work, (struct str){(const char *)hash, sizeof(hash)}, &identity);
    if (err) return err == ERR_NOT_FOUND ? ERR_UNAUTHORIZED : err;
    if (!uuid_equal(&identity.client_id, &id)) return ERR_UNAUTHORIZED;
    *ret_identity = identity;
    return ERR_OK;
}
