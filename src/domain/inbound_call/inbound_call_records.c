/* How inbound-call records look on the wire (contract, section 2). */
#include "domain/inbound_call/inbound_call.h"

#include <stddef.h>

#define EXAMPLE_ID   "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""

static const struct field create_fields[] = {
    {.name = "caller",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge_input, caller),
     .format = &format_phone,
     .doc = "The number that has to be proved, by calling from it.",
     .example = "\"+79161234567\""},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .offset = offsetof(struct call_challenge_input, gateway_number),
     .format = &format_phone,
     .doc = "The number to call. Without it, the enabled number with the fewest active challenges "
            "is chosen.",
     .example = "\"+79160000001\""},
    {.name = "ttl_seconds",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct call_challenge_input, ttl_seconds),
     .min = INBOUND_CALL_TTL_MIN_S,
     .max = INBOUND_CALL_TTL_MAX_S,
     .default_value = INBOUND_CALL_TTL_DEFAULT_S,
     .doc = "How long the caller has.",
     .example = "300"},
};

const struct record create_challenge_record = {
    .name = "CreateChallenge",
    .doc = "Asks for the confirmation of a number by an inbound call.",
    .size = sizeof(struct call_challenge_input),
    RECORD_FIELDS(create_fields),
};

static const struct field challenge_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, id),
     .doc = "The id of the challenge.",
     .example = EXAMPLE_ID},
    {.name = "caller",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, caller),
     .format = &format_phone,
     .doc = "The number that has to be proved.",
     .example = "\"+79161234567\""},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, gateway_number),
     .format = &format_phone,
     .doc = "The number that the caller has to call.",
     .example = "\"+79160000001\""},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, state),
     .words = inbound_call_state_words,
     .doc = "Where the challenge stands.",
     .example = "\"pending\""},
    {.name = "created_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, created_at),
     .doc = "When it was created.",
     .example = EXAMPLE_TIME},
    {.name = "expires_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_challenge, expires_at),
     .doc = "Until when the call must have come and been reported.",
     .example = EXAMPLE_TIME},
    {.name = "confirmed_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct call_challenge, confirmed_at),
     .doc = "When it was confirmed.",
     .example = "null"},
};

const struct record challenge_record = {
    .name = "Challenge",
    .doc = "A confirmation by an inbound call.",
    .size = sizeof(struct call_challenge),
    RECORD_FIELDS(challenge_fields),
};

static const struct field event_fields[] = {
    {.name = "event_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_event, event_id),
     .min = 1,
     .max = EVENT_ID_MAX,
     .doc = "The phone's own id of the call; a repeat gets the first result.",
     .example = "\"call-1732163580-17\""},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_event, gateway_number),
     .format = &format_phone,
     .doc = "The phone's number that was called.",
     .example = "\"+79160000001\""},
    /* Whatever a telephone network shows: only numbers that a challenge can have will match. */
    {.name = "caller",
     .type = FIELD_STRING,
     .flags = FIELD_NULLABLE | FIELD_LENIENT,
     .offset = offsetof(struct call_event, caller),
     .max = CALLER_MAX,
     .doc =
         "Who called, as the phone saw it: +7XXXXXXXXXX, 8XXXXXXXXXX or 7XXXXXXXXXX. If it is "
         "absent, null, empty or no number, the number is hidden, and the call confirms nothing.",
     .example = "\"89161234567\""},
    {.name = "occurred_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct call_event, occurred_at),
     .doc = "When the call came in, by the phone's clock.",
     .example = EXAMPLE_TIME},
    {.name = "sent_at",
     .type = FIELD_TIME,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct call_event, sent_at),
     .doc =
         "When this report was sent, by the same clock: its offset, up to an hour, is then taken "
         "out of occurred_at.",
     .example = EXAMPLE_TIME},
};

const struct record call_event_record = {
    .name = "CallEvent",
    .doc = "A call that a phone saw.",
    .size = sizeof(struct call_event),
    RECORD_FIELDS(event_fields),
};

static const struct field result_fields[] = {
    {.name = "event_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct event_result, event_id),
     .doc = "The event that this answers.",
     .example = "\"call-1732163580-17\""},
    {.name = "result",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct event_result, result),
     .words = event_result_words,
     .doc = "What the call did.",
     .example = "\"confirmed\""},
    {.name = "duplicate",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct event_result, duplicate),
     .doc = "Whether this event was reported before; the result is then the first one.",
     .example = "false"},
    {.name = "challenge_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct event_result, challenge_id),
     .doc = "The challenge that the call was for.",
     .example = EXAMPLE_ID},
};

const struct record event_result_record = {
    .name = "EventResult",
    .doc = "What became of a reported call.",
    .size = sizeof(struct event_result),
    RECORD_FIELDS(result_fields),
};
