/* Reading parameters: what kind of value was sent is kept, since real providers care. */
#include "params.h"

#include "kit/http/path.h"
#include "kit/json/number.h"
#include "kit/json/reader.h"

enum { TOKEN_MAX = 65536 };

static void add(struct params *params, const char *name, enum param_type type, const char *text)
{
    if (params->count == PARAMS_MAX) {
        params->is_malformed = true;
        return;
    }
    params->rows[params->count++] = (struct param){name, type, text};
}

/* ---- queries and forms ---- */

static const char *decode(struct params *params, struct str text, struct arena *arena)
{
    char *plain = arena_alloc(arena, text.len + 1);
    size_t len;

    if (http_percent_decode(text, HTTP_DECODE_QUERY, plain, &len)) return plain;
    params->is_malformed = true;
    return "";
}

void params_add_query(struct params *params, struct str query, struct arena *arena)
{
    struct str name, value;

    while (http_query_next(&query, &name, &value)) {
        const char *plain_name = decode(params, name, arena);
        add(params, plain_name, PARAM_TEXT, decode(params, value, arena));
    }
}

/* ---- JSON ---- */

static enum param_type type_of(enum json_token token)
{
    if (token == JSON_STRING) return PARAM_TEXT;
    if (token == JSON_NUMBER) return PARAM_NUMBER;
    if (token == JSON_TRUE || token == JSON_FALSE) return PARAM_BOOLEAN;
    return token == JSON_NULL ? PARAM_NULL : PARAM_NESTED;
}

static const char *text_of(enum json_token token, struct str text, struct arena *arena)
{
    if (token == JSON_STRING || token == JSON_NUMBER) return arena_str(arena, text);
    if (token == JSON_TRUE) return "true";
    return token == JSON_FALSE ? "false" : NULL;
}

/* Reads to the end; true if all of it was JSON. */
static bool read_object(struct params *params, struct json_reader *reader, struct arena *arena)
{
    const char *name = NULL;
    struct str text;

    for (;;) {
        unsigned depth = json_depth(reader); /* before the token: 1 is inside of the object */
        enum json_token token = json_next(reader, &text);
        if (token == JSON_END) return true;
        if (token == JSON_FAULT || token == JSON_MORE) return false;
        if (depth == 0 && token != JSON_OBJECT_BEGIN) params->is_malformed = true;
        if (depth != 1 || token == JSON_OBJECT_END || token == JSON_ARRAY_END) continue;
        if (token == JSON_KEY) {
            name = arena_str(arena, text);
            continue;
        }
        if (name) add(params, name, type_of(token), text_of(token, text, arena));
        name = NULL;
    }
}

void params_add_json(struct params *params, struct str body, struct arena *arena)
{
    struct json_reader *reader = json_reader_new(TOKEN_MAX);

    json_feed(reader, body, true);
    params->is_json = read_object(params, reader, arena);
    if (!params->is_json) params->is_malformed = true;
    json_reader_free(reader);
}

/* ---- asking ---- */

const struct param *params_find(const struct params *params, const char *name)
{
    static const struct param absent = {.name = "", .type = PARAM_ABSENT};

    for (size_t i = params->count; i > 0; i--) {
        if (strcmp(params->rows[i - 1].name, name) == 0) return &params->rows[i - 1];
    }
    return &absent;
}

const char *params_text(const struct params *params, const char *name)
{
    const struct param *param = params_find(params, name);

    return param->type == PARAM_TEXT ? param->text : NULL;
}

bool params_integer(const struct params *params, const char *name, int64_t min, int64_t max,
                    int64_t *ret_value)
{
    const struct param *param = params_find(params, name);
    long long plain;
    int64_t value;

    if (param->type == PARAM_NUMBER && params->is_json) {
        if (!number_to_int64(str_of(param->text), &value)) return false;
    } else {
        if (param->type != PARAM_TEXT || params->is_json) return false;
        if (!str_to_int64(str_of(param->text), &plain)) return false;
        value = plain;
    }
    if (value < min || value > max) return false;
    *ret_value = value;
    return true;
}

bool params_has(const struct params *params, const char *name)
{
    return params_find(params, name)->type != PARAM_ABSENT;
}
