/* Handlers read a request and keep it by these functions. */
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/http/connection.h"

#include <stdlib.h>

/* RFC 9110 and its extensions define these fields as lists, and proxies add lines to them. Of all
 * other fields the first counts: joined, they would make a value that no peer sent. */
static const char *const list_fields[] = {
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "expect",
    "forwarded",
    "if-match",
    "if-none-match",
    "pragma",
    "prefer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "via",
    "x-forwarded-for",
    "x-forwarded-proto",
};

/* ---- the head ---- */

/* Fields and bytes lie behind each other in one piece of memory. The next request of the connection
 * uses it again unless it is unusually large. */
enum { HEAD_CAPACITY_STEP = 128, HEAD_CAPACITY_KEPT = 2048 };

void http_request_begin(struct http_connection *c, const struct http_head *head)
{
    struct http_request *x = &c->request;
    size_t bytes_len = 0, fields_len = (size_t)head->field_count * sizeof(struct http_field);

    if (head->field_count > 0) {
        struct http_span last = head->fields[head->field_count - 1].value;
        bytes_len = (size_t)last.at + last.len;
    } else {
        bytes_len = (size_t)head->query.at + head->query.len;
    }
    if (fields_len + bytes_len > c->head_capacity) {
        http_request_forget_head(c);
        free(c->head_memory);
        c->head_capacity = (fields_len + bytes_len + HEAD_CAPACITY_STEP - 1) / HEAD_CAPACITY_STEP *
                           HEAD_CAPACITY_STEP;
        c->head_memory = must_calloc(1, c->head_capacity);
    }
    memcpy(c->head_memory, head->fields, fields_len);
    memcpy(c->head_memory + fields_len, head->bytes, bytes_len);
    x->head = *head;
    x->head.fields = (const struct http_field *)(const void *)c->head_memory;
    x->head.bytes = c->head_memory + fields_len;
    x->is_keep_alive = head->is_keep_alive;
    x->is_continue_due = head->expects_continue;
    x->is_end_due = true;
    x->is_head_request = str_is(http_head_view(head, head->method), "HEAD");
    http_body_init(&x->body, head->is_chunked ? -1 : head->content_length);
}

void http_request_forget_head(struct http_connection *c)
{
    if (c->head_memory) explicit_bzero(c->head_memory, c->head_capacity);
}

void http_request_drop_head(struct http_connection *c)
{
    struct http_head *head = &c->request.head;

    if (!c->head_memory) return;
    http_request_forget_head(c);
    free(c->head_memory);
    c->head_memory = NULL;
    c->head_capacity = 0;
    head->bytes = "";
    head->fields = NULL;
    head->field_count = 0;
    head->method = head->path = head->query = (struct http_span){0};
}

void http_request_reset(struct http_connection *c)
{
    while (c->joined) {
        struct http_joined *joined = c->joined;
        c->joined = joined->next;
        explicit_bzero(joined->value, joined->len);
        free(joined);
    }
    if (c->head_capacity > HEAD_CAPACITY_KEPT)
        http_request_drop_head(c);
    else
        http_request_forget_head(c);
    if (c->request.is_kept) http_admission_drop(&c->loop->server->admission, &c->request.voucher);
    c->request = (struct http_request){.connection = c};
}

struct str http_method(const struct http_request *x)
{
    return http_head_view(&x->head, x->head.method);
}

struct str http_path(const struct http_request *x)
{
    return http_head_view(&x->head, x->head.path);
}

struct str http_query(const struct http_request *x)
{
    return http_head_view(&x->head, x->head.query);
}

int64_t http_body_length(const struct http_request *x)
{
    return x->head.is_chunked ? -1 : x->head.content_length;
}

/* ---- header fields ---- */

static bool is_list_field(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(list_fields); i++) {
        if (str_is_nocase(name, list_fields[i])) return true;
    }
    return false;
}

/* Returns the next field of that name from `index` on; -1 if there is none. */
static int find_field(const struct http_request *x, struct str name, int index)
{
    for (; index < x->head.field_count; index++) {
        const struct http_field *field = &x->head.fields[index];
        if (field->name.len != name.len) continue;
        if (str_is_nocase(http_head_view(&x->head, field->name), name.data)) return index;
    }
    return -1;
}

static struct str value_at(const struct http_request *x, int index)
{
    return http_head_view(&x->head, x->head.fields[index].value);
}

static size_t joined_length(const struct http_request *x, struct str name, int first)
{
    size_t len = 0;

    for (int i = first; i >= 0; i = find_field(x, name, i + 1))
        len += value_at(x, i).len + 2;
    return len - 2;
}

