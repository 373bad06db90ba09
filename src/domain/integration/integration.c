/*
 * Integrations: a sales point of a tenant and how its ERP is reached (doc B, section 2 "Connection
 * parameters"; contract, section 4). The ERP's token goes in and never comes out: it is stored
 * sealed, bound to the integration.
 */
#include "domain/integration/integration.h"

#include "core/audit.h"
#include "domain/integration/erp_address.h"
#include "domain/integration/integration_db.h"
#include "kit/base/fold.h"

enum { RIVALS_TOLD_MAX = 20 };

/* Records how an integration became another; `before` is NULL for a new one. The ERP's token is
 * new whenever it is given. */
static void audit_integration(struct work *work, const struct integration *before,
                              const struct integration *after, bool has_token)
{
    static const char *const computed[] = {"id", "exchange", "created_at", "updated_at", NULL};
    struct audit_changes changes = {.arena = work->arena};

    audit_change_record(&changes, &integration_record, before, after, computed);
    if (has_token) audit_change_secret(&changes, "erp.token");
    work_audit_id(work, before ? "integration.change" : "integration.create", "integration",
                  &after->id, &changes);
}

/* The records have checked all but this, which only the settings can tell. */
static enum err check_scheme(struct work *work, const struct erp_input *erp,
                             struct record_fault *ret_fault)
{
    if (!erp || !erp->base_url || work->service->integrations->may_use_http) return ERR_OK;
    if (erp_url_is_https(str_of(erp->base_url))) return ERR_OK;
    *ret_fault = (struct record_fault){
        "erp.base_url",
        "Must begin with https://; http:// needs the setting HERALD_ERP_ALLOW_HTTP."};
    return ERR_VALIDATION;
}

/* Whoever may change an address, but does not know the token, must not have it sent there. */
static enum err check_token_moves(const struct integration *before, const struct erp_input *erp,
                                  struct record_fault *ret_fault)
{
    if (!erp || !erp->base_url || erp->token) return ERR_OK;
    if (erp_url_has_same_origin(str_of(before->erp->base_url), str_of(erp->base_url)))
        return ERR_OK;
    *ret_fault = (struct record_fault){
        "erp.token", "Must be given with another scheme, host or port of base_url: the token that "
                     "is stored belongs to the address before, and is not sent to this one."};
    return ERR_VALIDATION;
}

/* Its point is held, so of two at one moment the second finds the first. */
static enum err check_point(struct work *work, const struct integration *integration,
                            struct integration_refusal *ret_refusal)
{
    enum err err = integration_select_rival(work, integration, &ret_refusal->taken_by);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    return err ? err : ERR_POINT_TAKEN;
}

/* An order of a test point never goes where those of production go (contract, section 4 "One
 * integration for a point"); those of a disabled one go nowhere. The places are held, so of two at
 * one moment the second finds the first. */
static enum err check_place(struct work *work, const struct integration *integration,
                            struct record_fault *ret_fault)
{
    static const char *const messages[] = {
        [ENVIRONMENT_PRODUCTION] = "Orders of a test integration go there already: have one of "
                                   "the two sent elsewhere.",
        [ENVIRONMENT_TEST] = "Orders of a production integration go there: those of a test one "
                             "need another place.",
    };
    bool has_one = false;

    if (!integration->enabled) return ERR_OK;
    enum err err = integration_places_hold(work);
    if (!err) err = integration_select_neighbour(work, integration, &has_one);
    if (err || !has_one) return err;
    *ret_fault = (struct record_fault){"erp.base_url", messages[integration->environment]};
    return ERR_VALIDATION;
}

/* Puts what is given in the place of what was. */
static enum err merge_erp(struct work *work, const struct erp_input *input,
                          struct integration *integration)
{
    struct erp *erp = integration->erp;

    if (input->base_url)
        erp->base_url = arena_str(work->arena, erp_url_trim(str_of(input->base_url)));
    if (input->order_path) erp->order_path = input->order_path;
    if (input->timeout_seconds > 0) erp->timeout_seconds = input->timeout_seconds;
    if (!input->token) return ERR_OK;
    return work_seal(work, SEALED_ERP_TOKEN, uuid_view(&integration->id), str_of(input->token),
                     &integration->sealed_erp_token);
}

enum err integration_create(struct work *work, const struct uuid *id,
                            const struct integration_input *input,
                            struct integration *ret_integration,
                            struct integration_refusal *ret_refusal)
{
    enum err err = check_scheme(work, input->erp, &ret_refusal->fault);
    if (err) return err;

