/*
 * The app as it behaves: it keeps the ids of messages that it has sent, and sends none twice; a
 * message is noted as Processed before the radio has it, so an app that dies in between loses an
 * SMS rather than send it twice. A message that it knows, and that comes again, has its state told
 * again. A report that is not taken is repeated.
 */
#include "app.h"

#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/json/record.h"
#include "sim/common/say.h"
#include "sim/common/sent_list.h"
#include "sim/common/stop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    KEY_MAX = 256,
    BODY_MAX = 8192,
    REPORTS_MAX = 64,
    REPEAT_MS = 1000,
    PING_MS = 20 * 1000,
    STREAM_AGAIN_MS = 5 * 1000, /* the first tries of the app */
    WAIT_MAX_MS = 1000,
};

enum state { STATE_PROCESSED, STATE_SENT, STATE_DELIVERED, STATE_FAILED, STATE_CANCELLED };
static const char *const state_words[] = {"Processed", "Sent", "Delivered", "Failed", "Cancelled"};

struct report {
    char id[UUID_TEXT_LEN + 1];
    enum state state;
    const char *error;
    int64_t due_ms; /* monotonic */
};

struct app {
    const struct options *options;
    struct server *server;
    struct sent_list *sent_list;
    int stop_fd;
    char key[KEY_MAX];
    char device_id[UUID_TEXT_LEN + 1];
    struct report reports[REPORTS_MAX];
    size_t report_count;
    int64_t ping_ms, next_pull_ms, next_stream_ms, stream_since_ms;
    int64_t sends;
    bool is_refused, is_dead;
};

/* --- Records ---------------------------------------------------------------------------------- */

struct text {
    const char *text;
};
static const struct field text_fields[] = {
    FIELD(struct text, text, FIELD_STRING, FIELD_REQUIRED, NULL)};
static const struct record text_record = {.size = sizeof(struct text), RECORD_FIELDS(text_fields)};

struct message {
    struct uuid id;
    const struct text *text;
    struct record_list recipients;
    int64_t slot;
    int64_t valid_until;
    const char *state;
};
static const struct field message_fields[] = {
    FIELD(struct message, id, FIELD_UUID, FIELD_REQUIRED, NULL),
    FIELD_AS("textMessage", struct message, text, FIELD_RECORD, FIELD_REQUIRED, NULL,
             .record = &text_record),
    FIELD_AS("phoneNumbers", struct message, recipients, FIELD_STRINGS, FIELD_REQUIRED, NULL),
    FIELD_AS("simNumber", struct message, slot, FIELD_INTEGER, FIELD_REQUIRED, NULL),
    FIELD_AS("validUntil", struct message, valid_until, FIELD_TIME, FIELD_REQUIRED, NULL),
    FIELD(struct message, state, FIELD_STRING, FIELD_REQUIRED, NULL),
};
static const struct record message_record = {.size = sizeof(struct message),
                                             RECORD_FIELDS(message_fields)};

struct messages {
    struct record_list items;
};
static const struct field messages_fields[] = {
    FIELD(struct messages, items, FIELD_RECORDS, FIELD_REQUIRED, NULL, .record = &message_record)};
static const struct record messages_record = {.size = sizeof(struct messages),
                                              RECORD_FIELDS(messages_fields)};

struct registration {
    const char *id, *token;
};
static const struct field registration_fields[] = {
    FIELD(struct registration, id, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct registration, token, FIELD_STRING, FIELD_REQUIRED, NULL)};
static const struct record registration_record = {.size = sizeof(struct registration),
                                                  RECORD_FIELDS(registration_fields)};

static bool decode(const struct record *record, struct str body, struct arena *arena, void *value)
{
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    record_faults_init(faults, arena);
    return record_decode(record, body, false, arena, value, faults) == ERR_OK;
}

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
    char header[KEY_MAX + 16];
    snprintf(header, sizeof(header), "Bearer %s", app->key);
    server_authorize(app->server, header);
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

static void keep_key(const struct app *app)
{
    if (!app->options->key_file) return;
    int file = open(app->options->key_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dprintf(file, "%s\n", app->key) < 0) say(NULL, "the key cannot be kept");
    if (file >= 0) close(file);
}

static bool read_key(struct app *app)
{
    FILE *file = app->options->key_file ? fopen(app->options->key_file, "re") : NULL;
    if (!file) return false;
    bool has_line = fgets(app->key, KEY_MAX, file) != NULL;
    fclose(file);
    app->key[strcspn(app->key, "\r\n")] = '\0';
    return has_line && app->key[0];
}

static void authorize(struct app *app)
{
    char header[KEY_MAX + 16];

    if (app->options->code && !app->key[0]) {
        snprintf(header, sizeof(header), "Code %s", app->options->code);
        server_authorize(app->server, header);
    } else {
        use_key(app);
    }
}

