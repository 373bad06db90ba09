/*
 * A template makes flash calls: the request is the template's with its placeholders filled in, and
 * its pointers read the answer. The template says whether the provider deduplicates, and who
 * chooses the code, so each has a driver of its own, of which this is the mould.
 */
#include "domain/channel/driver_reply.h"
#include "domain/channel/driver_request.h"
#include "domain/channel/flash_template.h"

#include <assert.h>

/* --- Requests --------------------------------------------------------------------------------- */

static void put_pairs(struct buf *out, const struct flash_pairs *pairs,
                      const struct flash_values *values)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (i > 0) buf_char(out, '&');
        request_escape(out, str_of(pairs->rows[i].name), "");
        buf_char(out, '=');
        flash_fill(out, str_of(pairs->rows[i].value), values, FLASH_PARAM);
    }
}

static const char *make_url(const struct driver_config *config, const struct flash_request *request,
                            const struct flash_values *values, struct arena *arena)
{
    AUTO_BUF url = {0};

    buf_init(&url, REQUEST_MAX);
    buf_text(&url, config->base_url ? config->base_url : config->template->base_url);
    flash_fill(&url, str_of(request->path), values, FLASH_PATH);
    if (request->query.count > 0) buf_char(&url, '?');
    put_pairs(&url, &request->query, values);
    assert(!url.is_full);
    return arena_str(arena, buf_view(&url));
}

static void put_headers(struct fetch *fetch, const struct flash_pairs *headers,
                        const struct flash_values *values, struct arena *arena)
{
    for (size_t i = 0; i < headers->count; i++) {
        AUTO_BUF value = {0};
        buf_init(&value, REQUEST_MAX);
        flash_fill(&value, str_of(headers->rows[i].value), values, FLASH_PLAIN);
        assert(!value.is_full);
        request_header(fetch, headers->rows[i].name, arena_str(arena, buf_view(&value)));
    }
}

static void put_body(struct fetch *fetch, const struct flash_request *request,
                     const struct flash_values *values, struct arena *arena)
{
    AUTO_BUF body = {0};

    buf_init(&body, REQUEST_MAX);
    if (request->json.data) {
        flash_fill_json(&body, request->json, values, arena);
        request_body(fetch, "application/json", &body, arena);
    }
    if (request->form_text.data) {
        put_pairs(&body, &request->form, values);
        request_body(fetch, "application/x-www-form-urlencoded", &body, arena);
    }
}

static void make(const struct driver_config *config, const struct flash_request *request,
                 const struct channel_content *content, struct arena *arena, struct fetch *fetch)
{
    struct flash_values values;

    flash_values_init(&values, config, content, arena);
    request_begin(fetch, flash_method_words[request->method],
                  make_url(config, request, &values, arena));
    put_headers(fetch, &request->headers, &values, arena);
    put_body(fetch, request, &values, arena);
}

static void make_send(const struct driver_config *config, const struct channel_content *content,
                      struct arena *arena, struct fetch *fetch)
{
    assert(content->recipient && (content->code || config->template->mode == FLASH_LEARN));
    make(config, config->template->send, content, arena, fetch);
}

static void make_status(const struct driver_config *config, const struct channel_content *content,
                        struct arena *arena, struct fetch *fetch)
{
    assert(content->provider_id);
    make(config, config->template->status->request, content, arena, fetch);
}

/* --- Answers ---------------------------------------------------------------------------------- */

enum verdict { VERDICT_SUCCESS, VERDICT_REFUSED, VERDICT_NONE };

static bool has_error(const struct reply *reply)
{
    const struct flash_error *error = reply->config->template->error;

    if (!error) return false;
    return (error->code && reply_scalar(reply, error->code)) ||
           (error->text && reply_scalar(reply, error->text));
}

/* A word of success decides; where the template has none, the absence of an error does. */
static enum verdict judge(const struct reply *reply)
{
    const struct flash_success *success = reply->config->template->success;

    if (!success) return has_error(reply) ? VERDICT_REFUSED : VERDICT_SUCCESS;
    const char *found = reply_scalar(reply, success->pointer);
    if (!found) return has_error(reply) ? VERDICT_REFUSED : VERDICT_NONE;
    return strcmp(found, success->equals) == 0 ? VERDICT_SUCCESS : VERDICT_REFUSED;
}

static bool is_listed(const struct record_list *patterns, const char *text)
{
    const char *const *items = patterns->items;

    for (size_t i = 0; text && i < patterns->count; i++) {
        if (flash_pattern_fits(items[i], text)) return true;
    }
    return false;
}

static enum channel_outcome outcome_of_error(const struct reply *reply, const char *code,
                                             const char *text)
{
    const struct flash_error *error = reply->config->template->error;

    for (int outcome = 0; error && outcome <= OUTCOME_UNKNOWN; outcome++) {
        const struct record_list *patterns = &error->classes[outcome];
        if (is_listed(patterns, code) || is_listed(patterns, text))
            return (enum channel_outcome)outcome;
    }
    return reply_unlisted(reply);
}

