/*
 * The app as it behaves. Its first start registers; each later one says which SIMs there are. It
 * asks for webhooks and settings, and obeys changed settings from its next start on. It keeps
 * each message with its state, and takes none twice: one that comes again has its state told again.
 * What it had not sent when it died, it sends at its next start, if that is not too late. A message
 * is noted as Processed before the radio has it, so that one of the two dies with it rather than
 * both are done twice. A report that is not taken is repeated, until the app dies.
 */
#include "app.h"

#include "kept.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "memory.h"
#include "sim/common/say.h"
#include "sim/common/stop.h"
#include "wire.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BODY_MAX = 8192,
    REPORTS_MAX = 64,
    REPEAT_MS = 1000,
    FLOOR_MS = 15 * 60 * 1000, /* Android's least for what repeats; it holds until told otherwise */
    STREAM_AGAIN_MS = 5 * 1000, /* the first tries of the app */
    WAIT_MAX_MS = 1000,
};

struct report {
    char id[UUID_TEXT_LEN + 1];
    enum state state;
    const char *error;
    int64_t due_ms; /* monotonic */
};

struct app {
    const struct options *options;
    struct server *server;
    struct memory *memory;
    int stop_fd;
    struct kept kept; /* as it is on the phone now */
    struct report reports[REPORTS_MAX];
    size_t report_count;
    int64_t ping_ms, next_pull_ms, next_stream_ms, stream_since_ms;
    int64_t sends;
    bool listens; /* as the settings were when it started */
    bool has_settings, has_webhooks, is_refused, is_dead;
};

/* --- Registering ------------------------------------------------------------------------------ */

static bool is_to_die(struct app *app, const char *step)
{
    const char *die_at = app->options->die_at;
    if (!die_at || strcmp(die_at, step) != 0) return false;
    say(NULL, "dies behind %s, as told", step);
    app->is_dead = true;
    return true;
}

static void use_key(struct app *app)
{
    char header[KEPT_KEY_MAX + 16];
    snprintf(header, sizeof(header), "Bearer %s", app->kept.key);
    server_authorize(app->server, header);
}

static void keep(const struct app *app)
{
    if (!kept_write(app->options->key_file, &app->kept)) say(NULL, "the key cannot be kept");
}

/* Only the last four digits leave the phone. */
static void write_sims(const struct app *app, struct buf *out)
{
    buf_text(out, "[");
    for (size_t i = 0; i < app->options->sim_count; i++) {
        const char *number = app->options->sims[i];
        size_t len = strlen(number);
        buf_printf(out, "%s{\"slotIndex\":%zu,\"simNumber\":%zu,\"phoneNumber\":", i ? "," : "", i,
                   i + 1);
        if (app->options->hides_numbers || len < 4)
            buf_text(out, "null}");
        else
            buf_printf(out, "\"********%s\"}", number + len - 4);
    }
    buf_text(out, "]");
}

static void authorize(struct app *app)
{
    char header[KEPT_KEY_MAX + 16];

    if (app->options->code && !app->kept.key[0]) {
        snprintf(header, sizeof(header), "Code %s", app->options->code);
        server_authorize(app->server, header);
    } else {
        use_key(app);
    }
}

static void write_device(const struct app *app, struct buf *out)
{
    if (app->kept.device_id[0])
        buf_printf(out, "{\"id\":\"%s\"", app->kept.device_id);
    else
        buf_text(out, "{\"name\":\"Google/Pixel\"");
    buf_printf(out, ",\"pushToken\":%s,\"simCards\":",
               app->options->has_google ? "\"token-of-google\"" : "null");
    write_sims(app, out);
    buf_text(out, "}");
}

/* Registers; false where herald does not let it in, or is not there. */
static bool sign_up(struct app *app)
{
    struct registration registration;
    struct arena arena;
    AUTO_BUF body = {0}, answer = {0};

    buf_init(&body, BODY_MAX);
    buf_init(&answer, ANSWER_MAX);
    write_device(app, &body);
    authorize(app);
    long status = server_ask(app->server, "POST", "/device", buf_view(&body), &answer);
    arena_init(&arena);
    bool is_in = status == 201 &&
                 wire_decode(&registration_record, buf_view(&answer), &arena, &registration);
    if (is_in) {
        snprintf(app->kept.key, sizeof(app->kept.key), "%s", registration.token);
        snprintf(app->kept.device_id, sizeof(app->kept.device_id), "%s", registration.id);
        use_key(app);
        keep(app);
        say(NULL, "registered as %s", app->kept.device_id);
    } else {
        say(NULL, "not registered: %ld", status);
        app->is_refused = status == 401;
    }
    arena_done(&arena);
    return is_in;
}