/* Registers; false where herald does not let it in, or is not there. */
static bool sign_up(struct app *app)
{
    struct registration registration;
    struct arena arena;
    AUTO_BUF body = {0}, answer = {0};

    buf_init(&body, BODY_MAX);
    buf_init(&answer, ANSWER_MAX);
    buf_text(&body, "{\"name\":\"Google/Pixel\",\"pushToken\":null,\"simCards\":");
    write_sims(app, &body);
    buf_text(&body, "}");
    authorize(app);
    long status = server_ask(app->server, "POST", "/device", buf_view(&body), &answer);
    arena_init(&arena);
    bool is_in =
        status == 201 && decode(&registration_record, buf_view(&answer), &arena, &registration);
    if (is_in) {
        snprintf(app->key, sizeof(app->key), "%s", registration.token);
        snprintf(app->device_id, sizeof(app->device_id), "%s", registration.id);
        use_key(app);
        keep_key(app);
        say(NULL, "registered as %s", app->device_id);
    } else {
        say(NULL, "not registered: %ld", status);
        app->is_refused = status == 401;
    }
    arena_done(&arena);
    return is_in;
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
    buf_printf(&body,
               "[{\"id\":\"%s\",\"state\":\"%s\",\"recipients\":[{\"phoneNumber\":\"0\","
               "\"state\":\"%s\",\"error\":%s%s%s}],\"states\":{\"%s\":\"%s\"}}]",
               report->id, word, word, quote, report->error ? report->error : "null", quote, word,
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

static bool put_on_air(const struct app *app, const char *id, const struct message *message)
{
    const char *recipient = *(const char *const *)message->recipients.items;
    char *text = say_quote(str_of(message->text->text));
    bool is_written = true;

    say(NULL, "SIM %d, SMS to %s: %s", (int)message->slot, recipient, text);
    if (app->options->sms_file) {
        int file = open(app->options->sms_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        is_written = file >= 0 && dprintf(file,
                                          "{\"task_id\":\"%s\",\"slot\":%d,\"recipient\":\"%s\","
                                          "\"text\":%s}\n",
                                          id, (int)message->slot, recipient, text) > 0;
        if (file >= 0) close(file);
    }
    free(text);
    return is_written;
}

static bool is_turn(int64_t each, int64_t count)
{
    return each > 0 && count % each == 0;
}

static void send_message(struct app *app, const char *id, const struct message *message)
{
    const struct options *options = app->options;

    if (stop_wait(app->stop_fd, options->doze_ms)) return;
    if (clock_now_ms() + options->clock_off_ms > message->valid_until) {
        add_report(app, id, STATE_FAILED, "TTL expired");
        return;
    }
    if (!sent_list_add(app->sent_list, &message->id)) app->is_dead = true;
    if (app->is_dead || is_to_die(app, "memory")) return;
    add_report(app, id, STATE_PROCESSED, NULL);
    tell_all(app);
    if (is_to_die(app, "processed")) return;
    app->sends++;
    if (is_turn(options->fail_each, app->sends)) {
        add_report(app, id, STATE_FAILED, "Send result: RESULT_ERROR_NO_SERVICE");
        return;
    }
    if (!put_on_air(app, id, message)) app->is_dead = true;
    if (app->is_dead || is_to_die(app, "air")) return;
    if (is_turn(options->stuck_each, app->sends)) return;
    if (!options->skips_sent) add_report(app, id, STATE_SENT, NULL);
    tell_all(app);
    if (is_to_die(app, "sent")) return;
    add_report(app, id, STATE_DELIVERED, NULL);
}

static bool is_reporting(const struct app *app, const char *id)
{
    for (size_t i = 0; i < app->report_count; i++) {
        if (strcmp(app->reports[i].id, id) == 0) return true;
    }
    return false;
}

static void take_message(struct app *app, const struct message *message)
{
    char id[UUID_TEXT_LEN + 1];
    bool is_known = sent_list_has(app->sent_list, &message->id);

    uuid_format(&message->id, id);
    if (message->recipients.count == 0 || is_reporting(app, id)) return;
    if (strcmp(message->state, "Cancelling") == 0)
        add_report(app, id, is_known ? STATE_PROCESSED : STATE_CANCELLED, NULL);
    else if (is_known)
        add_report(app, id, STATE_PROCESSED, NULL); /* that is all that it has kept */
    else
        send_message(app, id, message);
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
    if (decode(&messages_record, buf_view(&answer), &arena, &messages)) {
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

    if (options->has_no_stream) return;
    if (server_is_listening(app->server) && is_lost) server_deafen(app->server);
    if (server_is_listening(app->server) || now_ms < app->next_stream_ms) return;
    server_listen(app->server);
    app->stream_since_ms = now_ms;
    app->next_stream_ms = now_ms + STREAM_AGAIN_MS;
    app->next_pull_ms = now_ms; /* each connect pulls */
}

static void turn(struct app *app)
{
    char event[64];

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
    app->next_pull_ms = clock_monotonic_ms();
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

int app_run(const struct options *options, struct server *server, int stop_fd)
{
    struct app app = {.options = options, .server = server, .stop_fd = stop_fd};
    bool is_in = false;

    app.ping_ms = options->ping_ms > 0 ? options->ping_ms : PING_MS;
    app.sent_list = sent_list_new(options->memory_file);
    if (!app.sent_list) return 2;
    if (options->key) snprintf(app.key, sizeof(app.key), "%s", options->key);
    if (!options->key) (void)read_key(&app);
    while (!is_in && !app.is_refused && !stop_wait(stop_fd, 0)) {
        is_in = sign_up(&app);
        if (!is_in && !app.is_refused && stop_wait(stop_fd, REPEAT_MS)) break;
    }
    while (is_in && !app.is_dead && !is_shut_out(&app) && !stop_wait(stop_fd, 0))
        turn(&app);
    sent_list_free(app.sent_list);
    return app.is_refused ? 1 : 0;
}
