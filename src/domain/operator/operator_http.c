/* The operations on operators and their sessions (contract, section 18.2), and what the console
 * alone asks, as to log in (18.3). */
#include "core/audit.h"
#include "core/request.h"
#include "core/service.h"
#include "domain/operator/operator.h"
#include "domain/operator/operator_guard.h"
#include "kit/base/clock.h"
#include "kit/base/fold.h"
#include "kit/json/utf8.h"

static enum err reply_operator(struct request *rq, enum err err, const struct operator* op,
                               const struct record_fault *fault)
{
    if (err == ERR_VALIDATION) return error_fault(rq, fault->path, fault->message);
    return reply_with(rq, err, op);
}

static enum err handle_create(struct request *rq)
{
    struct record_fault fault;
    struct operator op;
    enum err err = operator_create(&rq->work, rq->body, &op, &fault);
    return reply_operator(rq, err, &op, &fault);
}

static enum err handle_list(struct request *rq)
{
    struct operator_list list;
    enum err err = operator_list(&rq->work, rq->query, &list);
    return reply_page(rq, err, &list);
}

static enum err handle_read(struct request *rq)
{
    struct operator op;
    enum err err = operator_read(&rq->work, &rq->path_ids[0], &op);
    return reply_with(rq, err, &op);
}

static enum err handle_change(struct request *rq)
{
    struct record_fault fault;
    struct operator op;
    enum err err = operator_change(&rq->work, &rq->path_ids[0], rq->body, &op, &fault);
    return reply_operator(rq, err, &op, &fault);
}

static enum err handle_make_link(struct request *rq)
{
    struct operator op;
    enum err err = operator_make_link(&rq->work, &rq->path_ids[0], &op);
    return reply_with(rq, err, &op);
}

static enum err handle_remove(struct request *rq)
{
    enum err err = operator_remove(&rq->work, &rq->path_ids[0]);
    return reply_done(rq, err);
}

static enum err handle_list_sessions(struct request *rq)
{
    struct operator_session_list list;
    enum err err = operator_list_sessions(&rq->work, &rq->path_ids[0], &list);
    return reply_with(rq, err, &list);
}

static enum err handle_end_session(struct request *rq)
{
    enum err err = operator_end_sessions(&rq->work, &rq->path_ids[0], &rq->path_ids[1]);
    return reply_done(rq, err);
}

static enum err handle_end_sessions(struct request *rq)
{
    enum err err = operator_end_sessions(&rq->work, &rq->path_ids[0], NULL);
    return reply_done(rq, err);
}

/* --- What the console alone asks -------------------------------------------------------------- */

static const char *agent_of(struct request *rq)
{
    struct str agent = rq->headers[0];

    if (!agent.data || !utf8_is_valid(agent.data, agent.data + agent.len)) return NULL;
    return arena_str(rq->work.arena, utf8_cut(agent, OPERATOR_AGENT_MAX));
}

/* Whoever has shown who they are acts from here on. */
static void become(struct request *rq, const struct operator* op)
{
    struct actor *actor = ARENA_NEW(rq->work.arena, struct actor);

    *actor = (struct actor){
        .kind = ACTOR_OPERATOR, .id = op->id, .name = op->name, .role = (enum role)op->role};
    rq->work.actor = actor;
}

static enum err begin_session(struct request *rq, const struct operator* op,
                              const struct in6_addr *address)
{
    struct operator now;

    enum err err = operator_begin_session(&rq->work, op, address, agent_of(rq), &rq->session_token);
    if (!err) err = operator_read(&rq->work, &op->id, &now);
    return reply_with(rq, err, &now);
}

static struct in6_addr address_of(const struct request *rq)
{
    struct in6_addr address;
    bool is_address = http_address_parse(str_of(rq->work.address), &address);
    assert(is_address);
    return address;
}