/* Each start of an app that is registered says which SIMs there are. */
static bool update(struct app *app)
{
    AUTO_BUF body = {0}, answer = {0};

    buf_init(&body, BODY_MAX);
    buf_init(&answer, ANSWER_MAX);
    write_device(app, &body);
    use_key(app);
    long status = server_ask(app->server, "PATCH", "/device", buf_view(&body), &answer);
    say(NULL, "said which SIMs there are: %ld", status);
    app->is_refused = status == 401;
    return status == 204;
}

/* Its first page shows the address that the server sees; nothing hangs on it. */
static void show_address(struct app *app)
{
    AUTO_BUF answer = {0};

    buf_init(&answer, ANSWER_MAX);
    long status = server_ask(app->server, "GET", "/device", (struct str){0}, &answer);
    say(NULL, "asked for its address: %ld", status);
}

/* --- Settings --------------------------------------------------------------------------------- */

static void take_settings(struct app *app, const struct settings *settings)
{
    struct kept before = app->kept;

    if (settings->ping) app->kept.ping_ms = settings->ping->interval_s * 1000;
    if (settings->gateway && settings->gateway->channel)
        app->kept.is_sse_only = strcmp(settings->gateway->channel, "SSE_ONLY") == 0;
    if (app->kept.ping_ms == before.ping_ms && app->kept.is_sse_only == before.is_sse_only) return;
    keep(app);
    say(NULL, "settings are changed: start the app anew to apply them");
}

static void fetch_settings(struct app *app)
{
    struct settings settings;
    struct arena arena;
    AUTO_BUF answer = {0};

    buf_init(&answer, ANSWER_MAX);
    long status = server_ask(app->server, "GET", "/settings", (struct str){0}, &answer);
    say(NULL, "asked for settings: %ld", status);
    arena_init(&arena);
    app->has_settings =
        status == 200 && wire_decode(&settings_record, buf_view(&answer), &arena, &settings);
    if (app->has_settings) take_settings(app, &settings);
    arena_done(&arena);
}

static void fetch_webhooks(struct app *app)
{
    AUTO_BUF answer = {0};

    buf_init(&answer, ANSWER_MAX);
    long status = server_ask(app->server, "GET", "/webhooks", (struct str){0}, &answer);
    say(NULL, "asked for webhooks: %ld", status);
    app->has_webhooks = status == 200;
}

/* --- Reports ---------------------------------------------------------------------------------- */

static void add_report(struct app *app, const char *id, enum state state, const char *error)
{
    if (app->report_count == REPORTS_MAX) return;
    struct report *report = &app->reports[app->report_count++];
    *report = (struct report){.state = state, .error = error, .due_ms = clock_monotonic_ms()};
    snprintf(report->id, sizeof(report->id), "%s", id);
}

/* Answers whether herald has taken it; a 401 has it register anew, without a key. */
static bool tell(struct app *app, const struct report *report)
{
    AUTO_BUF body = {0}, answer = {0};
    char now[CLOCK_TEXT_LEN + 1];
    const char *word = state_words[report->state], *quote = report->error ? "\"" : "";

    buf_init(&body, BODY_MAX);
    buf_init(&answer, ANSWER_MAX);
    clock_format(clock_now_ms() + app->options->clock_off_ms, now);
    buf_printf(
        &body,
        "[{\"id\":\"%s\",\"state\":\"%s\",\"recipients\":[{\"phoneNumber\":\"0\","
        "\"state\":\"%s\",\"error\":%s%s%s}],\"states\":{\"Pending\":\"%s\",\"%s\":\"%s\"}}]",
        report->id, word, word, quote, report->error ? report->error : "null", quote, now, word,
        now);
    long status = server_ask(app->server, "PATCH", "/message", buf_view(&body), &answer);
    say(NULL, "reported %s of %s: %ld", word, report->id, status);
    if (status == 401) app->is_refused = true;
    return status == 204;
}

/* In their order, so that a Sent does not overtake its Processed. */
static void tell_all(struct app *app)
{
    while (app->report_count > 0 && app->reports[0].due_ms <= clock_monotonic_ms()) {
        if (!tell(app, &app->reports[0])) {
            app->reports[0].due_ms = clock_monotonic_ms() + REPEAT_MS;
            return;
        }
        app->report_count--;
        memmove(app->reports, app->reports + 1, app->report_count * sizeof(*app->reports));
    }
}

/* --- Sending ---------------------------------------------------------------------------------- */