static struct str join_values(const struct http_request *x, struct str name, int first)
{
    struct http_connection *c = x->connection;
    const char *key = http_head_view(&x->head, x->head.fields[first].name).data;

    for (const struct http_joined *joined = c->joined; joined; joined = joined->next) {
        if (joined->name == key) return (struct str){joined->value, joined->len};
    }
    size_t len = joined_length(x, name, first), at = 0;
    struct http_joined *joined = must_calloc(1, sizeof(*joined) + len + 2);
    for (int i = first; i >= 0; i = find_field(x, name, i + 1)) {
        struct str value = value_at(x, i);
        memcpy(joined->value + at, value.data, value.len);
        memcpy(joined->value + at + value.len, ", ", 2);
        at += value.len + 2;
    }
    joined->len = len;
    joined->name = key;
    joined->next = c->joined;
    c->joined = joined;
    return (struct str){joined->value, len};
}

struct str http_header_get(const struct http_request *x, const char *name)
{
    struct str key = str_of(name);
    int first = find_field(x, key, 0);

    if (first < 0) return (struct str){NULL, 0};
    bool has_more = is_list_field(key) && find_field(x, key, first + 1) >= 0;
    struct str value = has_more ? join_values(x, key, first) : value_at(x, first);
    return value.len > 0 ? value : (struct str){NULL, 0};
}

int http_header_count(const struct http_request *x, const char *name)
{
    struct str key = str_of(name);
    int count = 0;

    for (int i = find_field(x, key, 0); i >= 0; i = find_field(x, key, i + 1))
        count++;
    return count;
}

/* ---- the rest ---- */

const struct in6_addr *http_peer(const struct http_request *x)
{
    return &x->connection->address;
}

int http_listener_of(const struct http_request *x)
{
    return x->connection->listener;
}

bool http_is_tls(const struct http_request *x)
{
    return x->connection->is_tls;
}

uint64_t http_connection_number(const struct http_request *x)
{
    return x->connection->number;
}

void http_cut(struct http_request *x)
{
    http_connection_close(x->connection);
}

void http_set_user(struct http_request *x, void *user)
{
    x->user = user;
}

void *http_user(const struct http_request *x)
{
    return x->user;
}

int http_loop_index(const struct http_request *x)
{
    return x->connection->loop->index;
}

bool http_is_closed(const struct http_request *x)
{
    return x->is_given_up || x->connection->phase == HTTP_PHASE_CLOSED;
}

bool http_peer_has_ended(const struct http_request *x)
{
    return x->connection->is_peer_done || http_is_closed(x);
}

void http_hold(struct http_request *x)
{
    assert(x->is_open);
    x->hold_count++;
}

void http_release(struct http_request *x)
{
    assert(x->hold_count > 0);
    x->hold_count--;
    http_connection_touch(x->connection);
}

void http_defer(struct http_request *x, void (*fn)(struct http_request *x))
{
    http_loop_post(x->connection->loop, (struct http_task){.run_request = fn, .request = x});
}

void http_body_pause(struct http_request *x)
{
    struct http_connection *c = x->connection;

    if (x->is_body_paused || http_is_closed(x)) return;
    x->is_body_paused = true;
    if (http_deadline_is_set(&c->read_deadline))
        x->body_start_ms = http_loop_now(c->loop) - x->body_start_ms;
    http_deadline_clear(&c->read_deadline);
    http_connection_touch(c);
}

void http_vouch(struct http_request *x, bool has_right_key)
{
    x->is_vouched = has_right_key;
}

void http_vouch_body(struct http_request *x, const uint8_t voucher[static HTTP_VOUCHER_LEN])
{
    struct http_connection *c = x->connection;
    int64_t length = http_body_length(x);
    bool is_here = length >= 0 && length <= (int64_t)c->in.len;

    x->is_vouched = true;
    if (is_here || x->is_kept) return; /* nobody waits for it, or it is counted */
    memcpy(x->voucher.bytes, voucher, sizeof(x->voucher.bytes));
    x->is_kept = http_admission_keep(&c->loop->server->admission, &x->voucher);
    x->is_vouched = x->is_kept;
}

void http_body_resume(struct http_request *x)
{
    struct http_connection *c = x->connection;

    if (!x->is_body_paused || http_is_closed(x)) return;
    x->is_body_paused = false;
    x->body_start_ms = http_loop_now(c->loop) - x->body_start_ms;
    if (!http_body_is_whole(&x->body))
        http_deadline_set(&c->read_deadline, http_deadlines_of(c, HTTP_DEADLINE_BODY_RATE),
                          http_loop_now(c->loop));
    http_connection_touch(c);
}