static enum err check_wait(struct request *rq, const char *name_key, const struct in6_addr *address)
{
    struct login_guard *guard = rq->work.service->operators->guard;
    int64_t wait_ms = login_guard_wait(guard, name_key, address, clock_monotonic_ms());

    if (wait_ms <= 0) return ERR_OK;
    error_retry_after(rq, wait_ms);
    return ERR_RATE_LIMITED;
}

/* The password was compared with the hash of `op`, as it was then. Each is counted once. */
static bool judge(struct request *rq, const struct operator* op, const char *name_key,
                  const struct in6_addr *address)
{
    struct password_work *password = rq->password;
    bool is_right = password->is_right && strcmp(password->hash, op->password) == 0;

    if (!password->is_counted)
        login_guard_count(rq->work.service->operators->guard, name_key, address, is_right,
                          clock_monotonic_ms());
    password->is_counted = true;
    return is_right;
}

/* Only what is right changes anything. */
static enum err hold_if_right(struct request *rq)
{
    const struct password_work *password = rq->password;
    return password->is_done && password->is_right ? operator_hold(&rq->work) : ERR_OK;
}

/* The first run finds the password to compare with; the second one has it compared. */
static enum err handle_login(struct request *rq)
{
    const struct operator_login *input = rq->body;
    struct password_work *password = rq->password;
    const char *name_key = fold_text(rq->work.arena, input->name);
    struct in6_addr address = address_of(rq);
    struct operator op;
    bool is_known;

    enum err err = password->is_done ? hold_if_right(rq) : check_wait(rq, name_key, &address);
    if (err) return err;
    err = operator_find(&rq->work, input->name, &address, &op, &is_known);
    if (err) return err;
    if (!password->is_done) {
        request_check_password(rq, str_of(input->password), op.password, is_known);
        return ERR_OK;
    }
    if (!judge(rq, &op, name_key, &address)) return ERR_UNAUTHORIZED;
    become(rq, &op);
    work_audit_id(&rq->work, "operator.login", "operator", &op.id, NULL);
    return begin_session(rq, &op, &address);
}

static enum err handle_welcome(struct request *rq)
{
    const struct operator_welcome *input = rq->body;
    struct in6_addr address = address_of(rq);
    struct operator op;

    enum err err = hold_if_right(rq);
    if (!err) err = operator_find_by_link(&rq->work, input->link, &op);
    if (err) return err;
    if (!rq->password->is_done) {
        request_make_password(rq, str_of(input->password));
        return ERR_OK;
    }
    if (!rq->password->is_right) return ERR_OVERLOADED; /* there was no memory for it */
    become(rq, &op);
    err = operator_set_password(&rq->work, &op, rq->password->hash);
    return err ? err : begin_session(rq, &op, &address);
}

static enum err handle_logout(struct request *rq)
{
    const struct actor *actor = rq->work.actor;

    if (actor->kind != ACTOR_OPERATOR) return ERR_NOT_FOUND;
    enum err err = operator_end_sessions(&rq->work, &actor->id, &actor->session_id);
    if (err) return err;
    rq->session_token = "";
    reply_empty(rq);
    return ERR_OK;
}

static enum err handle_read_self(struct request *rq)
{
    struct operator op;
    enum err err = operator_read(&rq->work, &rq->work.actor->id, &op);
    return reply_with(rq, err, &op);
}

/* The first run finds the password to compare with, the second one has it compared and wants the
 * new one hashed, the third one sets that. Each may run again. */
static enum err handle_change_password(struct request *rq)
{
    const struct operator_password_change *input = rq->body;
    struct password_work *password = rq->password;
    struct in6_addr address = address_of(rq);
    struct operator op;