static const char *describe(const struct reply *reply, const char *code, const char *text)
{
    const char *name = reply_words(reply, code);
    const char *words = reply_words(reply, text);

    if (name && words) return arena_printf(reply->arena, "%s: %s", name, words);
    return name ? name : words;
}

static void read_refusal(const struct reply *reply, struct channel_answer *ret_answer)
{
    const struct flash_error *error = reply->config->template->error;
    const char *code = error && error->code ? reply_scalar(reply, error->code) : NULL;
    const char *text = error && error->text ? reply_scalar(reply, error->text) : NULL;
    int64_t wait_s;

    if (error && error->wait && reply_int(reply, error->wait, &wait_s))
        ret_answer->wait_ms = reply_wait_ms(wait_s);
    reply_refused(reply, outcome_of_error(reply, code, text), describe(reply, code, text),
                  ret_answer);
}

/* Reads what is neither a success nor a refusal. An HTTP status that tells of the credentials is
 * believed. */
static void read_neither(const struct reply *reply, struct channel_answer *ret_answer)
{
    reply_unreadable(reply, ret_answer);
    if (reply->fetch->status >= 401 && reply->fetch->status <= 403)
        ret_answer->outcome = OUTCOME_OURS;
}

/* Reads the four digits of a value; NULL: it has others, or too few. As a number it has lost the
 * zeros in front. */
static const char *read_code(const struct reply *reply, const struct flash_code *code)
{
    const char *text = reply_scalar(reply, code->pointer);
    struct json_value value;
    size_t len = text ? strlen(text) : 0;

    if (len == 0 || strspn(text, "0123456789") != len) return NULL;
    if (len > FLASH_CODE_DIGITS) return code->is_last_4 ? text + len - FLASH_CODE_DIGITS : NULL;
    if (len == FLASH_CODE_DIGITS) return text;
    if (!json_find(buf_view(&reply->fetch->answer), code->pointer, reply->arena, &value))
        return NULL;
    if (value.type != JSON_NUMBER) return NULL;
    return arena_printf(reply->arena, "%.*s%s", (int)(FLASH_CODE_DIGITS - len), "0000", text);
}

/* The answer must hold all that the template says the provider tells. */
static void read_success(const struct reply *reply, struct channel_answer *ret_answer)
{
    const struct flash_template *template = reply->config->template;
    const char *id = template->id ? reply_id(reply, template->id) : NULL;
    const char *code = template->code ? read_code(reply, template->code) : NULL;
    bool is_complete = (id || !template->id) && (code || !template->code);

    if (!is_complete || !reply_is_success(reply)) {
        read_neither(reply, ret_answer);
        return;
    }
    ret_answer->outcome = OUTCOME_DONE;
    ret_answer->provider_id = id;
    ret_answer->learned_code = code;
}

static void read_send(const struct driver_config *config, const struct fetch *fetch,
                      struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&config->template->driver, config, fetch, arena};

    if (!reply_open(&reply, ret_answer)) return;
    switch (judge(&reply)) {
    case VERDICT_SUCCESS:
        read_success(&reply, ret_answer);
        return;
    case VERDICT_REFUSED:
        read_refusal(&reply, ret_answer);
        return;
    case VERDICT_NONE:
        read_neither(&reply, ret_answer);
        return;
    }
}

static void read_state(const struct reply *reply, struct channel_answer *ret_answer)
{
    const struct flash_status *status = reply->config->template->status;
    const char *state = reply_scalar(reply, status->state);

    ret_answer->outcome = OUTCOME_DONE;
    ret_answer->is_pending = true;
    for (int progress = PROGRESS_SENT; progress <= PROGRESS_FAILED; progress++) {
        if (!is_listed(&status->classes[progress], state)) continue;
        ret_answer->progress = (enum channel_progress)progress;
        ret_answer->is_pending = false;
        if (progress != PROGRESS_FAILED) return;
        ret_answer->error = "the provider says that it failed";
        ret_answer->words = reply_words(reply, state);
        return;
    }
}

static void read_status(const struct driver_config *config, const struct fetch *fetch,
                        struct arena *arena, struct channel_answer *ret_answer)
{
    struct reply reply = {&config->template->driver, config, fetch, arena};

    if (reply_open(&reply, ret_answer)) {
        if (has_error(&reply))
            read_refusal(&reply, ret_answer);
        else if (reply_is_success(&reply))
            read_state(&reply, ret_answer);
        else
            read_neither(&reply, ret_answer);
    }
    reply_end_status(ret_answer);
}

const struct channel_driver driver_flash_template = {
    .name = "flash_template",
    .make_send = make_send,
    .read_send = read_send,
    .make_status = make_status,
    .read_status = read_status,
};
