/* Texts have placeholders in braces. A brace that belongs to none is refused when the template is
 * read, so that a slip of the pen never reaches a provider. */
#include "domain/channel/flash_fill.h"

#include "domain/channel/driver_request.h"
#include "kit/base/clock.h"
#include "kit/json/reader.h"

#include <assert.h>

enum { FAULT_NAME_MAX = 40 };

static const struct {
    const char *name;
    bool is_number; /* in a JSON body, where it stands alone */
} words[FLASH_WORD_COUNT] = {
    [FLASH_PHONE_DIGITS] = {"phone_digits", false},
    [FLASH_PHONE_E164] = {"phone_e164", false},
    [FLASH_PHONE_INT] = {"phone_int", true},
    [FLASH_CODE] = {"code", false},
    [FLASH_CODE_INT] = {"code_int", true},
    [FLASH_UUID] = {"uuid", false},
    [FLASH_TS] = {"ts", true},
    [FLASH_KEY] = {"key", false},
    [FLASH_SERVICE_ID] = {"service_id", false},
    [FLASH_ID] = {"id", false},
};

enum flash_word flash_word_find(struct str name)
{
    enum flash_word word = 0;
    while (word < FLASH_WORD_COUNT && !str_is(name, words[word].name))
        word++;
    return word;
}

/* A piece of a text is what stands in front of a placeholder, and the placeholder. */
struct piece {
    struct str plain;
    enum flash_word word; /* FLASH_WORD_COUNT: none */
    struct str brace;     /* as it is written, from its brace on; empty: the text ends */
};

/* Takes the first piece off `rest`. False: it is empty. */
static bool next_piece(struct str *rest, struct piece *ret_piece)
{
    struct piece piece = {.plain.data = rest->data, .word = FLASH_WORD_COUNT};
    struct str left = *rest;

    if (left.len == 0) return false;
    while (left.len > 0 && left.data[0] != '{' && left.data[0] != '}') {
        left.data++;
        left.len--;
    }
    piece.plain.len = rest->len - left.len;
    piece.brace = (struct str){left.data, left.len > 0 ? 1 : 0};
    const char *end = left.len > 0 ? memchr(left.data, '}', left.len) : NULL;
    if (end && left.data[0] == '{') {
        piece.brace.len = (size_t)(end - left.data) + 1;
        piece.word = flash_word_find((struct str){left.data + 1, piece.brace.len - 2});
    }
    left.data += piece.brace.len;
    left.len -= piece.brace.len;
    *rest = left;
    *ret_piece = piece;
    return true;
}

bool flash_scan(struct str text, struct arena *arena, struct flash_uses *uses,
                const char **ret_fault)
{
    struct piece piece;

    while (next_piece(&text, &piece)) {
        bool is_end = piece.brace.len == 0;
        if (!is_end && piece.word == FLASH_WORD_COUNT) {
            size_t len = piece.brace.len < FAULT_NAME_MAX ? piece.brace.len : FAULT_NAME_MAX;
            *ret_fault = arena_str(arena, (struct str){piece.brace.data, len});
            return false;
        }
        if (is_end) continue;
        uses->words |= 1U << piece.word;
        uses->count++;
    }
    return true;
}

/* --- Values ----------------------------------------------------------------------------------- */

void flash_values_init(struct flash_values *values, const struct driver_config *config,
                       const struct channel_content *content, struct arena *arena)
{
    char send_id[UUID_TEXT_LEN + 1];
    const char *digits = content->recipient ? request_phone_digits(content) : NULL;

    const char *code_int = content->code;

    while (code_int && code_int[0] == '0' && code_int[1])
        code_int++; /* JSON writes a number without zeros in front */
    uuid_format(&content->send_id, send_id);
    *values = (struct flash_values){{
        [FLASH_PHONE_DIGITS] = digits,
        [FLASH_PHONE_E164] = content->recipient,
        [FLASH_PHONE_INT] = digits,
        [FLASH_CODE] = content->code,
        [FLASH_CODE_INT] = code_int,
        [FLASH_UUID] = arena_text(arena, send_id),
        [FLASH_TS] =
            arena_printf(arena, "%lld", (long long)(clock_to_own_wall(content->now_ms) / 1000)),
        [FLASH_KEY] = config->token ? config->token->data : NULL,
        [FLASH_SERVICE_ID] = config->service_id,
        [FLASH_ID] = content->provider_id,
    }};
}

static struct str value_of(const struct flash_values *values, enum flash_word word)
{
    const char *text = word < FLASH_WORD_COUNT ? values->texts[word] : NULL;
    return str_of(text ? text : "");
}

/* --- Filling ---------------------------------------------------------------------------------- */

static void put(struct buf *out, struct str text, bool is_escaped)
{
    if (is_escaped)
        request_escape(out, text, "");
    else
        buf_str(out, text);
}

void flash_fill(struct buf *out, struct str text, const struct flash_values *values,
                enum flash_escape escape)
{
    struct piece piece;

    while (next_piece(&text, &piece)) {
        put(out, piece.plain, escape == FLASH_PARAM);
        put(out, value_of(values, piece.word), escape != FLASH_PLAIN);
    }
}

/* Writes a string of the body, as a number where it is nothing but a placeholder for one. */
static void write_string(struct json_writer *writer, struct str text,
                         const struct flash_values *values)
{
    struct str rest = text;
    struct piece piece;

    if (next_piece(&rest, &piece) && piece.plain.len == 0 && rest.len == 0 &&
        piece.word < FLASH_WORD_COUNT && words[piece.word].is_number) {
        struct str digits = value_of(values, piece.word);
        json_raw(writer, digits.len > 0 ? digits : STR("null"));
        return;
    }
    AUTO_BUF filled = {0};
    buf_init(&filled, REQUEST_MAX);
    flash_fill(&filled, text, values, FLASH_PLAIN);
    assert(!filled.is_full);
    json_str(writer, filled.len > 0 ? buf_view(&filled) : STR(""));
}

static void write_token(struct json_writer *writer, enum json_token token, struct str text,
                        const struct flash_values *values, struct arena *arena)
{
    switch (token) {
    case JSON_OBJECT_BEGIN:
        json_object_begin(writer);
        return;
    case JSON_OBJECT_END:
        json_object_end(writer);
        return;
    case JSON_ARRAY_BEGIN:
        json_array_begin(writer);
        return;
    case JSON_ARRAY_END:
        json_array_end(writer);
        return;
    case JSON_KEY:
        json_key(writer, arena_str(arena, text));
        return;
    case JSON_STRING:
        write_string(writer, text, values);
        return;
    case JSON_NUMBER:
        json_raw(writer, text);
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        json_bool(writer, token == JSON_TRUE);
        return;
    case JSON_NULL:
        json_null(writer);
        return;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        assert(!"a template is JSON");
    }
}

void flash_fill_json(struct buf *out, struct str json, const struct flash_values *values,
                     struct arena *arena)
{
    struct json_reader *reader = json_reader_new(json.len + 1);
    struct json_writer writer;
    struct str text = {0};
    enum json_token token;

    json_writer_init(&writer, out);
    json_feed(reader, json, true);
    while ((token = json_next(reader, &text)) > JSON_END)
        write_token(&writer, token, text, values, arena);
    assert(token == JSON_END);
    json_reader_free(reader);
}
