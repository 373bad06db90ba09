/* A delivery is made and signed here: the body is the same at each attempt, the signature is that
 * of its moment (Standard Webhooks 1.0). */
#include "domain/webhook/webhook_request.h"

#include "core/sealed.h"
#include "core/service.h"
#include "domain/webhook/webhook_rules.h"
#include "kit/base/clock.h"
#include "kit/fetch/fetch.h"

#include <inttypes.h>

enum { CONNECT_TIMEOUT_MS = 5000 };
enum { BESIDE_DATA_MAX = 1024, DATA_MAX = WEBHOOK_BODY_MAX - BESIDE_DATA_MAX };
static_assert((int)EVENT_DATA_MAX < (int)DATA_MAX, "data fits, also with its numbers masked");

struct event_row webhook_test_event(const struct webhook_endpoint *endpoint,
                                    const struct webhook_delivery *delivery, struct arena *arena)
{
    return (struct event_row){
        .id = delivery->event_id,
        .type = delivery->type,
        .subject = EVENT_OF_WEBHOOK_ENDPOINT,
        .subject_id = uuid_text(&endpoint->id, arena),
        .sequence = endpoint->changes,
        .at = delivery->created_at,
        .data = "{}",
    };
}

/* {"type":..., "timestamp":..., "data":..., "subject":...} */
static struct str make_body(const struct service *service, const struct webhook_endpoint *endpoint,
                            const struct event_row *event, struct arena *arena)
{
    enum role role = endpoint->full_numbers ? ROLE_CORE : ROLE_SUPPORT;
    struct str data = event_show(service->events, event, role, arena);
    char at[CLOCK_TEXT_LEN + 1];
    struct json_writer writer;
    AUTO_BUF out = {0};

    clock_format(event->at, at);
    buf_init(&out, WEBHOOK_BODY_MAX);
    json_writer_init(&writer, &out);
    json_object_begin(&writer);
    json_put_text(&writer, "type", event->type);
    json_put_text(&writer, "timestamp", at);
    json_key(&writer, "data");
    bool is_told = data.data && data.len <= DATA_MAX;
    if (is_told) json_raw(&writer, data);
    if (!is_told) json_null(&writer);
    json_key(&writer, "subject");
    json_object_begin(&writer);
    json_put_text(&writer, "type", event_subject_words[event->subject]);
    json_put_text(&writer, "id", event->subject_id);
    json_put_int(&writer, "sequence", event->sequence);
    json_object_end(&writer);
    json_object_end(&writer);
    assert(!out.is_full);
    return str_of(arena_str(arena, buf_view(&out)));
}

static const char *open_secret(const struct service *service, enum sealed_column column,
                               const struct webhook_endpoint *endpoint, struct str sealed,
                               struct arena *arena)
{
    struct vault_place place = sealed_at(column, uuid_view(&endpoint->id));
    const char *secret = NULL;
    enum err err = vault_open_text(service->vault, place, sealed, arena, &secret);
    return err ? NULL : secret;
}

/* While two secrets overlap, both sign. NULL: the secret cannot be read. */
static const char *sign(const struct service *service, const struct webhook_endpoint *endpoint,
                        const char *id, int64_t wall_ms, struct str body, struct arena *arena)
{
    const char *secret =
        open_secret(service, SEALED_WEBHOOK_SECRET, endpoint, endpoint->sealed_secret, arena);
    const char *old = NULL;

    if (endpoint->old_secret_until > clock_now_ms())
        old = open_secret(service, SEALED_WEBHOOK_OLD_SECRET, endpoint, endpoint->sealed_old_secret,
                          arena);
    const char *first = secret ? webhook_sign(secret, id, wall_ms / 1000, body, arena) : NULL;
    const char *second = old ? webhook_sign(old, id, wall_ms / 1000, body, arena) : NULL;
    return first && second ? arena_printf(arena, "%s %s", first, second) : first;
}

bool webhook_fill_request(struct fetch *fetch, const struct service *service,
                          const struct webhook_endpoint *endpoint, const struct event_row *event,
                          struct arena *arena)
{
    int64_t wall_ms = clock_wall_ms();
    struct str body = make_body(service, endpoint, event, arena);
    const char *id = uuid_text(&event->id, arena);
    const char *signature = sign(service, endpoint, id, wall_ms, body, arena);
    const char *at = arena_printf(arena, "%" PRId64, wall_ms / 1000);

    fetch->method = "POST";
    fetch->url = arena_text(arena, endpoint->url);
    fetch->body = body;
    fetch->cuts_answer = true; /* its status says all */
    fetch->headers[0] = (struct fetch_header){"Content-Type", "application/json"};
    fetch->headers[1] = (struct fetch_header){"webhook-id", id};
    fetch->headers[2] = (struct fetch_header){"webhook-timestamp", at};
    fetch->headers[3] = (struct fetch_header){"webhook-signature", signature};
    if (event->traceparent)
        fetch->headers[4] =
            (struct fetch_header){"traceparent", arena_text(arena, event->traceparent)};
    fetch->route = (struct fetch_route){
        .ca_file = service->webhooks->ca_file,
        .networks = service->webhooks->networks,
        .connect_timeout_ms = CONNECT_TIMEOUT_MS,
        .timeout_ms = WEBHOOK_TIMEOUT_MS,
    };
    return signature;
}
