/* Telling the ERP how to behave. */
#include "sim.h"
#include "sim/common/behave.h"

enum { TEXT_MAX = 1000, BODY_TEXT_MAX = 1000000 };

struct behave {
    struct behave_input common; /* the first: BEHAVE_FIELDS */
    const char *order, *order_id, *retry_after, *body;
    struct str headers;
    int accepted;
};

#define AT(member) .offset = offsetof(struct behave, member)

static const struct field behave_fields[] = {
    BEHAVE_FIELDS,
    {.name = "order", .type = FIELD_STRING, AT(order)},
    {.name = "order_id", .type = FIELD_STRING, AT(order_id), .max = BODY_TEXT_MAX},
    {.name = "retry_after", .type = FIELD_STRING, AT(retry_after), .max = TEXT_MAX},
    {.name = "body", .type = FIELD_STRING, AT(body), .max = BODY_TEXT_MAX},
    {.name = "headers", .type = FIELD_OBJECT, AT(headers)},
    {.name = "accepted", .type = FIELD_TRISTATE, AT(accepted)},
};

static const struct record behave_record = {
    .name = "Behave",
    .size = sizeof(struct behave),
    RECORD_FIELDS(behave_fields),
};

int control_read_order(struct control_request *request, const char *order, const char **ret_order)
{
    struct uuid id;
    char *text;

    *ret_order = NULL;
    if (!order) return 0;
    if (!uuid_parse(str_of(order), &id)) return control_refuse(request, 422, "order: is no uuid");
    text = arena_alloc(&request->arena, ORDER_TEXT_LEN + 1);
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

static int check_headers(struct control_request *request, struct str headers)
{
    struct params *given = ARENA_NEW(&request->arena, struct params);

    if (!headers.data) return 0;
    params_add_json(given, headers, &request->arena);
    for (size_t i = 0; i < given->count; i++) {
        const struct param *header = &given->rows[i];
        if (header->type != PARAM_TEXT || is_framing(header->name) || breaks_a_line(header->name) ||
            breaks_a_line(header->text))
            return control_refuse(request, 422, "headers: %s cannot be sent", header->name);
    }
    return given->is_malformed ? control_refuse(request, 422, "headers: cannot be read") : 0;
}

static int read_scope(struct control_request *request, const struct behave *behave,
                      struct behaviour_scope *scope)
{
    const char *method = behave->common.method;

    if (method) scope->method = (enum method)control_word(method_words, method);
    if (scope->method > METHOD_HEALTH)
        return control_refuse(request, 422, "method: order or health");
    if (behave->order && scope->method != METHOD_ORDER)
        return control_refuse(request, 422, "order: health is not asked for by order");
    return control_read_order(request, behave->order, &scope->order);
}

static int read_kind(struct control_request *request, const char *what, enum method method,
                     struct behaviour *behaviour)
{
    enum behaviour_kind kind = (enum behaviour_kind)control_word(behaviour_words, what);

    if (kind == BEHAVIOUR_COUNT) return control_refuse(request, 422, "what: no such word");
    if (behaviour_rows[kind].is_of_orders && method != METHOD_ORDER)
        return control_refuse(request, 422, "what: is for orders alone");
    *behaviour = behaviour_standard(kind);
    return 0;
}

static int read_behaviour(struct control_request *request, const struct behave *behave,
                          struct behaviour *behaviour)
{
    const struct behave_input *common = &behave->common;
    int status = behave_check(request, common, &behaviour->shape);

    if (status) return status;
    if (behave->retry_after && breaks_a_line(behave->retry_after))
        return control_refuse(request, 422, "retry_after: cannot be sent");
    if (common->http_status > 0) behaviour->http_status = (int)common->http_status;
    if (common->wait_ms >= 0) behaviour->wait_ms = common->wait_ms;
    if (common->taken >= 0) behaviour->is_taken = common->taken;
    behaviour->accepted = behave->accepted;
    behaviour->order_id = behave->order_id;
    behaviour->retry_after = behave->retry_after;
    behaviour->body = behave->body;
    if (behave->headers.data) behaviour->headers = arena_str(&request->arena, behave->headers);
    return check_headers(request, behave->headers);
}

static int behave(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct behave behave;
    struct behaviour_scope scope = {.method = METHOD_ORDER};
    struct behaviour behaviour;
    int status = control_decode(request, &behave_record, &behave);

    if (!status) status = read_scope(request, &behave, &scope);
    if (!status) status = read_kind(request, behave.common.what, scope.method, &behaviour);
    if (!status) status = read_behaviour(request, &behave, &behaviour);
    if (status) return status;
    pthread_mutex_lock(&sim->server.lock);
    bool is_added = behaviours_add(sim->behaviours, &scope, &behaviour, behave.common.count);
    pthread_mutex_unlock(&sim->server.lock);
    return is_added ? 204
                    : control_refuse(request, 409, "There are too many behaviours: reset first");
}

const struct route behave_routes[] = {
    {"POST", "/_control/behave",
     "{what, method?, order?, count?, wait_ms?, http_status?, retry_after?, shape?, accepted?, "
     "order_id?, body?, headers?, taken?}: the next count calls (without it: all until reset) of "
     "method (order, or health) behave so",
     behave},
    {0},
};
