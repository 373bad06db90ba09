/* A flash-call template has rules that no single member can break alone. */
#include "domain/channel/flash_template.h"
#include "kit/base/macros.h"

#include <assert.h>

enum { HEADER_NAME_MAX = 64, HEADER_VALUE_MAX = 512, PARAM_MAX = 512 };

/* --- Pairs ------------------------------------------------------------------------------------ */

/* An object of names and texts is read into pairs. */
struct pairs_reader {
    struct record_faults *faults;
    const char *path; /* "send.query" */
    size_t pairs_max;
    bool are_headers;
};

static bool is_header_name(const char *name)
{
    static const char *const reserved[] = {"Host",    "Content-Length", "Transfer-Encoding",
                                           "Accept",  "Content-Type",   "Connection",
                                           "Upgrade", "Expect",         "TE",
                                           "Trailer", "Keep-Alive",     "Proxy-Connection"};
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    for (size_t i = 0; i < COUNT_OF(reserved); i++) {
        if (str_is_nocase(str_of(name), reserved[i])) return false;
    }
    size_t len = strlen(name);
    return len > 0 && len <= HEADER_NAME_MAX && strspn(name, token) == len;
}

static bool is_header_value(const char *value)
{
    size_t len = strlen(value);

    for (size_t i = 0; i < len; i++) {
        if (value[i] < ' ' || value[i] > '~') return false;
    }
    return len > 0 && len <= HEADER_VALUE_MAX && value[0] != ' ' && value[len - 1] != ' ';
}

/* Tells what is wrong with a pair; NULL: nothing. */
static const char *check_pair(const struct pairs_reader *reader, const struct flash_pair *pair)
{
    if (!reader->are_headers) {
        bool is_short = strlen(pair->name) <= PARAM_MAX && strlen(pair->value) <= PARAM_MAX;
        return pair->name[0] && is_short ? NULL : "Must have a name, and at most 512 bytes.";
    }
    if (!is_header_name(pair->name))
        return "Is no header's name, or one that is set by the request itself.";
    return is_header_value(pair->value) ? NULL : "Must hold 1 to 512 printable ASCII characters.";
}

static void take_pair(const struct pairs_reader *reader, struct flash_pairs *pairs,
                      const struct flash_pair *pair)
{
    struct record_faults *faults = reader->faults;
    const char *fault = check_pair(reader, pair);

    if (fault)
        record_fault(faults, arena_printf(faults->arena, "%s.%s", reader->path, pair->name), "%s",
                     fault);
    else if (pairs->count == reader->pairs_max)
        record_fault(faults, reader->path, "Must have at most %zu members.", reader->pairs_max);
    else
        pairs->rows[pairs->count++] = *pair;
}

/* Reads an object whose keys differ, as the decoder saw to. */
static void read_pairs(const struct pairs_reader *reader, struct str text,
                       struct flash_pairs *ret_pairs)
{
    struct arena *arena = reader->faults->arena;
    struct flash_pairs pairs = {arena_array(arena, reader->pairs_max, sizeof(*pairs.rows)), 0};
    struct json_reader *json = json_reader_new(text.len + 1);
    struct flash_pair pair = {0};
    struct str token_text = {0};
    enum json_token token;

    json_feed(json, text, true);
    while ((token = json_next(json, &token_text)) > JSON_END) {
        bool is_value = json_depth(json) == 1 && token != JSON_OBJECT_BEGIN && token != JSON_KEY;
        if (json_depth(json) == 1 && token == JSON_KEY) pair.name = arena_str(arena, token_text);
        if (!is_value) continue;
        pair.value = token == JSON_STRING ? arena_str(arena, token_text) : NULL;
        if (pair.value)
            take_pair(reader, &pairs, &pair);
        else
            record_fault(reader->faults, arena_printf(arena, "%s.%s", reader->path, pair.name),
                         "Must be a string.");
    }
    assert(token == JSON_END);
    json_reader_free(json);
    *ret_pairs = pairs;
}

/* --- Placeholders ----------------------------------------------------------------------------- */

static void scan(struct record_faults *faults, const char *path, struct str text,
                 struct flash_uses *uses)
{
    const char *fault;

    if (flash_scan(text, faults->arena, uses, &fault)) return;
    record_fault(faults, path, "%s is no placeholder.", fault);
}

static void scan_json(struct record_faults *faults, const char *path, struct str json,
                      struct flash_uses *uses)
{
    struct json_reader *reader = json_reader_new(json.len + 1);
    struct str text = {0};
    enum json_token token;

    json_feed(reader, json, true);
    while ((token = json_next(reader, &text)) > JSON_END) {
        if (token == JSON_STRING) scan(faults, path, text, uses);
    }
    assert(token == JSON_END);
    json_reader_free(reader);
}

