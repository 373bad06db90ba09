/* The rules of webhooks (contract, section 13.3): who is told of what, and by which secrets. */
#include "domain/webhook/webhook.h"

#include "core/audit.h"
#include "domain/integration/erp_address.h"
#include "domain/webhook/webhook_db.h"
#include "domain/webhook/webhook_rules.h"

const char *const webhook_state_words[] = {"pending", "delivered", "failed", NULL};

enum { DAY_MS = 24 * 60 * 60 * 1000 };

/* --- Endpoints -------------------------------------------------------------------------------- */

static enum err check_url(const struct work *work, const char *url, struct record_fault *ret_fault)
{
    bool is_https = erp_url_is_https(str_of(url));

    *ret_fault = (struct record_fault){"url", NULL};
    if (!erp_url_is_valid(str_of(url)))
        ret_fault->message = erp_url_explain(str_of(url), work->arena);
    if (!erp_url_is_valid(str_of(url)) && !ret_fault->message)
        ret_fault->message = "Must be https://HOST/PATH, without a user, a query or a fragment.";
    else if (!is_https && !work->service->webhooks->may_use_http)
        ret_fault->message = "Must begin with https://, since HERALD_WEBHOOK_ALLOW_HTTP is off.";
    return ret_fault->message ? ERR_VALIDATION : ERR_OK;
}

static enum err check_types(struct work *work, const struct record_list *types,
                            struct record_fault *ret_fault)
{
    const char *const *items = types->items;

    for (size_t i = 0; i < types->count; i++) {
        if (event_is_type(str_of(items[i])) || strcmp(items[i], WEBHOOK_TEST) == 0) continue;
        *ret_fault =
            (struct record_fault){arena_printf(work->arena, "types[%zu]", i),
                                  "Is no type of events; otp.* means all of a subject, * all."};
        return ERR_VALIDATION;
    }
    return ERR_OK;
}

static void audit_endpoint(struct work *work, const char *action,
                           const struct webhook_endpoint *before,
                           const struct webhook_endpoint *after, bool has_new_secret)
{
    static const char *const skipped[] = {"id",          "created_at",    "updated_at",
                                          "active_from", "failing_since", NULL};
    const struct webhook_endpoint *either = after ? after : before;
    struct audit_changes changes = {.arena = work->arena};

    if (after) audit_change_record(&changes, &webhook_endpoint_record, before, after, skipped);
    if (has_new_secret) audit_change_secret(&changes, "secret");
    if (changes.count > 0 || !after)
        work_audit_id(work, action, "webhook_endpoint", &either->id, &changes);
}

static enum err make_secret(struct work *work, struct webhook_endpoint *endpoint)
{
    endpoint->secret = webhook_new_secret(work->arena);
    return work_seal(work, SEALED_WEBHOOK_SECRET, uuid_view(&endpoint->id),
                     str_of(endpoint->secret), &endpoint->sealed_secret);
}

bool webhook_may_send_numbers(const struct work *work)
{
    return !role_masks(work->actor->role).personal;
}

enum err webhook_prepare(struct work *work, bool *ret_is_ready)
{
    const struct event_setup *setup = work->service->events;
    bool was_wanted;

    *ret_is_ready = setup->mode == EVENTS_ON;
    if (setup->mode == EVENTS_OFF) return ERR_EVENTS_OFF;
    /* Whoever makes endpoints holds the head, also where all is written: they count them. */
    enum err err = event_hold_head(work, &was_wanted);
    if (err || setup->mode == EVENTS_ON) return err;
    return was_wanted ? event_is_confirmed(work, ret_is_ready) : event_want(work, true);
}

enum err webhook_create(struct work *work, const struct webhook_endpoint_input *input,
                        struct webhook_endpoint *ret_endpoint, struct record_fault *ret_fault)
{
    struct record_list all;
    struct webhook_endpoint endpoint = {
        .id = uuid_new(work->now_ms),
        .url = input->url,
        .types = input->types,
        .description = input->description,
        .full_numbers = input->full_numbers,
        .enabled = true,
        .created_at = work->now_ms,
        .updated_at = work->now_ms,
        .active_from = work->now_ms,
    };

    enum err err = check_url(work, input->url, ret_fault);
    if (!err) err = check_types(work, &input->types, ret_fault);
    if (!err) err = webhook_endpoint_select_all(work, false, &all);
    if (err) return err;
    if (all.count >= WEBHOOK_ENDPOINTS_MAX) {
        *ret_fault =
            (struct record_fault){"", "There are 50 endpoints, the most there can be. Delete one."};
        return ERR_VALIDATION;
    }
    err = make_secret(work, &endpoint);
    if (!err) err = webhook_endpoint_insert(work, &endpoint);
    if (err) return err;
    work_note(work, LOG_INFO, "webhook endpoint created",
              LOG_FIELDS(log_uuid("endpoint_id", &endpoint.id)));
    audit_endpoint(work, "webhook_endpoint.create", NULL, &endpoint, true);
    *ret_endpoint = endpoint;
    return ERR_OK;
}