    enum err err = operator_read(&rq->work, &rq->work.actor->id, &op);
    if (err) return err;
    const char *name_key = fold_text(rq->work.arena, op.name);
    if (!password->is_done && !password->is_counted) {
        err = check_wait(rq, name_key, &address);
        if (!err) request_check_password(rq, str_of(input->password), op.password, true);
        return err;
    }
    if (!password->is_done || password->is_to_match) {
        if (password->is_done && !judge(rq, &op, name_key, &address))
            return error_fault(rq, "password", "This is not the password.");
        request_make_password(rq, str_of(input->new_password));
        return ERR_OK;
    }
    if (!password->is_right) return ERR_OVERLOADED; /* there was no memory for it */
    err = operator_change_password(&rq->work, &op, &rq->work.actor->session_id, password->hash);
    return err ? err : begin_session(rq, &op, &address);
}

static enum err handle_list_own_sessions(struct request *rq)
{
    struct operator_session_list list;
    enum err err = operator_list_sessions(&rq->work, &rq->work.actor->id, &list);
    return reply_with(rq, err, &list);
}

static enum err handle_end_own_session(struct request *rq)
{
    enum err err = operator_end_sessions(&rq->work, &rq->work.actor->id, &rq->path_ids[0]);
    return reply_done(rq, err);
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define OPERATORS_PATH "/internal/v1/operators"

static const struct route rows[] = {
    {
        .method = "POST",
        .path = OPERATORS_PATH,
        .operation_id = "createOperator",
        .role = ROLE_ADMIN,
        .action = "operator.create",
        .tag = "Operators",
        .summary = "Add an operator",
        .description = "Adds a person who may use the console. The link of the answer sets the "
                       "password, once. There are at most 500 operators.",
        .body = &operator_input_record,
        .status = 201,
        .reply_doc = "The operator, with a link that is shown this once.",
        .reply = &operator_shown_record,
        .link_path = OPERATORS_PATH "/{id}",
        .link_id = "/id",
        .errors = {ERR_NAME_TAKEN},
        .handle = handle_create,
    },
    {
        .method = "GET",
        .path = OPERATORS_PATH,
        .operation_id = "listOperators",
        .role = ROLE_VIEWER,
        .tag = "Operators",
        .summary = "List the operators",
        .description = "A page of operators in order of creation.",
        .reply_doc = "The operators.",
        .reply = &operator_list_record,
        .query = &page_by_id_query,
        .handle = handle_list,
    },
    {
        .method = "GET",
        .path = OPERATORS_PATH "/{id}",
        .operation_id = "getOperator",
        .role = ROLE_VIEWER,
        .tag = "Operators",
        .summary = "Read an operator",
        .description = "Name, role, and when the person last logged in.",
        .access = ACCESS_READ_ROW,
        .reply_doc = "The operator.",
        .reply = &operator_record,
        .handle = handle_read,
    },
    {
        .method = "PATCH",
        .path = OPERATORS_PATH "/{id}",
        .operation_id = "changeOperator",
        .role = ROLE_ADMIN,
        .action = "operator.change",
        .tag = "Operators",
        .summary = "Change an operator",
        .description = "Changes the name or the role. Sessions have the new role within 10 seconds "
                       "on every process.",
        .body = &operator_change_record,
        .reply_doc = "The operator.",
        .reply = &operator_record,
        .errors = {ERR_NAME_TAKEN},
        .handle = handle_change,
    },
    {
        .method = "DELETE",
        .path = OPERATORS_PATH "/{id}",
        .operation_id = "removeOperator",
        .role = ROLE_ADMIN,
        .action = "operator.remove",
        .tag = "Operators",
        .summary = "Remove an operator",
        .description = "The sessions of the person end within 10 seconds on every process. What "
                       "the person did stays in the audit.",
        .reply_doc = "Done.",
        .handle = handle_remove,
    },
    {
        .method = "POST",
        .path = OPERATORS_PATH "/{id}/link",
        .operation_id = "makeOperatorLink",
        .role = ROLE_ADMIN,
        .action = "operator.link",
        .tag = "Operators",
        .summary = "Make a link to set a password",
        .description = "Makes a link in place of an older one, for a person who has lost the "
                       "password. The old password stays until the link is used, which ends all "
                       "sessions of the person.",
        .reply_doc = "The operator, with a link that is shown this once.",
        .reply = &operator_shown_record,
        .handle = handle_make_link,
    },
    {
        .method = "GET",
        .path = OPERATORS_PATH "/{id}/sessions",
        .operation_id = "listOperatorSessions",
        .role = ROLE_ADMIN,
        .tag = "Operators",
        .summary = "List where an operator is logged in",
        .description = "The sessions that are not over.",
        .reply_doc = "The sessions.",
        .reply = &operator_session_list_record,
        .handle = handle_list_sessions,
    },
    {
        .method = "DELETE",
        .path = OPERATORS_PATH "/{id}/sessions",
        .operation_id = "endOperatorSessions",
        .role = ROLE_ADMIN,
        .action = "operator.end_sessions",
        .tag = "Operators",
        .summary = "Log an operator out everywhere",
        .description = "All sessions of the person end within 10 seconds on every process.",
        .reply_doc = "Done.",
        .handle = handle_end_sessions,
    },
    {
        .method = "DELETE",
        .path = OPERATORS_PATH "/{id}/sessions/{session_id}",
        .operation_id = "endOperatorSession",
        .role = ROLE_ADMIN,
        .action = "operator.end_session",
        .tag = "Operators",
        .summary = "End a session of an operator",
        .description = "It ends within 10 seconds on every process.",
        .reply_doc = "Done.",
        .handle = handle_end_session,
    },
};

const struct route_table operator_routes = {.store = STORE_VERIFICATION, ROUTE_ROWS(rows)};

static const struct field agent_header[] = {
    {.name = "User-Agent", .doc = "What the browser says of itself."},
    {.name = NULL},
};

static const struct route console_rows[] = {
    {
        .method = "POST",
        .path = "/login",
        .operation_id = "logIn",
        .auth = AUTH_CONSOLE,
        .takes_password = true,
        .action = "operator.login",
        .body = &operator_login_record,
        .reply = &operator_record,
        .headers = agent_header,
        .handle = handle_login,
    },
    {
        .method = "POST",
        .path = "/welcome",
        .operation_id = "setPassword",
        .auth = AUTH_CONSOLE,
        .takes_password = true,
        .action = "operator.password",
        .body = &operator_welcome_record,
        .reply = &operator_record,
        .headers = agent_header,
        .handle = handle_welcome,
    },
    {
        .method = "POST",
        .path = "/logout",
        .operation_id = "logOut",
        .auth = AUTH_SESSION,
        .action = "operator.end_session",
        .handle = handle_logout,
    },
    {
        .method = "GET",
        .path = "/self",
        .operation_id = "getOwnOperator",
        .auth = AUTH_SESSION,
        .access = ACCESS_READ_ROW,
        .reply = &operator_record,
        .handle = handle_read_self,
    },
    {
        .method = "POST",
        .path = "/password",
        .operation_id = "changeOwnPassword",
        .auth = AUTH_SESSION,
        .takes_password = true,
        .action = "operator.password",
        .body = &operator_password_change_record,
        .reply = &operator_record,
        .headers = agent_header,
        .handle = handle_change_password,
    },
    {
        .method = "GET",
        .path = "/sessions",
        .operation_id = "listOwnSessions",
        .auth = AUTH_SESSION,
        .reply = &operator_session_list_record,
        .handle = handle_list_own_sessions,
    },
    {
        .method = "DELETE",
        .path = "/sessions/{session_id}",
        .operation_id = "endOwnSession",
        .auth = AUTH_SESSION,
        .action = "operator.end_session",
        .handle = handle_end_own_session,
    },
};

const struct route_table operator_console_routes = {.store = STORE_VERIFICATION,
                                                    ROUTE_ROWS(console_rows)};