    struct integration integration = {
        .id = *id,
        .tenant_id = input->tenant_id,
        .point_id = input->point_id,
        .environment = input->environment,
        .name = input->name,
        .enabled = true,
        .erp = ARENA_NEW(work->arena, struct erp),
        .max_archive_share = input->max_archive_share,
        .absent = input->absent,
        .created_at = work->now_ms,
        .updated_at = work->now_ms,
    };
    *integration.erp =
        (struct erp){.order_path = ERP_PATH_DEFAULT, .timeout_seconds = ERP_TIMEOUT_DEFAULT_S};
    err = merge_erp(work, input->erp, &integration);
    if (!err) err = integration_point_hold(work, &integration);
    if (!err) err = check_point(work, &integration, ret_refusal);
    if (!err) err = check_place(work, &integration, &ret_refusal->fault);
    if (!err) err = integration_insert(work, &integration);
    if (err) return err;

    *ret_integration = integration;
    work_note(work, LOG_INFO, "integration created",
              LOG_FIELDS(log_integration(id), log_uuid("tenant_id", &integration.tenant_id),
                         log_uuid("point_id", &integration.point_id),
                         log_words("name", integration.name),
                         log_plain("environment",
                                   integration_environment_words[integration.environment])));
    audit_integration(work, NULL, &integration, true);
    return exchange_select(work, ret_integration, 1);
}

enum err integration_show(struct work *work, const struct uuid *id,
                          struct integration *ret_integration)
{
    enum err err = integration_read(work, id, ret_integration);
    return err ? err : exchange_select(work, ret_integration, 1);
}

static struct integration_wanted wanted_by(struct work *work, const char *query, int is_enabled)
{
    struct integration_wanted wanted = {.is_enabled = is_enabled};

    wanted.has_id = query && uuid_parse(str_of(query), &wanted.id);
    if (query && !wanted.has_id) wanted.folded = fold_text(work->arena, query);
    return wanted;
}

enum err integration_list(struct work *work, const struct integration_filter *filter,
                          struct integration_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct integration, id);
    struct integration_wanted wanted = wanted_by(work, filter->query, filter->is_enabled);
    struct integration_list list = {0};
    struct page_place after = {0};

    enum err err = page_begin(filter->cursor, &by_id, &after);
    if (!err)
        err = integration_select_page(work, &wanted, &after.id, filter->limit + 1,
                                      &list.integrations);
    if (err) return err;
    list.next_cursor = page_end(filter->limit, &by_id, &list.integrations, work->arena);
    *ret_list = list;
    return exchange_select(work, list.integrations.items, list.integrations.count);
}

enum err integration_find(struct work *work, const char *query, int64_t max,
                          struct record_list *ret_integrations)
{
    struct integration_wanted wanted = wanted_by(work, query, -1);
    struct integration *own = ARENA_NEW(work->arena, struct integration);
    struct uuid none = {0};

    enum err err = wanted.has_id ? integration_read(work, &wanted.id, own) : ERR_NOT_FOUND;
    if (err != ERR_NOT_FOUND) {
        *ret_integrations = (struct record_list){own, err ? 0 : 1};
        return err;
    }
    wanted.looked_max = INTEGRATION_FOUND_AMONG;
    return integration_select_page(work, &wanted, &none, max, ret_integrations);
}

/* The record has seen to its form: one digit, and at most six places behind a point. */
int64_t integration_archive_share_ppm(const struct integration *integration,
                                      const struct service *service)
{
    const char *share = integration->max_archive_share;
    int64_t place = 1000000, ppm = 0;

    if (!share) return service->integrations->archive_share_ppm;
    for (const char *p = share; *p; p++) {
        if (*p == '.') continue;
        ppm += (*p - '0') * place;
        place /= 10;
    }
    return ppm;
}

/* The fields that became different, for the log; the message beside them tells of `enabled`. */
enum { DIFFERENCES_MAX = 16 };
struct difference {
    const char *message;
    struct log_field fields[DIFFERENCES_MAX];
    size_t count;
    bool is_any; /* of the record, whether `fields` names it or not */
};

static void differ(struct difference *difference, struct log_field field)
{
    assert(difference->count < DIFFERENCES_MAX);
    difference->fields[difference->count++] = field;
}