/* --- Requests --------------------------------------------------------------------------------- */

static const char *join(struct record_faults *faults, const char *path, const char *member)
{
    return arena_printf(faults->arena, "%s.%s", path, member);
}

static void check_object(struct record_faults *faults, const char *path, struct str text,
                         size_t pairs_max, bool are_headers, struct flash_pairs *ret_pairs,
                         struct flash_uses *uses)
{
    struct pairs_reader reader = {faults, path, pairs_max, are_headers};

    if (!text.data) return;
    read_pairs(&reader, text, ret_pairs);
    for (size_t i = 0; i < ret_pairs->count; i++)
        scan(faults, path, str_of(ret_pairs->rows[i].value), uses);
}

static void check_request(struct record_faults *faults, const char *path,
                          struct flash_request *request)
{
    bool has_form = request->form_text.data, has_json = request->json.data;

    scan(faults, join(faults, path, "path"), str_of(request->path), &request->uses);
    check_object(faults, join(faults, path, "headers"), request->headers_text, FLASH_HEADERS_MAX,
                 true, &request->headers, &request->uses);
    check_object(faults, join(faults, path, "query"), request->query_text, FLASH_PARAMS_MAX, false,
                 &request->query, &request->uses);
    check_object(faults, join(faults, path, "form"), request->form_text, FLASH_PARAMS_MAX, false,
                 &request->form, &request->uses);
    if (has_json) scan_json(faults, join(faults, path, "json"), request->json, &request->uses);
    if (request->uses.count > FLASH_WORDS_MAX)
        record_fault(faults, path, "Must hold at most %d placeholders.", FLASH_WORDS_MAX);
    if (has_form && has_json)
        record_fault(faults, join(faults, path, "json"), "Must not stand beside `form`.");
    if (request->method == FLASH_GET && (has_form || has_json))
        record_fault(faults, join(faults, path, "method"), "Must be POST, since there is a body.");
}

static bool uses(const struct flash_request *request, enum flash_word word)
{
    return flash_uses_word(&request->uses, word);
}

static bool gives_code(const struct flash_request *request)
{
    return uses(request, FLASH_CODE) || uses(request, FLASH_CODE_INT);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void check_mode(struct record_faults *faults, const struct flash_template *template)
{
    bool is_learning = template->mode == FLASH_LEARN;

    if (!is_learning && !gives_code(template->send))
        record_fault(faults, "send", "Must hold {code} or {code_int}, since the mode is give.");
    if (is_learning && gives_code(template->send))
        record_fault(faults, "send", "Must not hold {code}: the provider chooses it.");
    if (is_learning && !template->code)
        record_fault(faults, "code", "Required, since the mode is learn.");
    if (!is_learning && template->code)
        record_fault(faults, "code", "Must not be there, since the mode is give.");
}

static void check_send(struct record_faults *faults, const struct flash_template *template)
{
    bool names_phone = uses(template->send, FLASH_PHONE_DIGITS) ||
                       uses(template->send, FLASH_PHONE_E164) ||
                       uses(template->send, FLASH_PHONE_INT);

    if (!names_phone)
        record_fault(faults, "send", "Must hold {phone_digits}, {phone_e164} or {phone_int}.");
    if (uses(template->send, FLASH_ID))
        record_fault(faults, "send", "Must not hold {id}: there is none before the answer.");
    if (template->is_deduplicating && !uses(template->send, FLASH_UUID))
        record_fault(faults, "deduplicates", "Must not be true without {uuid} in `send`.");
}

static void check_answer(struct record_faults *faults, const struct flash_template *template)
{
    const struct flash_error *error = template->error;

    if (!template->success && !error)
        record_fault(faults, "success", "Required, unless `error` is there.");
    if (error && !error->code && !error->text)
        record_fault(faults, "error", "Must have `code` or `text`.");
    /* Without a word of success, something else must show that the answer is one. */
    if (!template->success && !template->id && !template->code)
        record_fault(faults, "success", "Required, unless `id` or `code` is there.");
}

static void check_status(struct record_faults *faults, const struct flash_template *template)
{
    const struct flash_request *request = template->status->request;

    if (!template->id) record_fault(faults, "id", "Required, since there is `status`.");
    if (!uses(request, FLASH_ID))
        record_fault(faults, "status.request", "Must hold {id}, the id of the call.");
    if (gives_code(request)) record_fault(faults, "status.request", "Must not hold {code}.");
}

void flash_template_check(struct record_faults *faults, struct flash_template *template)
{
    check_request(faults, "send", template->send);
    check_mode(faults, template);
    check_send(faults, template);
    check_answer(faults, template);
    if (!template->status) return;
    check_request(faults, "status.request", template->status->request);
    check_status(faults, template);
}
