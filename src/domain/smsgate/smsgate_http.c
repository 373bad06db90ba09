/* The SMSGate app speaks to its private server by these operations (contract, section 15.2). They
 * are another program's, so the OpenAPI document does not have them. It does not read what it is
 * told of a refusal, only its status: at 401 it registers anew. */
#include "core/request.h"
#include "domain/fleet/pairing.h"
#include "domain/smsgate/smsgate.h"

#include <sodium.h>

enum { CREDENTIALS_MAX = 512 };

static const struct field headers[] = {
    {.name = "Authorization",
     .type = FIELD_STRING,
     .doc = "`Code` with a pairing code, `Basic` with the id of the phone and its key, or `Bearer` "
            "with its key.",
     .example = "Code 40718265"},
    {0},
};

/* --- Registering ------------------------------------------------------------------------------ */

/* Reads "Code 40718265"; false: it is of another scheme. */
static bool read_scheme(struct str header, const char *scheme, struct str *ret_rest)
{
    size_t len = strlen(scheme);

    if (header.len <= len || header.data[len] != ' ') return false;
    if (!str_is_nocase((struct str){header.data, len}, scheme)) return false;
    *ret_rest = str_trim((struct str){header.data + len, header.len - len});
    return true;
}

/* Cuts the key out of base64(id:key); the app has no other place for it than a password. */
static bool read_password(struct str base64, struct arena *arena, struct str *ret_key)
{
    char *text = arena_alloc(arena, CREDENTIALS_MAX);
    size_t len = 0;

    if (base64.len > CREDENTIALS_MAX || !str_is_visible(base64)) return false;
    if (sodium_base642bin((uint8_t *)text, CREDENTIALS_MAX, base64.data, base64.len, NULL, &len,
                          NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    const char *colon = memchr(text, ':', len);
    if (!colon) return false;
    *ret_key = (struct str){colon + 1, len - (size_t)(colon + 1 - text)};
    return true;
}

/* Whoever has a key keeps it. */
static enum err take_key(struct request *rq, struct str key, struct rotated_key *ret_key)
{
    struct device device;
    enum err err = fleet_authenticate(&rq->work, key, &device);
    if (err) return err;
    *ret_key = (struct rotated_key){device.id, arena_str(rq->work.arena, key)};
    return ERR_OK;
}

static enum err let_in(struct request *rq, struct rotated_key *ret_key, bool *ret_is_wrong)
{
    struct str rest, key;

    *ret_is_wrong = false;
    if (read_scheme(rq->headers[0], "Code", &rest))
        return pairing_use(&rq->work, rest, ret_key, ret_is_wrong);
    if (read_scheme(rq->headers[0], "Bearer", &rest)) return take_key(rq, rest, ret_key);
    if (read_scheme(rq->headers[0], "Basic", &rest) && read_password(rest, rq->work.arena, &key))
        return take_key(rq, key, ret_key);
    return ERR_UNAUTHORIZED;
}

static enum err handle_register(struct request *rq)
{
    const struct smsgate_device *input = rq->body;
    struct smsgate_registration registration = {.password = NULL};
    struct rotated_key key;
    struct device device;
    bool is_wrong;

    enum err err = let_in(rq, &key, &is_wrong);
    if (err) return err;
    if (is_wrong) {
        reply_refusal(rq, ERR_UNAUTHORIZED);
        return ERR_OK;
    }
    if (rq->work.task.is_read) return ERR_WRITE_NEEDED;
    err = smsgate_store_sims(&rq->work, &key.device_id, &input->sims);
    if (!err) err = fleet_read(&rq->work, &key.device_id, &device);
    if (err) return err;
    registration.id = key.device_id;
    registration.token = key.device_key;
    registration.login = device.name;
    reply_record(rq, &registration);
    return ERR_OK;
}

static enum err handle_update(struct request *rq)
{
    const struct smsgate_device *input = rq->body;
    const struct device *phone = rq->principal;

    if (input->id && strcmp(input->id, uuid_text(&phone->id, rq->work.arena)) != 0)
        return ERR_NUMBER_NOT_OWNED;
    enum err err = smsgate_store_sims(&rq->work, &phone->id, &input->sims);
    if (err) return err;
    fleet_renew_seen(&rq->work, phone);
    reply_empty(rq);
    return ERR_OK;
}

static void reply_json(struct request *rq, const char *text)
{
    buf_text(&rq->reply, text);
    rq->status = rq->route->status;
}

static enum err handle_show_address(struct request *rq)
{
    struct json_writer writer;

    json_writer_init(&writer, &rq->reply);
    json_object_begin(&writer);
    json_put_text(&writer, "externalIp", rq->work.address);
    json_object_end(&writer);
    rq->status = rq->route->status;
    return ERR_OK;
}

/* --- Messages --------------------------------------------------------------------------------- */

static enum err handle_pull(struct request *rq)
{
    struct record_list messages;
    struct json_writer writer;
    enum err err = smsgate_pull(&rq->work, rq->principal, &messages);
    if (err) return err;

    const struct smsgate_message *items = messages.items;
    json_writer_init(&writer, &rq->reply);
    json_array_begin(&writer);
    for (size_t i = 0; i < messages.count; i++)
        record_encode(&smsgate_message_record, &items[i], &writer);
    json_array_end(&writer);
    rq->status = rq->route->status;
    return ERR_OK;
}

/* The app sends a list, and records are objects. */
static struct str wrap(struct str list, struct arena *arena)
{
    static const char begin[] = "{\"items\":";
    size_t begin_len = sizeof(begin) - 1;
    char *object = arena_alloc(arena, begin_len + list.len + 1);

    memcpy(object, begin, begin_len);
    if (list.len > 0) memcpy(object + begin_len, list.data, list.len);
    object[begin_len + list.len] = '}';
    return (struct str){object, begin_len + list.len + 1};
}

static enum err handle_report(struct request *rq)
{
    struct arena *arena = rq->work.arena;
    struct smsgate_reports reports;

    rq->faults = ARENA_NEW(arena, struct record_faults);
    record_faults_init(rq->faults, arena);
    enum err err = record_decode(&smsgate_reports_record, wrap(rq->raw_body, arena), false, arena,
                                 &reports, rq->faults);
    if (!err) err = smsgate_take_reports(&rq->work, rq->principal, &reports);
    return reply_done(rq, err);
}

/* --- What else it asks ------------------------------------------------------------------------ */

/* herald hears of all that it needs by other ways. */
static enum err handle_webhooks(struct request *rq)
{
    reply_json(rq, "[]");
    return ERR_OK;
}

/* The phone is to listen to herald alone, to ask every 20 seconds all the same, and to send in the
 * order in which it is asked. */
static enum err handle_settings(struct request *rq)
{
    reply_json(rq, "{\"gateway\":{\"notification_channel\":\"SSE_ONLY\"},"
                   "\"ping\":{\"interval_seconds\":20},"
                   "\"messages\":{\"processing_order\":\"FIFO\"}}");
    return ERR_OK;
}

static enum err handle_listen(struct request *rq)
{
    const struct device *phone = rq->principal;

    if (!phone->enabled) return ERR_DEVICE_DISABLED;
    rq->status = rq->route->status;
    return ERR_OK;
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define OF_APP .tag = "SMSGate", .error_style = ERRORS_MESSAGE, .description = "As the app has it."

static const struct route rows[] = {
    {
        .method = "POST",
        .path = "/smsgate/v1/device",
        .operation_id = "smsgateRegister",
        .action = "pairing.use",
        .summary = "Register",
        .auth = AUTH_PAIRING,
        .access = ACCESS_READ_FIRST,
        .headers = headers,
        .body = &smsgate_device_record,
        .status = 201,
        .reply_doc = "The phone is registered.",
        .reply = &smsgate_registration_record,
        .handle = handle_register,
        OF_APP,
    },
    {
        .method = "PATCH",
        .path = "/smsgate/v1/device",
        .operation_id = "smsgateUpdate",
        .summary = "Say which SIMs there are",
        .auth = AUTH_DEVICE_KEY,
        .body = &smsgate_device_record,
        .reply_doc = "It is known.",
        .handle = handle_update,
        OF_APP,
    },
    {
        .method = "GET",
        .path = "/smsgate/v1/device",
        .operation_id = "smsgateShowAddress",
        .summary = "Show the public address of the phone",
        .auth = AUTH_PAIRING,
        .access = ACCESS_NONE,
        .reply_doc = "The address.",
        .handle = handle_show_address,
        OF_APP,
    },
    {
        .method = "GET",
        .path = "/smsgate/v1/message",
        .operation_id = "smsgatePull",
        .summary = "Fetch messages",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_FIRST,
        .reply_doc = "The messages.",
        .handle = handle_pull,
        OF_APP,
    },
    {
        .method = "PATCH",
        .path = "/smsgate/v1/message",
        .operation_id = "smsgateReport",
        .summary = "Say what became of messages",
        .auth = AUTH_DEVICE_KEY,
        .reply_doc = "It is known.",
        .handle = handle_report,
        OF_APP,
    },
    {
        .method = "GET",
        .path = "/smsgate/v1/webhooks",
        .operation_id = "smsgateListWebhooks",
        .summary = "List webhooks",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_ROW,
        .reply_doc = "There are none.",
        .handle = handle_webhooks,
        OF_APP,
    },
    {
        .method = "GET",
        .path = "/smsgate/v1/settings",
        .operation_id = "smsgateListSettings",
        .summary = "List settings",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_ROW,
        .reply_doc = "The settings.",
        .handle = handle_settings,
        OF_APP,
    },
    {
        .method = "GET",
        .path = "/smsgate/v1/events",
        .operation_id = "smsgateListen",
        .summary = "Listen for messages",
        .auth = AUTH_DEVICE_KEY,
        .access = ACCESS_READ_ROW,
        .reply_doc = "A stream of hints.",
        .opens_phone_stream = true,
        .handle = handle_listen,
        OF_APP,
    },
};

const struct route_table smsgate_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};
