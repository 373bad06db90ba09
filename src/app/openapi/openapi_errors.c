/*
 * An operation has all errors that its row implies: a key, token or signature gives 401 and 429, a
 * body 413, 415 and 422, a transaction 503, an id 404, an Idempotency-Key 409. All errors of one
 * status are one answer, and operations that have the same ones share it, under a name made of its
 * errors (`components/responses`). The answers that any operation may give besides are in
 * openapi_shared.c.
 */
#include "app/api/auth.h"
#include "app/openapi/openapi_parts.h"
#include "core/request.h"

#include <ctype.h>
#include <stdio.h>

enum {
    ERRORS_MAX = 24,
    NAMED_ERRORS_MAX = 3, /* of an answer that is called by its errors */
    NAME_MAX_LEN = 200,
    ANSWERS_MAX = 256,
    EXAMPLE_MAX = 4096
};

/* --- Errors of an operation ------------------------------------------------------------------- */

struct error_list {
    const struct route *route;
    enum err rows[ERRORS_MAX]; /* in the order of errors.def */
    size_t count;
};

static void add_error(struct error_list *list, enum err err)
{
    size_t place = list->count;

    while (place > 0 && list->rows[place - 1] > err)
        place--;
    if (place > 0 && list->rows[place - 1] == err) return;
    assert(list->count < ERRORS_MAX);
    for (size_t i = list->count++; i > place; i--)
        list->rows[i] = list->rows[i - 1];
    list->rows[place] = err;
}

static void collect_auth_errors(const struct route *route, struct error_list *list)
{
    const struct auth_way *way = auth_of(route);
    const enum err *more = way->errors_of_verification;

    for (int i = 0; i < AUTH_ERRORS_MAX && way->errors[i]; i++)
        add_error(list, way->errors[i]);
    for (int i = 0; i < AUTH_ERRORS_MAX && more[i] && route->store == STORE_VERIFICATION; i++)
        add_error(list, more[i]);
}

/* Collects the errors of decoding a JSON body and the query. */
static void collect_body_errors(const struct route *route, struct error_list *list)
{
    if (route->body) add_error(list, ERR_PAYLOAD_TOO_LARGE);
    if (route->error_style == ERRORS_OAUTH) return; /* the faults of a form are invalid_request */
    if (route->body) add_error(list, ERR_UNSUPPORTED_MEDIA_TYPE);
    if (route->taker) { /* its faults come in a document of their own */
        add_error(list, ERR_REQUEST_TIMEOUT);
        return;
    }
    bool is_strict = auth_of(route)->is_query_strict;
    if (route->body || route->idem_family || route->is_stream || is_strict)
        add_error(list, ERR_VALIDATION);
}

static void collect_errors(const struct route *route, struct error_list *list)
{
    *list = (struct error_list){.route = route};
    collect_auth_errors(route, list);
    if (strchr(route->path, '{')) add_error(list, ERR_NOT_FOUND);
    if (route->idem_family) add_error(list, ERR_IDEMPOTENCY_CONFLICT);
    for (int i = 0; i < ROUTE_ERRORS_MAX && route->errors[i]; i++)
        add_error(list, route->errors[i]);
    collect_body_errors(route, list);
    if (route->access != ACCESS_NONE) {
        add_error(list, route->error_style == ERRORS_OAUTH ? ERR_CLIENTS_UNAVAILABLE
                                                           : ERR_STORAGE_UNAVAILABLE);
        add_error(list, ERR_OVERLOADED);
    }
    if (route->error_style == ERRORS_PLAIN) add_error(list, ERR_BAD_REQUEST);
}

static int status_of(const struct error_list *list, size_t index)
{
    return err_info(list->rows[index])->http_status;
}

static bool has_status_before(const struct error_list *list, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (status_of(list, i) == status_of(list, index)) return true;
    }
    return false;
}

/* --- An answer, which is all errors of one status --------------------------------------------- */

/* Tells whether the answer has the faults of a body that is taken as it arrives (rq->detail). */
static bool has_detail(const struct route *route, int status)
{
    return route->taker && status == err_info(ERR_VALIDATION)->http_status;
}

/* Writes "NumberTaken" of NUMBER_TAKEN. */
static void put_error_name(struct buf *name, enum err err)
{
    char before = '_';

    for (const char *p = err_info(err)->name; *p; before = *p++) {
        bool is_inner = before != '_' && *p >= 'A' && *p <= 'Z';
        if (*p != '_') buf_char(name, is_inner ? (char)(*p - 'A' + 'a') : *p);
    }
}

static size_t count_of_status(const struct error_list *list, int status)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        count += status_of(list, i) == status;
    return count;
}

/* A list of many errors belongs to one operation, and is called by that. */
static void put_name_of_operation(struct buf *name, const struct error_list *list, int status)
{
    const char *id = list->route->operation_id;

    buf_printf(name, "%c%s%d", toupper(id[0]), id + 1, status);
}

/* Writes "NotFound", "OAuthRateLimited", "StorageUnavailableOrOverloaded", or "VerifyOtp409". The
 * same name means the same answer. */
static void put_answer_name(struct buf *name, const struct error_list *list, int status)
{
    bool is_first = true;

    if (count_of_status(list, status) > NAMED_ERRORS_MAX) {
        put_name_of_operation(name, list, status);
        return;
    }
    if (list->route->error_style == ERRORS_OAUTH) buf_text(name, "OAuth");
    if (has_detail(list->route, status)) buf_text(name, "BodyFaultsOr");
    for (size_t i = 0; i < list->count; i++) {
        if (status_of(list, i) != status) continue;
        if (!is_first) buf_text(name, "Or");
        put_error_name(name, list->rows[i]);
        is_first = false;
    }
}

