/* Reports a call as the phone application does, on the path that it uses (/api/events). */
#include "call.h"

#include "device_api.h"
#include "kit/base/clock.h"
#include "kit/base/uuid.h"
#include "sim/common/say.h"

static int report(const struct call_event *event, struct http *http, struct arena *arena,
                  struct http_answer *answer)
{
    struct call_result result;
    const char *caller = event->caller ? event->caller : "a hidden number";

    say(event->gateway_number, "rings: a call from %s", caller);
    if (device_report_call(http, event, arena, answer, &result)) {
        say(event->gateway_number, "herald says: %s%s%s%s", result.result,
            result.challenge_id ? ", challenge " : "",
            result.challenge_id ? result.challenge_id : "",
            result.duplicate ? " (the event was known)" : "");
        return 0;
    }
    if (answer->status == 0) {
        say(event->gateway_number, "herald does not answer");
        return 1;
    }
    say(event->gateway_number, "herald refuses the event: %ld %s", answer->status,
        device_error_code(buf_view(&answer->body), arena));
    return 1;
}

int call_run(const struct options *options, struct http *http)
{
    char event_id[UUID_TEXT_LEN + 1];
    struct arena arena;
    AUTO_ANSWER answer = {0};
    int64_t now_ms = clock_now_ms();
    struct uuid id = uuid_new(now_ms);

    uuid_format(&id, event_id);
    struct call_event event = {
        .event_id = options->event_id ? options->event_id : event_id,
        .gateway_number = options->gateway,
        .caller = strcmp(options->caller, "hidden") == 0 ? NULL : options->caller,
        .occurred_at_ms = now_ms,
    };
    arena_init(&arena);
    http_answer_init(&answer);
    int status = report(&event, http, &arena, &answer);
    arena_done(&arena);
    return status;
}