/* The app keeps the state before it tells it. */
static void reach(struct app *app, struct remembered *row, enum state state, const char *error)
{
    char id[UUID_TEXT_LEN + 1];

    if (!memory_set(app->memory, row, state, error)) app->is_dead = true;
    uuid_format(&row->id, id);
    if (!app->is_dead) add_report(app, id, state, row->error);
}

static bool put_on_air(const struct app *app, const struct remembered *row)
{
    char id[UUID_TEXT_LEN + 1], *text = say_quote(str_of(row->text));
    bool is_written = true;

    uuid_format(&row->id, id);
    say(NULL, "SIM %d, SMS to %s: %s", (int)row->slot, row->recipient, text);
    if (app->options->sms_file) {
        int file = open(app->options->sms_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        is_written = file >= 0 && dprintf(file,
                                          "{\"task_id\":\"%s\",\"slot\":%d,\"recipient\":\"%s\","
                                          "\"text\":%s}\n",
                                          id, (int)row->slot, row->recipient, text) > 0;
        if (file >= 0) close(file);
    }
    free(text);
    return is_written;
}

static bool is_turn(int64_t each, int64_t count)
{
    return each > 0 && count % each == 0;
}

/* Hears what the network says behind the radio; the app may lose its Sent. */
static void hear_of(struct app *app, struct remembered *row)
{
    const struct options *options = app->options;

    if (is_turn(options->stuck_each, app->sends)) return;
    if (!options->skips_sent) reach(app, row, STATE_SENT, NULL);
    tell_all(app);
    if (is_to_die(app, "sent")) return;
    if (is_turn(options->undelivered_each, app->sends))
        reach(app, row, STATE_FAILED, "Delivery result from SC +79168999100: 70");
    else
        reach(app, row, STATE_DELIVERED, NULL);
}

static void send_message(struct app *app, struct remembered *row)
{
    const struct options *options = app->options;

    if (stop_wait(app->stop_fd, options->doze_ms)) return;
    if (clock_now_ms() + options->clock_off_ms > row->valid_until) {
        reach(app, row, STATE_FAILED, "TTL expired");
        return;
    }
    reach(app, row, STATE_PROCESSED, NULL);
    if (app->is_dead || is_to_die(app, "memory")) return;
    tell_all(app);
    if (is_to_die(app, "processed")) return;
    app->sends++;
    if (is_turn(options->fail_each, app->sends)) {
        reach(app, row, STATE_FAILED, "Send result: RESULT_ERROR_NO_SERVICE");
        return;
    }
    if (!put_on_air(app, row)) app->is_dead = true;
    if (!app->is_dead && !is_to_die(app, "air")) hear_of(app, row);
}

static bool is_reporting(const struct app *app, const char *id)
{
    for (size_t i = 0; i < app->report_count; i++) {
        if (strcmp(app->reports[i].id, id) == 0) return true;
    }
    return false;
}

static void take_new(struct app *app, const struct message *message)
{
    struct remembered *row = memory_add(app->memory, message);

    if (!row)
        app->is_dead = true;
    else if (strcmp(message->state, "Cancelling") == 0)
        reach(app, row, STATE_CANCELLED, NULL);
    else if (!is_to_die(app, "stored"))
        send_message(app, row);
}

static void take_message(struct app *app, const struct message *message)
{
    struct remembered *row = memory_find(app->memory, &message->id);
    char id[UUID_TEXT_LEN + 1];

    uuid_format(&message->id, id);
    if (message->recipients.count == 0 || is_reporting(app, id)) return;
    if (!row)
        take_new(app, message);
    else if (row->state == STATE_PENDING && strcmp(message->state, "Cancelling") == 0)
        reach(app, row, STATE_CANCELLED, NULL);
    else
        add_report(app, id, row->state, row->error);
}

/* Sends what an earlier run has left. */
static void send_pending(struct app *app)
{
    for (size_t i = 0; i < memory_count(app->memory) && !app->is_dead; i++) {
        struct remembered *row = memory_at(app->memory, i);
        if (row->state == STATE_PENDING) send_message(app, row);
    }
}

/* The list is wrapped, since records are objects. */
static void pull(struct app *app)
{
    AUTO_BUF answer = {0};
    struct messages messages;
    struct arena arena;

    buf_init(&answer, ANSWER_MAX);
    buf_text(&answer, "{\"items\":");
    long status = server_ask(app->server, "GET", "/message?order=fifo", (struct str){0}, &answer);
    buf_text(&answer, "}");
    app->is_refused = status == 401;
    if (status != 200) {
        say(NULL, "no messages: %ld", status);
        return;
    }
    if (is_to_die(app, "pull")) return;
    arena_init(&arena);
    if (wire_decode(&messages_record, buf_view(&answer), &arena, &messages)) {
        const struct message *items = messages.items.items;
        for (size_t i = 0; i < messages.items.count && !app->is_dead; i++)
            take_message(app, &items[i]);
    }
    arena_done(&arena);
}

/* --- The life of the app ---------------------------------------------------------------------- */

static void keep_stream(struct app *app)
{
    const struct options *options = app->options;
    int64_t now_ms = clock_monotonic_ms();
    bool is_lost =
        options->lose_stream_ms > 0 && now_ms - app->stream_since_ms >= options->lose_stream_ms;

    if (!app->listens) return;
    if (server_is_listening(app->server) && is_lost) server_deafen(app->server);
    if (server_is_listening(app->server) || now_ms < app->next_stream_ms) return;
    server_listen(app->server);
    app->stream_since_ms = now_ms;
    app->next_stream_ms = now_ms + STREAM_AGAIN_MS;
    app->next_pull_ms = now_ms; /* each connect pulls */
}

/* The app passes over what it does not know. */
static void take_event(struct app *app, const char *event)
{
    if (strcmp(event, "SettingsUpdated") == 0) app->has_settings = false;
    if (strcmp(event, "WebhooksUpdated") == 0) app->has_webhooks = false;
    if (strncmp(event, "Message", strlen("Message")) == 0) app->next_pull_ms = clock_monotonic_ms();
}

static void turn(struct app *app)
{
    char event[64];

    if (!app->has_webhooks) fetch_webhooks(app);
    if (!app->has_settings) fetch_settings(app);
    keep_stream(app);
    if (clock_monotonic_ms() >= app->next_pull_ms) {
        app->next_pull_ms = clock_monotonic_ms() + app->ping_ms;
        pull(app);
        if (app->options->pulls_twice && !app->is_dead) pull(app);
    }
    if (app->is_dead) return;
    tell_all(app);
    int64_t wait_ms = app->next_pull_ms - clock_monotonic_ms();
    if (app->report_count > 0 || wait_ms > WAIT_MAX_MS) wait_ms = WAIT_MAX_MS;
    if (!server_wait(app->server, wait_ms, event, sizeof(event))) return;
    say(NULL, "is told %s", event);
    take_event(app, event);
}

/* At 401 the app registers anew as nobody; herald does not let it in, and it waits for a code. */
static bool is_shut_out(struct app *app)
{
    if (!app->is_refused) return false;
    server_deafen(app->server);
    server_authorize(app->server, "");
    AUTO_BUF answer = {0};
    buf_init(&answer, ANSWER_MAX);
    long status = server_ask(app->server, "POST", "/device", STR("{\"name\":\"x\"}"), &answer);
    say(NULL, "the key is refused; registers as nobody: %ld", status);
    return true;
}

/* With a push token it leaves the stream alone until it was told to listen to its server alone. */
static void begin(struct app *app)
{
    const struct options *options = app->options;

    if (options->key)
        snprintf(app->kept.key, sizeof(app->kept.key), "%s", options->key);
    else
        kept_read(options->key_file, &app->kept);
    app->ping_ms = app->kept.ping_ms > 0 ? app->kept.ping_ms : FLOOR_MS;
    if (options->ping_ms > 0) app->ping_ms = options->ping_ms;
    app->listens = !options->has_no_stream && (!options->has_google || app->kept.is_sse_only);
    say(NULL, "asks every %" PRId64 " ms, %s", app->ping_ms,
        app->listens ? "and listens" : "and does not listen");
    show_address(app);
}

int app_run(const struct options *options, struct server *server, int stop_fd)
{
    struct app app = {.options = options, .server = server, .stop_fd = stop_fd};
    bool is_in = false;

    app.memory = memory_new(options->memory_file);
    if (!app.memory) return 2;
    begin(&app);
    while (!is_in && !app.is_refused && !stop_wait(stop_fd, 0)) {
        is_in = app.kept.device_id[0] ? update(&app) : sign_up(&app);
        if (!is_in && !app.is_refused && stop_wait(stop_fd, REPEAT_MS)) break;
    }
    if (app.is_refused && app.kept.device_id[0]) (void)is_shut_out(&app);
    if (is_in) send_pending(&app);
    while (is_in && !app.is_dead && !is_shut_out(&app) && !stop_wait(stop_fd, 0))
        turn(&app);
    memory_free(app.memory);
    return app.is_refused ? 1 : 0;
}
