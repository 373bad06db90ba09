/* Telling the ERP how to behave. */
#include "sim.h"

#include <stdlib.h>

enum { TEXT_MAX = 1000, BODY_TEXT_MAX = 1000000 };

struct behave {
    const char *what, *method, *order, *shape, *order_id, *retry_after, *body;
    struct str headers;
    int64_t count, wait_ms, http_status;
    int accepted, taken;
};

#define AT(member) .offset = offsetof(struct behave, member)

static const struct field behave_fields[] = {
    {.name = "what", .type = FIELD_STRING, .flags = FIELD_REQUIRED, AT(what)},
    {.name = "method", .type = FIELD_STRING, AT(method)},
    {.name = "order", .type = FIELD_STRING, AT(order)},
    {.name = "shape", .type = FIELD_STRING, AT(shape)},
    {.name = "order_id", .type = FIELD_STRING, AT(order_id), .max = BODY_TEXT_MAX},
    {.name = "retry_after", .type = FIELD_STRING, AT(retry_after), .max = TEXT_MAX},
    {.name = "body", .type = FIELD_STRING, AT(body), .max = BODY_TEXT_MAX},
    {.name = "headers", .type = FIELD_OBJECT, AT(headers)},
    {.name = "count",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .default_value = -1,
     .min = -1,
     .max = CALLS_MAX,
     AT(count)},
    {.name = "wait_ms",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .default_value = -1,
     .min = -1,
     .max = WAIT_MS_MAX,
     AT(wait_ms)},
    {.name = "http_status",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .min = 0,
     .max = 599,
     AT(http_status)},
    {.name = "accepted", .type = FIELD_TRISTATE, AT(accepted)},
    {.name = "taken", .type = FIELD_TRISTATE, AT(taken)},
};

static const struct record behave_record = {
    .name = "Behave",
    .size = sizeof(struct behave),
    RECORD_FIELDS(behave_fields),
};

static int word_at(const char *const *words, const char *word)
{
    int i = 0;

    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

int ask_order(struct ask *ask, const char *order, const char **ret_order)
{
    struct uuid id;
    char *text;

    *ret_order = NULL;
    if (!order) return 0;
    if (!uuid_parse(str_of(order), &id)) return ask_refuse(ask, 422, "order: is no uuid");
    text = arena_alloc(&ask->arena, ORDER_TEXT_LEN + 1);
    uuid_format(&id, text);
    *ret_order = text;
    return 0;
}

static bool breaks_a_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ') return true;
    return false;
}

/* Those that frame the answer are not for sale: use cut_within for a broken one. */
static bool is_framing(const char *name)
{
    static const char *const names[] = {"content-length", "transfer-encoding", "connection", "date",
                                        ""};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is_nocase(str_of(name), names[i])) return true;
    return false;
}

static int check_headers(struct ask *ask, struct str headers)
{
    struct params *given = ARENA_NEW(&ask->arena, struct params);

    if (!headers.data) return 0;
    params_add_json(given, headers, &ask->arena);
    for (size_t i = 0; i < given->count; i++) {
        const struct param *header = &given->rows[i];
        if (header->type != PARAM_TEXT || is_framing(header->name) || breaks_a_line(header->name) ||
            breaks_a_line(header->text))
            return ask_refuse(ask, 422, "headers: %s cannot be sent", header->name);
    }
    return given->is_malformed ? ask_refuse(ask, 422, "headers: cannot be read") : 0;
}

static int read_scope(struct ask *ask, const struct behave *behave, struct behaviour_scope *scope)
{
    if (behave->method) scope->method = (enum method)word_at(method_words, behave->method);
    if (scope->method > METHOD_HEALTH) return ask_refuse(ask, 422, "method: order or health");
    if (behave->order && scope->method != METHOD_ORDER)
        return ask_refuse(ask, 422, "order: health is not asked for by order");
    return ask_order(ask, behave->order, &scope->order);
}

static int read_behaviour(struct ask *ask, const struct behave *behave, enum method method,
                          struct behaviour *behaviour)
{
    enum deed deed = (enum deed)word_at(deed_words, behave->what);

    if (deed == DEED_COUNT) return ask_refuse(ask, 422, "what: no such word");
    if (deed_rows[deed].is_of_orders && method != METHOD_ORDER)
        return ask_refuse(ask, 422, "what: is for orders alone");
    *behaviour = behaviour_standard(deed);
    behaviour->shape = (enum shape)word_at(shape_words, behave->shape ? behave->shape : "html");
    if (behaviour->shape == SHAPE_COUNT) return ask_refuse(ask, 422, "shape: no such word");
    if (behave->http_status > 0 && behave->http_status < 200)
        return ask_refuse(ask, 422, "http_status: from 200 to 599");
    if (behave->retry_after && breaks_a_line(behave->retry_after))
        return ask_refuse(ask, 422, "retry_after: cannot be sent");
    if (behave->http_status > 0) behaviour->http_status = (int)behave->http_status;
    if (behave->wait_ms >= 0) behaviour->wait_ms = behave->wait_ms;
    if (behave->taken >= 0) behaviour->is_taken = behave->taken;
    behaviour->accepted = behave->accepted;
    behaviour->order_id = behave->order_id;
    behaviour->retry_after = behave->retry_after;
    behaviour->body = behave->body;
    if (behave->headers.data) behaviour->headers = arena_str(&ask->arena, behave->headers);
    return check_headers(ask, behave->headers);
}

static int behave(struct ask *ask)
{
    struct behave behave;
    struct behaviour_scope scope = {.method = METHOD_ORDER};
    struct behaviour behaviour;
    int status = ask_decode(ask, &behave_record, &behave);

    if (!status) status = read_scope(ask, &behave, &scope);
    if (!status) status = read_behaviour(ask, &behave, scope.method, &behaviour);
    if (status) return status;
    if (behave.count == 0) return ask_refuse(ask, 422, "count: from 1 on; leave it out for all");
    pthread_mutex_lock(&ask->sim->lock);
    bool is_added = behaviours_add(ask->sim->behaviours, &scope, &behaviour, behave.count);
    pthread_mutex_unlock(&ask->sim->lock);
    return is_added ? 204 : ask_refuse(ask, 409, "There are too many behaviours: reset first");
}

const struct route behave_routes[] = {
    {"POST", "/_control/behave",
     "{what, method?, order?, count?, wait_ms?, http_status?, retry_after?, shape?, accepted?, "
     "order_id?, body?, headers?, taken?}: the next count calls (without it: all until reset) of "
     "method (order, or health) behave so",
     behave},
    {0},
};