/* Either may be NULL. */
static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The ERP's token, of which nothing is shown, is new whenever it is given. */
static struct difference compare(const struct integration *before, const struct integration *after,
                                 bool has_token)
{
    const struct erp *old = before->erp, *new = after->erp;
    struct difference difference = {
        .message = after->enabled ? "integration enabled" : "integration disabled",
        .fields = {log_integration(&after->id), log_words("name", after->name)},
        .count = 2,
        .is_any = has_token || record_differs(&integration_record, before, after),
    };

    if (before->enabled == after->enabled) difference.message = "integration changed";
    if (strcmp(old->base_url, new->base_url) != 0)
        differ(&difference, log_id("base_url", new->base_url));
    if (strcmp(old->order_path, new->order_path) != 0)
        differ(&difference, log_id("order_path", new->order_path));
    if (old->timeout_seconds != new->timeout_seconds)
        differ(&difference, log_int("timeout_seconds", new->timeout_seconds));
    if (has_token) differ(&difference, log_bool("token_changed", true));
    if (!is_same_text(before->max_archive_share, after->max_archive_share))
        differ(&difference, log_plain("max_archive_share", after->max_archive_share));
    if (before->absent != after->absent)
        differ(&difference, log_plain("absent", integration_absent_words[after->absent]));
    return difference;
}

static enum err apply(struct work *work, const struct integration *before,
                      const struct integration_change *change, struct integration *ret_after)
{
    struct integration after = *before;

    after.erp = ARENA_NEW(work->arena, struct erp);
    *after.erp = *before->erp;
    if (change->name) after.name = change->name;
    if (change->max_archive_share)
        after.max_archive_share = change->max_archive_share[0] ? change->max_archive_share : NULL;
    if (change->absent >= 0) after.absent = change->absent;
    if (change->enabled >= 0) after.enabled = change->enabled > 0;
    enum err err = change->erp ? merge_erp(work, change->erp, &after) : ERR_OK;
    *ret_after = after;
    return err;
}

/* Holds the point of an integration, which never becomes that of another: so it can be looked up
 * before it is held. */
static enum err hold_point_of(struct work *work, const struct uuid *id)
{
    struct integration integration;
    enum err err = integration_read(work, id, &integration);
    return err ? err : integration_point_hold(work, &integration);
}

enum err integration_change(struct work *work, const struct uuid *id,
                            const struct integration_change *change,
                            struct integration *ret_integration,
                            struct integration_refusal *ret_refusal)
{
    struct integration before;

    enum err err = check_scheme(work, change->erp, &ret_refusal->fault);
    if (err) return err;
    if (change->enabled > 0) err = hold_point_of(work, id);
    /* The row is held, so of two changes at once the later one sees the address of the earlier. */
    if (!err) err = integration_lock(work, id, &before);
    if (!err) err = check_token_moves(&before, change->erp, &ret_refusal->fault);
    if (!err) err = apply(work, &before, change, ret_integration);
    if (err) return err;
    bool is_enabled_now = !before.enabled && ret_integration->enabled;
    if (is_enabled_now) err = check_point(work, ret_integration, ret_refusal);
    if (!err && (is_enabled_now || change->erp))
        err = check_place(work, ret_integration, &ret_refusal->fault);
    if (err) return err;
    bool has_token = change->erp && change->erp->token;
    struct difference difference = compare(&before, ret_integration, has_token);
    if (!difference.is_any) return exchange_select(work, ret_integration, 1);

    ret_integration->updated_at = work->now_ms;
    work_note(work, LOG_INFO, difference.message, difference.fields, difference.count);
    audit_integration(work, &before, ret_integration, has_token);
    err = integration_update(work, ret_integration);
    return err ? err : exchange_select(work, ret_integration, 1);
}

enum err integration_warn_of_rivals(struct work *work)
{
    struct record_list list;
    enum err err = integration_select_rivals(work, RIVALS_TOLD_MAX, &list);
    const struct integration_rivals *rivals = list.items;

    for (size_t i = 0; !err && i < list.count; i++)
        work_note(work, LOG_WARNING,
                  "two integrations are enabled for one point; disable the one that is not used",
                  LOG_FIELDS(log_integration(&rivals[i].id),
                             log_uuid("other_id", &rivals[i].other_id),
                             log_uuid("tenant_id", &rivals[i].tenant_id),
                             log_uuid("point_id", &rivals[i].point_id),
                             log_plain("environment", rivals[i].environment)));
    return err;
}