enum err webhook_list(struct work *work, struct webhook_endpoint_list *ret_list)
{
    return webhook_endpoint_select_all(work, false, &ret_list->endpoints);
}

/* Nobody has numbers sent somewhere who may not see them. */
static bool sends_numbers_elsewhere(const struct webhook_endpoint *before,
                                    const struct webhook_endpoint *after)
{
    bool is_elsewhere = !before->full_numbers || strcmp(before->url, after->url) != 0;
    return after->full_numbers && is_elsewhere;
}

/* One that is enabled again has not failed since. */
static void apply(const struct work *work, const struct webhook_endpoint_change *change,
                  struct webhook_endpoint *endpoint)
{
    bool is_enabled_now = change->enabled == 1 && !endpoint->enabled;

    if (change->url) endpoint->url = change->url;
    if (change->types.items) endpoint->types = change->types;
    if (change->description) endpoint->description = change->description;
    if (change->full_numbers >= 0) endpoint->full_numbers = change->full_numbers != 0;
    if (change->enabled >= 0) endpoint->enabled = change->enabled != 0;
    if (is_enabled_now) {
        endpoint->disabled_why = NULL;
        endpoint->failing_since = 0;
        endpoint->active_from = work->now_ms;
    }
    endpoint->updated_at = work->now_ms;
}

enum err webhook_change(struct work *work, const struct uuid *id,
                        const struct webhook_endpoint_change *change,
                        struct webhook_endpoint *ret_endpoint, struct record_fault *ret_fault)
{
    struct webhook_endpoint before;

    enum err err = change->url ? check_url(work, change->url, ret_fault) : ERR_OK;
    if (!err) err = check_types(work, &change->types, ret_fault);
    if (!err) err = webhook_endpoint_select_locked(work, id, &before);
    if (err) return err;
    struct webhook_endpoint endpoint = before;
    apply(work, change, &endpoint);
    if (sends_numbers_elsewhere(&before, &endpoint) && !webhook_may_send_numbers(work))
        return ERR_INSUFFICIENT_ROLE;
    err = webhook_endpoint_update(work, &endpoint);
    if (err) return err;
    if (endpoint.enabled) db_notify(work->tx, WEBHOOK_TOPIC);
    audit_endpoint(work, "webhook_endpoint.change", &before, &endpoint, false);
    *ret_endpoint = endpoint;
    return ERR_OK;
}

enum err webhook_delete(struct work *work, const struct uuid *id)
{
    struct webhook_endpoint endpoint;
    enum err err = webhook_read(work, id, &endpoint);
    if (!err) err = webhook_endpoint_delete(work, id);
    if (err) return err;
    work_note(work, LOG_INFO, "webhook endpoint deleted", LOG_FIELDS(log_uuid("endpoint_id", id)));
    audit_endpoint(work, "webhook_endpoint.delete", &endpoint, NULL, false);
    return ERR_OK;
}

/* The old secret moves to another column, to which it is bound by its seal. */
enum err webhook_rotate(struct work *work, const struct uuid *id, int64_t overlap_seconds,
                        struct webhook_endpoint *ret_endpoint)
{
    struct webhook_endpoint endpoint;
    const char *old;

    enum err err = webhook_endpoint_select_locked(work, id, &endpoint);
    if (!err)
        err = vault_open_text(work->service->vault, sealed_at(SEALED_WEBHOOK_SECRET, uuid_view(id)),
                              endpoint.sealed_secret, work->arena, &old);
    if (!err)
        err = work_seal(work, SEALED_WEBHOOK_OLD_SECRET, uuid_view(id), str_of(old),
                        &endpoint.sealed_old_secret);
    if (!err) err = make_secret(work, &endpoint);
    if (err) return err;
    endpoint.old_secret_until = work->now_ms + overlap_seconds * 1000;
    endpoint.updated_at = work->now_ms;
    if (overlap_seconds == 0) {
        endpoint.sealed_old_secret = (struct str){0};
        endpoint.old_secret_until = 0;
    }
    err = webhook_endpoint_update(work, &endpoint);
    if (err) return err;
    work_note(work, LOG_INFO, "webhook secret rotated", LOG_FIELDS(log_uuid("endpoint_id", id)));
    audit_endpoint(work, "webhook_endpoint.rotate_secret", &endpoint, &endpoint, true);
    *ret_endpoint = endpoint;
    return ERR_OK;
}

/* --- Deliveries ------------------------------------------------------------------------------- */