/* Two errors may have one code; the second goes by its own name. */
static const char *example_name(const struct error_list *list, size_t index)
{
    const struct err_info *info = err_info(list->rows[index]);

    for (size_t i = 0; i < index; i++) {
        if (strcmp(err_info(list->rows[i])->code, info->code) == 0) return info->name;
    }
    return info->code;
}

static void put_error_example(struct json_writer *w, const struct error_list *list, size_t index)
{
    enum err err = list->rows[index];
    AUTO_BUF value = {0};

    buf_init(&value, EXAMPLE_MAX);
    error_encode(err, STR("0192f0c5-5555-7d3e-8f00-3b2a1c0d9e8f"),
                 &(struct request){.route = list->route}, &value);
    json_key(w, example_name(list, index));
    json_object_begin(w);
    json_put_text(w, "summary", err_info(err)->sentence);
    json_key(w, "value");
    json_raw(w, buf_view(&value));
    json_object_end(w);
}

static void put_description(struct json_writer *w, const struct error_list *list, int status)
{
    char text[1024] = "";
    for (size_t i = 0; i < list->count; i++) {
        const struct err_info *info = err_info(list->rows[i]);
        size_t len = strlen(text);
        if (info->http_status != status) continue;
        snprintf(text + len, sizeof(text) - len, "%s`%s`: %s", len > 0 ? " " : "", info->code,
                 info->sentence);
    }
    json_put_text(w, "description", text);
}

static bool has_error(const struct error_list *list, enum err err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i] == err) return true;
    }
    return false;
}

static void put_headers(struct json_writer *w, const struct error_list *list, int status)
{
    bool has_scope = status == 403 && has_error(list, ERR_INSUFFICIENT_SCOPE);

    json_key(w, "headers");
    json_object_begin(w);
    openapi_put_common_headers(w, list->route);
    if (status == 429 || status == 503) openapi_put_header(w, "Retry-After", "RetryAfter");
    if (status == 401) openapi_put_header(w, "WWW-Authenticate", "Challenge");
    if (status == 401 || status == 429) openapi_put_limit_headers(w);
    if (has_scope) openapi_put_header(w, "WWW-Authenticate", "ScopeChallenge");
    json_object_end(w);
}

static void put_schema(struct json_writer *w, const struct route *route, int status)
{
    json_key(w, "schema");
    if (!has_detail(route, status)) {
        bool is_oauth = route->error_style == ERRORS_OAUTH;
        openapi_put_ref(w, "schemas", is_oauth ? "OAuthError" : "ErrorBody");
        return;
    }
    json_object_begin(w);
    json_key(w, "oneOf");
    json_array_begin(w);
    openapi_put_ref(w, "schemas", "ErrorBody");
    openapi_put_ref(w, "schemas", "BodyFaults");
    json_array_end(w);
    json_object_end(w);
}

static void put_detail_example(struct json_writer *w)
{
    json_key(w, "detail");
    json_object_begin(w);
    json_put_text(w, "summary", "The body is no JSON, or has faults: all of them, up to 100.");
    json_key(w, "value");
    json_raw(w, str_of(openapi_detail_example));
    json_object_end(w);
}

/* Writes all errors of one status, with an example each. */
static void put_answer(struct json_writer *w, const struct error_list *list, int status)
{
    json_object_begin(w);
    put_description(w, list, status);
    put_headers(w, list, status);
    json_key(w, "content");
    json_object_begin(w);
    json_key(w, "application/json");
    json_object_begin(w);
    put_schema(w, list->route, status);
    json_key(w, "examples");
    json_object_begin(w);
    if (has_detail(list->route, status)) put_detail_example(w);
    for (size_t i = 0; i < list->count; i++) {
        if (status_of(list, i) == status) put_error_example(w, list, i);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

/* --- All answers ------------------------------------------------------------------------------ */

struct answer_names {
    char texts[ANSWERS_MAX][NAME_MAX_LEN];
    size_t count;
};

/* Returns the name; NULL: it was given before. */
static const char *take_name(struct answer_names *names, const struct error_list *list, int status)
{
    AUTO_BUF name = {0};

    buf_init(&name, NAME_MAX_LEN - 1);
    put_answer_name(&name, list, status);
    assert(!name.is_full && names->count < ANSWERS_MAX);
    char *text = names->texts[names->count];
    memcpy(text, name.data, name.len);
    text[name.len] = '\0';
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->texts[i], text) == 0) return NULL;
    }
    names->count++;
    return text;
}

static void put_new_answers(struct json_writer *w, struct answer_names *names,
                            const struct route *route)
{
    struct error_list list;

    collect_errors(route, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (has_status_before(&list, i)) continue;
        const char *name = take_name(names, &list, status_of(&list, i));
        if (!name) continue;
        json_key(w, name);
        put_answer(w, &list, status_of(&list, i));
    }
}

void openapi_put_errors(struct json_writer *w, const struct route_list *routes)
{
    struct answer_names names = {.count = 0};

    for (size_t i = 0; i < routes->count; i++)
        put_new_answers(w, &names, &routes->rows[i]);
}

static void put_error_ref(struct json_writer *w, const struct error_list *list, int status)
{
    char key[8];
    AUTO_BUF name = {0};

    snprintf(key, sizeof(key), "%d", status);
    buf_init(&name, NAME_MAX_LEN);
    put_answer_name(&name, list, status);
    buf_char(&name, '\0');
    json_key(w, key);
    openapi_put_ref(w, "responses", name.data);
}

void openapi_put_error_refs(struct json_writer *w, const struct route *route)
{
    struct error_list list;

    collect_errors(route, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (!has_status_before(&list, i)) put_error_ref(w, &list, status_of(&list, i));
    }
}
