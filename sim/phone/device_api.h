/*
 * The operations of herald that a phone uses: ping, accounts, claim, result, event. Each fills the
 * raw answer too, whose status tells how it went.
 */
#pragma once

#include "http.h"
#include "kit/base/arena.h"
#include "options.h"

/* The phone sends from a SIM by its number, or a messenger account by its id. */
enum sender_kind { SENDER_SIM, SENDER_ACCOUNT };
struct sender {
    enum sender_kind kind;
    const char *name;
};

struct task {
    const char *id;
    const char *lease_id;
    const char *sender;
    const char *recipient;
    const char *text;
    int64_t attempt;
    int64_t lease_expires_at;
};

struct device_state {
    const char *id;
    const char *name;
    bool enabled;
};

struct call_result {
    const char *event_id;
    const char *result;
    bool duplicate;
    const char *challenge_id; /* NULL: there was none */
};

struct task_result {
    const char *task_id;
    const char *lease_id;
    const char *status; /* "sent", "delivered", "failed" */
    const char *error;  /* NULL: none */
    bool permanent;
};

struct call_event {
    const char *event_id;
    const char *gateway_number;
    const char *caller; /* NULL: the number was hidden */
    int64_t occurred_at_ms;
};

/* These answer false if there is no 200, or if what came is not what the contract promises. The
 * texts are in the arena. */
bool device_ping(struct http *http, struct arena *arena, struct http_answer *answer,
                 struct device_state *ret_device);
/* `ret_task` is NULL where nothing waits for the sender. */
bool device_claim(struct http *http, struct sender sender, struct arena *arena,
                  struct http_answer *answer, const struct task **ret_task);
bool device_report_call(struct http *http, const struct call_event *event, struct arena *arena,
                        struct http_answer *answer, struct call_result *ret_result);
/* The status of the answer says it all; 204 is success. */
void device_report(struct http *http, struct sender sender, const struct task_result *result,
                   struct http_answer *answer);
/* All of them as connected. */
void device_declare(struct http *http, const struct option_account *accounts, size_t count,
                    struct http_answer *answer);
/* The code of an Error record ("device_disabled"), or "" where the body is none. */
const char *device_error_code(struct str body, struct arena *arena);
