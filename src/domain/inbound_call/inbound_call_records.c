/* These tables say how the records of inbound calls look on the wire (contract, section 2). */
#include "core/personal.h"
#include "domain/inbound_call/inbound_call.h"

#include <stddef.h>

static const struct field create_fields[] = {
    FIELD(struct call_challenge_input, caller, FIELD_STRING, FIELD_REQUIRED,
          "The number that has to be proved, by calling from it.", .format = &format_phone,
          .example = "+79161234567"),
    FIELD(struct call_challenge_input, gateway_number, FIELD_STRING, 0,
          "The number to call. Without it, the enabled number with the fewest active challenges "
          "is chosen; of several, one whose SIM is ready.",
          .format = &format_phone, .example = "+79160000001"),
    FIELD(struct call_challenge_input, ttl_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long the caller has.", .min = INBOUND_CALL_TTL_MIN_S, .max = INBOUND_CALL_TTL_MAX_S,
          .default_value = INBOUND_CALL_TTL_DEFAULT_S, .example = "300"),
    METADATA_INPUT_ROW(struct call_challenge_input),
};

const struct record create_challenge_record = {
    .name = "CreateChallenge",
    .doc = "Asks for the confirmation of a number by an inbound call.",
    .size = sizeof(struct call_challenge_input),
    RECORD_FIELDS(create_fields),
};

static const struct field challenge_fields[] = {
    FIELD(struct call_challenge, id, FIELD_UUID, FIELD_REQUIRED, "The id of the challenge."),
    FIELD(struct call_challenge, caller, FIELD_STRING,
          FIELD_REQUIRED | FIELD_NULLABLE | FIELD_PERSONAL,
          "The number that has to be proved; masked for roles that may not see it. null: it was "
          "erased.",
          .example = "+79161234567"),
    FIELD(struct call_challenge, gateway_number, FIELD_STRING, FIELD_REQUIRED,
          "The number that the caller has to call.", .format = &format_phone,
          .example = "+79160000001"),
    FIELD(struct call_challenge, state, FIELD_ENUM, FIELD_REQUIRED, "Where the challenge stands.",
          .words = inbound_call_state_words),
    FIELD(struct call_challenge, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was created."),
    FIELD(struct call_challenge, expires_at, FIELD_TIME, FIELD_REQUIRED,
          "Until when the call must have come and been reported."),
    FIELD(struct call_challenge, confirmed_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was confirmed."),
    FIELD(struct call_challenge, gateway_ready, FIELD_TRISTATE, FIELD_OMIT_NULL,
          "Whether the SIM to call was ready when the challenge was created; where it was not, the "
          "call may not be heard of, unless its phone reports calls alone. Left out for challenges "
          "of before herald kept it.",
          .example = "true"),
    FIELD(struct call_challenge, test, FIELD_BOOLEAN, FIELD_OMIT_NULL,
          "True for a test number, where no phone takes a call; otherwise it is left out.",
          .example = "true"),
    METADATA_ROW(struct call_challenge),
    PERSONAL_ERASED_ROW(struct call_challenge),
};

const struct record challenge_record = {
    .name = "Challenge",
    .doc = "A confirmation by an inbound call.",
    .size = sizeof(struct call_challenge),
    RECORD_FIELDS(challenge_fields),
};

static const struct field filter_fields[] = {
    SEARCH_NUMBER_ROW("recipient", struct call_challenge_filter, search.number,
                      "Only challenges of this caller."),
    FIELD(struct call_challenge_filter, state, FIELD_ENUM, 0,
          "Only challenges that are in this state now.", .words = inbound_call_state_words),
    SEARCH_NUMBER_ROW("gateway_number", struct call_challenge_filter, gateway_number,
                      "Only challenges where this number has to be called."),
    SEARCH_TIME_ROWS(struct call_challenge_filter),
};

const struct record challenge_filter_query = {.size = sizeof(struct call_challenge_filter),
                                              RECORD_FIELDS(filter_fields)};

static const struct field list_fields[] = {
    FIELD(struct call_challenge_list, challenges, FIELD_RECORDS, FIELD_REQUIRED, SEARCH_LIST_DOC,
          .record = &challenge_record),
    PAGE_NEXT_ROW(struct call_challenge_list),
};

const struct record challenge_list_record = {
    .name = "ChallengeList",
    .doc = "A page of confirmations by inbound calls.",
    .size = sizeof(struct call_challenge_list),
    RECORD_FIELDS(list_fields),
};

static const struct field event_fields[] = {
    FIELD(struct call_event, event_id, FIELD_STRING, FIELD_REQUIRED,
          "The phone's own id of the call; a repeat gets the first result.", .min = 1,
          .max = EVENT_ID_MAX, .example = "call-1732163580-17"),
    FIELD(struct call_event, gateway_number, FIELD_STRING, FIELD_REQUIRED,
          "The phone's number that was called.", .format = &format_phone,
          .example = "+79160000001"),
    /* A telephone network may show anything; only numbers that a challenge can have will match. */
    FIELD(struct call_event, caller, FIELD_STRING, FIELD_NULLABLE | FIELD_LENIENT,
          "Who called, as the phone saw it: +7XXXXXXXXXX, 8XXXXXXXXXX or 7XXXXXXXXXX. If it is "
          "absent, null, empty or no number, the number is hidden, and the call confirms nothing.",
          .max = CALLER_MAX, .example = "89161234567"),
    FIELD(struct call_event, occurred_at, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED,
          "When the call came in, by the phone's clock."),
    FIELD(struct call_event, sent_at, FIELD_TIME, FIELD_WALL | FIELD_NULLABLE,
          "When this report is sent, by the same clock, told anew at each try: the offset of the "
          "clock, up to an hour, is then taken out of occurred_at. A report that has waited is "
          "known by what earlier reports of the phone told."),
};

const struct record call_event_record = {
    .name = "CallEvent",
    .doc = "A call that a phone saw.",
    .size = sizeof(struct call_event),
    RECORD_FIELDS(event_fields),
};

static const struct field result_fields[] = {
    FIELD(struct event_result, event_id, FIELD_STRING, FIELD_REQUIRED,
          "The event that this answers.", .example = "call-1732163580-17"),
    FIELD(struct event_result, result, FIELD_ENUM, FIELD_REQUIRED, "What the call did.",
          .words = event_result_words),
    FIELD(struct event_result, duplicate, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether this event was reported before; the result is then the first one.",
          .example = "false"),
    FIELD(struct event_result, challenge_id, FIELD_UUID, FIELD_REQUIRED | FIELD_NULLABLE,
          "The challenge that the call was for."),
};

const struct record event_result_record = {
    .name = "EventResult",
    .doc = "What became of a reported call.",
    .size = sizeof(struct event_result),
    RECORD_FIELDS(result_fields),
};