enum err webhook_test(struct work *work, const struct uuid *id, const struct uuid *delivery_id)
{
    struct webhook_endpoint endpoint;
    struct webhook_delivery delivery = {
        .id = *delivery_id,
        .endpoint_id = *id,
        .event_id = *delivery_id,
        .seq = -1,
        .type = WEBHOOK_TEST,
        .created_at = work->now_ms,
    };
    enum err err = webhook_read(work, id, &endpoint);
    if (err) return err;
    if (!endpoint.enabled) return ERR_WEBHOOK_DISABLED;
    db_notify(work->tx, WEBHOOK_TOPIC);
    work_audit_id(work, "webhook_endpoint.test", "webhook_endpoint", id, NULL);
    return webhook_delivery_insert(work, &delivery);
}

enum err webhook_list_deliveries(struct work *work, const struct uuid *id,
                                 const struct webhook_delivery_filter *filter,
                                 struct webhook_delivery_list *ret_list)
{
    static const struct page_key by_time =
        PAGE_BY_NUMBER_AND_ID(struct webhook_delivery, created_at, id);
    struct webhook_endpoint endpoint;
    struct webhook_delivery_list list = {0};
    struct page_place before = {.number = INT64_MAX};

    enum err err = page_begin(filter->cursor, &by_time, &before);
    if (!err) err = webhook_read(work, id, &endpoint);
    if (!err)
        err = webhook_delivery_select_page(work, id, filter->state, &before, filter->limit + 1,
                                           &list.deliveries);
    if (err) return err;
    list.next_cursor = page_end(filter->limit, &by_time, &list.deliveries, work->arena);
    *ret_list = list;
    return ERR_OK;
}

enum err webhook_replay(struct work *work, const struct uuid *id, const struct uuid *delivery_id,
                        struct webhook_delivery *ret_delivery)
{
    enum err err = webhook_read_delivery(work, delivery_id, ret_delivery);
    if (err) return err;
    if (!uuid_equal(&ret_delivery->endpoint_id, id)) return ERR_NOT_FOUND;
    err = webhook_delivery_requeue(work, delivery_id);
    if (!err) err = webhook_read_delivery(work, delivery_id, ret_delivery);
    if (err) return err;
    db_notify(work->tx, WEBHOOK_TOPIC);
    work_audit_id(work, "webhook_endpoint.replay", "webhook_endpoint", id, NULL);
    return ERR_OK;
}

enum err webhook_recover(struct work *work, const struct uuid *id, int64_t since,
                         struct webhook_recovered *ret_recovered)
{
    struct webhook_endpoint endpoint;
    int64_t count = 0;

    enum err err = webhook_read(work, id, &endpoint);
    if (!err) err = webhook_delivery_requeue_failed(work, id, since, WEBHOOK_RECOVER_MAX, &count);
    if (err) return err;
    db_notify(work->tx, WEBHOOK_TOPIC);
    work_audit_id(work, "webhook_endpoint.recover", "webhook_endpoint", id, NULL);
    *ret_recovered = (struct webhook_recovered){count, count == WEBHOOK_RECOVER_MAX};
    return ERR_OK;
}

/* --- Fan-out ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct webhook_endpoint *endpoint, const char *type)
{
    const char *const *items = endpoint->types.items;

    for (size_t i = 0; i < endpoint->types.count; i++) {
        if (event_is_meant(str_of(items[i]), type)) return true;
    }
    return false;
}

static enum err deliver_to(struct work *work, const struct webhook_endpoint *endpoint,
                           const struct record_list *events)
{
    const struct event_row *rows = events->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < events->count; i++) {
        struct webhook_delivery delivery = {
            .id = uuid_new(work->now_ms),
            .endpoint_id = endpoint->id,
            .event_id = rows[i].id,
            .seq = rows[i].seq,
            .type = rows[i].type,
            .created_at = work->now_ms,
        };
        if (is_wanted(endpoint, rows[i].type)) err = webhook_delivery_insert(work, &delivery);
    }
    return err;
}

enum err webhook_fan_out(struct work *work, const struct record_list *events)
{
    struct record_list list;
    enum err err = webhook_endpoint_select_all(work, true, &list);
    const struct webhook_endpoint *endpoints = list.items;

    for (size_t i = 0; !err && i < list.count; i++)
        err = deliver_to(work, &endpoints[i], events);
    if (!err && list.count > 0) db_notify(work->tx, WEBHOOK_TOPIC);
    return err;
}

/* --- Sweeping --------------------------------------------------------------------------------- */

enum err webhook_sweep(struct work *work, int max, int64_t *ret_swept)
{
    int64_t before_ms = work->now_ms - work->service->events->days * DAY_MS;
    return webhook_delivery_delete_old(work, before_ms, max, ret_swept);
}

/* Whoever registers holds the head as well, so nobody begins to listen in between. */
enum err webhook_sweep_listening(struct work *work)
{
    struct record_list list;
    bool was_wanted;

    if (work->service->events->mode != EVENTS_AUTO) return ERR_OK;
    enum err err = event_hold_head(work, &was_wanted);
    if (err || !was_wanted) return err;
    err = webhook_endpoint_select_all(work, true, &list);
    return !err && list.count == 0 ? event_want(work, false) : err;
}
