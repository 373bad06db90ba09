/*
 * Operators are the people who use the console (contract, section 18.2). Each has a name, a role
 * and a password, which is set by a one-time link. Whoever has logged in has a session: a token in
 * a cookie, of which the hash is stored. A session acts like an API key of that role
 * (app/api/api_key_set.h), and every change of operators and sessions counts as a change of keys.
 * Lives in the verification store.
 */
#pragma once

#include "core/page.h"
#include "core/work.h"
#include "kit/base/password.h"
#include "kit/base/secret.h"
#include "kit/http/address.h"

#define OPERATOR_SESSION_PREFIX "hs_"
#define OPERATOR_LINK_PREFIX    "hl_"
/* The page of the console that a link leads to; its token follows, in the fragment, which no
 * browser sends to a server. */
#define OPERATOR_LINK_PATH "/console/#/welcome/"

enum {
    OPERATORS_MAX = 500,
    OPERATOR_NAME_MAX = 100,
    OPERATOR_SESSIONS_MAX = 20,  /* of one operator; the oldest makes room */
    OPERATOR_ADDRESSES_MAX = 20, /* the same */
    OPERATOR_AGENT_MAX = 300,
    OPERATOR_LINK_MS = 24 * 60 * 60 * 1000,
};
#define OPERATOR_IDLE_MS    (12 * 60 * 60 * INT64_C(1000))
#define OPERATOR_SESSION_MS (7 * 24 * 60 * 60 * INT64_C(1000))

struct operator
{
    struct uuid id;
    const char *name;
    int role; /* enum role; never ROLE_CORE */
    bool has_password;
    int64_t created_at;
    int64_t login_at;     /* 0: never */
    int64_t link_until;   /* 0: there is no link, or it was used */
    const char *link;     /* set only where it was made; a path where this process has no console */
    const char *password; /* the hash; NULL: none is set */
};

struct operator_session {
    struct uuid id, operator_id;
    int64_t created_at, seen_at;
    int64_t expires_at; /* of the two ends the earlier */
    const char *address;
    const char *agent; /* NULL: it was not told */
    bool is_own;       /* the one that asks */
    uint8_t hash[SECRET_HASH_LEN];
    const char *name; /* of its operator; where all are read */
    int role;         /* the same */
};

struct operator_setup {
    const char *console_url;   /* of this process, without a slash at its end; NULL: no console */
    struct login_guard *guard; /* operator_guard.h */
};

/* --- Requests and answers --- */

struct operator_input {
    const char *name;
    int role;
};
extern const struct record operator_input_record;
struct operator_change {
    const char *name; /* NULL: it stays */
    int role;         /* -1: the same */
};
extern const struct record operator_change_record;

struct operator_list {
    struct record_list operators;
    const char *next_cursor;
};
extern const struct record operator_record;
extern const struct record operator_shown_record; /* with its link */
extern const struct record operator_list_record;
struct operator_session_list {
    struct record_list sessions;
};
extern const struct record operator_session_record;
extern const struct record operator_session_list_record;

/* Only the console asks these. */
struct operator_login {
    const char *name;
    const char *password;
};
extern const struct record operator_login_record;
struct operator_welcome {
    const char *link; /* the token */
    const char *password;
};
extern const struct record operator_welcome_record;
struct operator_password_change {
    const char *password; /* the one that is */
    const char *new_password;
};
extern const struct record operator_password_change_record;

/* --- Rules --- */

/* Makes an operator and a link. ERR_NAME_TAKEN; ERR_VALIDATION with `ret_fault`: the role is none
 * of a person, or there are OPERATORS_MAX. */
enum err operator_create(struct work *work, const struct operator_input *input,
                         struct operator* ret_operator, struct record_fault *ret_fault) MUST_CHECK;
enum err operator_list(struct work *work, const struct page_query *query,
                       struct operator_list *ret_list) MUST_CHECK;
enum err operator_read(struct work *work, const struct uuid *id,
                       struct operator* ret_operator) MUST_CHECK;
/* ERR_NOT_FOUND, and as operator_create. */
enum err operator_change(struct work *work, const struct uuid *id,
                         const struct operator_change *change, struct operator* ret_operator,
                         struct record_fault *ret_fault) MUST_CHECK;
/* Makes a new link in place of an older one; the password stays until the link is used. */
enum err operator_make_link(struct work *work, const struct uuid *id,
                            struct operator* ret_operator) MUST_CHECK;
/* Ends its sessions, too. */
enum err operator_remove(struct work *work, const struct uuid *id) MUST_CHECK;
enum err operator_list_sessions(struct work *work, const struct uuid *id,
                                struct operator_session_list *ret_list) MUST_CHECK;
/* Ends one session, or with NULL all of the operator. ERR_NOT_FOUND: there is no such one. */
enum err operator_end_sessions(struct work *work, const struct uuid *id,
                               const struct uuid *session_id) MUST_CHECK;

/* Holds off all others that change operators or sessions until the end of the transaction. Whoever
 * begins a session does so first, so that a password or a link that was looked at still holds when
 * the session begins. */
enum err operator_hold(struct work *work) MUST_CHECK;
/* Finds whom a name means, with the hash of the password to check: that of nobody, which none
 * matches, where there is no such operator or no password, so that the time tells nothing.
 * `ret_is_known`: this operator has logged in from there before. */
enum err operator_find(struct work *work, const char *name, const struct in6_addr *address,
                       struct operator* ret_operator, bool *ret_is_known) MUST_CHECK;
/* Finds whose a link is; ERR_UNAUTHORIZED. */
enum err operator_find_by_link(struct work *work, const char *link,
                               struct operator* ret_operator) MUST_CHECK;
/* Begins a session and returns its token in the arena. Call it behind operator_hold. */
enum err operator_begin_session(struct work *work, const struct operator* op,
                                const struct in6_addr *address, const char *agent,
                                const char **ret_token) MUST_CHECK;
/* Sets the password, whose hash that is; the link and all sessions of the operator end. Call it
 * behind operator_hold. */
enum err operator_set_password(struct work *work, const struct operator* op,
                               const char *password) MUST_CHECK;
/* The same, asked for by a session, which ends, too. ERR_UNAUTHORIZED: it has ended already, as
 * where the password was set by a link meanwhile. */
enum err operator_change_password(struct work *work, const struct operator* op,
                                  const struct uuid *session_id, const char *password) MUST_CHECK;

/* --- For the processes that hold the sessions --- */

/* Reads all sessions that are not over (struct operator_session), in order of id. */
enum err operator_read_sessions(struct work *work, struct record_list *ret_sessions) MUST_CHECK;
/* Returns until when a session is good: before that time. */
int64_t operator_session_until(const struct operator_session *session);
/* Notes when sessions were last seen: struct operator_session with id and seen_at. */
enum err operator_see_sessions(struct work *work, const struct record_list *seen) MUST_CHECK;

/* --- For the tables of app/ --- */

extern const struct route_table operator_routes;
extern const struct route_table operator_console_routes; /* what the console alone asks */
