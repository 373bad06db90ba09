/*
 * The pull reader is a grammar in the form of "what may come next", with one bit a level for object
 * or array. Three kinds of token may end in another piece than they began in: strings, numbers,
 * words. Each keeps just enough state to go on with the next byte, so the tokens, the faults and
 * their offsets do not depend on how the text was cut (contract, section 1).
 */
#include "kit/json/reader.h"

#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/json/reader_string.h"

#include <assert.h>
#include <stdlib.h>

enum expect {
    EXPECT_VALUE,
    EXPECT_FIRST_ITEM, /* or ] */
    EXPECT_FIRST_KEY,  /* or } */
    EXPECT_KEY,
    EXPECT_COLON,
    EXPECT_COMMA, /* or the end of the object or array */
    EXPECT_NOTHING,
};

enum inside { INSIDE_NOTHING, INSIDE_STRING, INSIDE_NUMBER, INSIDE_WORD };

enum number_state {
    NUMBER_START,
    NUMBER_MINUS,
    NUMBER_ZERO,
    NUMBER_WHOLE,
    NUMBER_POINT,
    NUMBER_FRACTION,
    NUMBER_E,
    NUMBER_E_SIGN,
    NUMBER_EXPONENT,
    NUMBER_STOP, /* the byte does not continue the number */
};

struct word {
    const char *text;
    enum json_token token;
};

struct json_reader {
    const char *begin, *at, *end; /* the bytes fed last */
    uint64_t begin_offset;        /* of `begin` in the whole text */
    bool is_last;
    bool skips_mark; /* it may be next */
    size_t mark_len; /* bytes of it seen */

    enum expect expect;
    unsigned depth;
    uint64_t objects; /* one bit a level: an object, not an array */

    enum inside inside; /* the token that the last bytes ended in */
    bool is_key;
    bool is_assembled; /* the token's text is in `token`, not in the bytes fed */
    enum number_state number;
    const struct word *word;
    size_t word_len; /* bytes of the word seen */
    char held[UNIT_LEN_MAX];
    size_t held_len; /* bytes of an escape or character that was cut */
    struct buf token;

    struct str text;
    uint64_t token_offset;
    const char *fault;
};

static const struct word words[] = {
    {"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};

struct json_reader *json_reader_new(size_t token_max)
{
    struct json_reader *reader = must_calloc(1, sizeof(*reader));
    buf_init(&reader->token, token_max);
    return reader;
}

struct json_reader *json_reader_new_large(size_t token_max)
{
    struct json_reader *reader = json_reader_new(0);
    buf_init_large(&reader->token, token_max);
    return reader;
}

void json_reader_free(struct json_reader *reader)
{
    if (!reader) return;
    buf_done(&reader->token);
    free(reader);
}

const char *json_fault(const struct json_reader *reader)
{
    return reader->fault;
}

bool json_lacks_memory(const struct json_reader *reader)
{
    return reader->token.lacks_memory;
}

uint64_t json_offset(const struct json_reader *reader)
{
    return reader->token_offset;
}

static uint64_t offset_of(const struct json_reader *reader, const char *at)
{
    return reader->begin_offset + (uint64_t)(at - reader->begin);
}

uint64_t json_end_offset(const struct json_reader *reader)
{
    return offset_of(reader, reader->at);
}

unsigned json_depth(const struct json_reader *reader)
{
    return reader->depth;
}

static enum json_token fail_at(struct json_reader *reader, uint64_t offset, const char *fault)
{
    reader->token_offset = offset;
    reader->fault = fault;
    return JSON_FAULT;
}

static enum json_token fail(struct json_reader *reader, const char *fault)
{
    return fail_at(reader, offset_of(reader, reader->at), fault);
}

void json_skip_mark(struct json_reader *reader)
{
    reader->skips_mark = true;
}

/* The mark may come in pieces; what begins like it and is none is no JSON. */
static void pass_mark(struct json_reader *reader)
{
    static const char mark[] = "\xEF\xBB\xBF";

    while (reader->at < reader->end && *reader->at == mark[reader->mark_len]) {
        reader->at++;
        if (!mark[++reader->mark_len]) break;
    }
    bool is_whole = !mark[reader->mark_len];
    reader->skips_mark = !is_whole && reader->at == reader->end;
    if (!is_whole && !reader->skips_mark && reader->mark_len > 0)
        (void)fail_at(reader, 0, "Expected a value.");
}

void json_feed(struct json_reader *reader, struct str bytes, bool is_last)
{
    assert(reader->at == reader->end || reader->fault);
    assert(!reader->is_last);
    reader->begin_offset += (uint64_t)(reader->end - reader->begin);
    reader->begin = reader->at = bytes.len > 0 ? bytes.data : "";
    reader->end = reader->begin + bytes.len;
    reader->is_last = is_last;
    if (reader->skips_mark) pass_mark(reader);
}

/* The bytes fed are used up inside a token or before one that must come. */
static enum json_token ask_for_more(struct json_reader *reader, const char *fault_if_last)
{
    return reader->is_last ? fail(reader, fault_if_last) : JSON_MORE;
}

static enum json_token end_value(struct json_reader *reader, enum json_token token)
{
    reader->inside = INSIDE_NOTHING;
    reader->expect = reader->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA;
    return token;
}

/*
 * The text of a token is a view into the bytes fed where it lies there in one piece; else it is
 * assembled in `token`. The maximum is checked at each run, before the byte that ended it is looked
 * at, so that the verdict does not depend on the pieces.
 */
static bool has_room(const struct json_reader *reader, const char *from, const char *to)
{
    return (size_t)(to - from) <= reader->token.max - reader->token.len;
}

static enum json_token fail_too_long(struct json_reader *reader)
{
    return fail_at(reader, reader->token_offset, "A string or number is too long.");
}

static void assemble(struct json_reader *reader, const char *from, const char *to)
{
    reader->is_assembled = true;
    buf_append(&reader->token, from, (size_t)(to - from));
}

static void set_text(struct json_reader *reader, const char *from, const char *to)
{
    if (!reader->is_assembled) {
        reader->text = (struct str){from, (size_t)(to - from)};
        return;
    }
    assemble(reader, from, to);
    reader->text = buf_view(&reader->token);
    if (!reader->text.data) reader->text.data = ""; /* empty, but not absent */
}

/* Completes the escape or character that the last piece was cut in. */
static enum unit_verdict read_held(struct json_reader *reader, struct unit *ret_unit)
{
    enum unit_verdict verdict = UNIT_MORE;

    while (verdict == UNIT_MORE && reader->at < reader->end) {
        assert(reader->held_len < sizeof(reader->held));
        reader->held[reader->held_len++] = *reader->at++;
        verdict = string_read_unit((struct str){reader->held, reader->held_len}, ret_unit);
    }
    return verdict;
}

static enum unit_verdict read_unit(struct json_reader *reader, struct unit *ret_unit)
{
    size_t rest = (size_t)(reader->end - reader->at);
    enum unit_verdict verdict = string_read_unit((struct str){reader->at, rest}, ret_unit);

    if (verdict == UNIT_OK) reader->at += ret_unit->source_len;
    if (verdict == UNIT_MORE) {
        memcpy(reader->held, reader->at, rest);
        reader->held_len = rest;
        reader->at = reader->end;
    }
    return verdict;
}

/* Takes one character that does not stand for itself. JSON_STRING: done, go on. */
static enum json_token take_unit(struct json_reader *reader)
{
    struct unit unit;
    uint64_t offset = offset_of(reader, reader->at) - reader->held_len;
    enum unit_verdict verdict =
        reader->held_len > 0 ? read_held(reader, &unit) : read_unit(reader, &unit);

    if (verdict == UNIT_BAD) return fail_at(reader, offset, unit.fault);
    if (verdict == UNIT_MORE) return ask_for_more(reader, "The text ends inside a string.");
    reader->held_len = 0;
    if (!has_room(reader, unit.bytes, unit.bytes + unit.len)) return fail_too_long(reader);
    assemble(reader, unit.bytes, unit.bytes + unit.len);
    return JSON_STRING;
}

static enum json_token end_string(struct json_reader *reader)
{
    if (!reader->is_key) return end_value(reader, JSON_STRING);
    reader->inside = INSIDE_NOTHING;
    reader->expect = EXPECT_COLON;
    return JSON_KEY;
}

static enum json_token read_string(struct json_reader *reader)
{
    if (reader->held_len > 0) {
        enum json_token token = take_unit(reader);
        if (token != JSON_STRING) return token;
    }
    for (;;) {
        const char *from = reader->at;
        const char *to = reader->at = string_skip_plain(from, reader->end);
        if (!has_room(reader, from, to)) return fail_too_long(reader);
        if (to < reader->end && *to == '"') {
            set_text(reader, from, to);
            reader->at++;
            return end_string(reader);
        }
        assemble(reader, from, to);
        if (to == reader->end) return ask_for_more(reader, "The text ends inside a string.");
        enum json_token token = take_unit(reader);
        if (token != JSON_STRING) return token;
    }
}

static enum number_state step_number(enum number_state state, char c)
{
    switch (state) {
    case NUMBER_START:
        if (c == '-') return NUMBER_MINUS;
        __attribute__((fallthrough));
    case NUMBER_MINUS:
        return c == '0' ? NUMBER_ZERO : str_is_digit(c) ? NUMBER_WHOLE : NUMBER_STOP;
    case NUMBER_WHOLE:
        if (str_is_digit(c)) return NUMBER_WHOLE;
        __attribute__((fallthrough));
    case NUMBER_ZERO:
        return c == '.' ? NUMBER_POINT : c == 'e' || c == 'E' ? NUMBER_E : NUMBER_STOP;
    case NUMBER_POINT:
        return str_is_digit(c) ? NUMBER_FRACTION : NUMBER_STOP;
    case NUMBER_FRACTION:
        if (str_is_digit(c)) return NUMBER_FRACTION;
        return c == 'e' || c == 'E' ? NUMBER_E : NUMBER_STOP;
    case NUMBER_E:
        if (c == '+' || c == '-') return NUMBER_E_SIGN;
        __attribute__((fallthrough));
    case NUMBER_E_SIGN:
    case NUMBER_EXPONENT:
        return str_is_digit(c) ? NUMBER_EXPONENT : NUMBER_STOP;
    case NUMBER_STOP:
        break;
    }
    return NUMBER_STOP;
}

static bool is_whole_number(enum number_state state)
{
    return state == NUMBER_ZERO || state == NUMBER_WHOLE || state == NUMBER_FRACTION ||
           state == NUMBER_EXPONENT;
}

/* The bytes fed ended inside a number, or just behind it. */
static enum json_token pause_number(struct json_reader *reader, const char *from)
{
    if (!reader->is_last) {
        assemble(reader, from, reader->at);
        return JSON_MORE;
    }
    if (!is_whole_number(reader->number)) return fail(reader, "The text ends inside a number.");
    set_text(reader, from, reader->at);
    return end_value(reader, JSON_NUMBER);
}

static enum json_token read_number(struct json_reader *reader)
{
    const char *from = reader->at;
    const char *at = from;
    enum number_state state = reader->number;

    while (at < reader->end) {
        enum number_state next = step_number(state, *at);
        if (next == NUMBER_STOP) break;
        state = next;
        at++;
    }
    reader->at = at;
    reader->number = state;
    if (!has_room(reader, from, at)) return fail_too_long(reader);
    if (at == reader->end) return pause_number(reader, from);
    if (!is_whole_number(state)) return fail(reader, "A number needs a digit here.");
    if (state == NUMBER_ZERO && str_is_digit(*at))
        return fail(reader, "A number must not begin with 0.");
    set_text(reader, from, at);
    return end_value(reader, JSON_NUMBER);
}

static enum json_token read_word(struct json_reader *reader)
{
    const char *rest = reader->word->text + reader->word_len;

    while (*rest && reader->at < reader->end) {
        if (*reader->at != *rest)
            return fail(reader,
                        "Expected a value: only true, false and null stand without quotes.");
        reader->at++;
        rest++;
    }
    reader->word_len = (size_t)(rest - reader->word->text);
    if (*rest) return ask_for_more(reader, "The text ends inside true, false or null.");
    return end_value(reader, reader->word->token);
}

static void begin_token(struct json_reader *reader, enum inside inside)
{
    reader->inside = inside;
    reader->is_assembled = false;
    buf_clear(&reader->token);
}

static enum json_token begin_string(struct json_reader *reader, bool is_key)
{
    begin_token(reader, INSIDE_STRING);
    reader->is_key = is_key;
    reader->at++;
    return read_string(reader);
}

static enum json_token begin_number(struct json_reader *reader)
{
    begin_token(reader, INSIDE_NUMBER);
    reader->number = NUMBER_START;
    return read_number(reader);
}

static enum json_token begin_word(struct json_reader *reader, const struct word *word)
{
    reader->inside = INSIDE_WORD;
    reader->word = word;
    reader->word_len = 0;
    return read_word(reader);
}

static enum json_token open_level(struct json_reader *reader, bool is_object)
{
    if (reader->depth == JSON_DEPTH_MAX)
        return fail(reader, "Objects and arrays are nested deeper than 64 levels.");
    uint64_t bit = 1ULL << reader->depth++;
    reader->objects = is_object ? reader->objects | bit : reader->objects & ~bit;
    reader->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
    reader->at++;
    return is_object ? JSON_OBJECT_BEGIN : JSON_ARRAY_BEGIN;
}

static bool is_in_object(const struct json_reader *reader)
{
    return reader->objects >> (reader->depth - 1) & 1;
}

static enum json_token close_level(struct json_reader *reader)
{
    enum json_token token = is_in_object(reader) ? JSON_OBJECT_END : JSON_ARRAY_END;
    reader->depth--;
    reader->at++;
    return end_value(reader, token);
}

static enum json_token begin_value(struct json_reader *reader)
{
    char c = *reader->at;

    if (c == '"') return begin_string(reader, false);
    if (c == '{' || c == '[') return open_level(reader, c == '{');
    if (c == '-' || str_is_digit(c)) return begin_number(reader);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (c == words[i].text[0]) return begin_word(reader, &words[i]);
    }
    if ((unsigned char)c == 0xEF && reader->token_offset == 0)
        return fail(reader, "A byte order mark is not allowed.");
    return fail(reader, "Expected a value.");
}

static enum json_token begin_key(struct json_reader *reader)
{
    if (*reader->at == '"') return begin_string(reader, true);
    return fail(reader, reader->expect == EXPECT_KEY ? "Expected a key in double quotes."
                                                     : "Expected a key in double quotes or }.");
}

static void skip_white_space(struct json_reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    reader->at = at;
}

static enum json_token at_end_of_bytes(struct json_reader *reader)
{
    if (!reader->is_last) return JSON_MORE;
    if (reader->expect == EXPECT_NOTHING) return JSON_END;
    if (reader->depth > 0)
        return fail(reader, is_in_object(reader) ? "The text ends inside an object."
                                                 : "The text ends inside an array.");
    return fail(reader, "The text ends before a value.");
}

/* Passes a comma or colon. False: it is something else. */
static bool take_separator(struct json_reader *reader)
{
    if (reader->expect == EXPECT_COMMA && *reader->at == ',') {
        reader->expect = is_in_object(reader) ? EXPECT_KEY : EXPECT_VALUE;
        reader->at++;
        return true;
    }
    if (reader->expect == EXPECT_COLON && *reader->at == ':') {
        reader->expect = EXPECT_VALUE;
        reader->at++;
        return true;
    }
    return false;
}

static enum json_token read_token(struct json_reader *reader)
{
    do {
        skip_white_space(reader);
        reader->token_offset = offset_of(reader, reader->at);
        if (reader->at == reader->end) return at_end_of_bytes(reader);
    } while (take_separator(reader));

    switch (reader->expect) {
    case EXPECT_FIRST_ITEM:
        if (*reader->at == ']') return close_level(reader);
        return begin_value(reader);
    case EXPECT_VALUE:
        return begin_value(reader);
    case EXPECT_FIRST_KEY:
        if (*reader->at == '}') return close_level(reader);
        return begin_key(reader);
    case EXPECT_KEY:
        return begin_key(reader);
    case EXPECT_COLON:
        return fail(reader, "Expected a colon after the key.");
    case EXPECT_COMMA:
        if (*reader->at == (is_in_object(reader) ? '}' : ']')) return close_level(reader);
        return fail(reader,
                    is_in_object(reader) ? "Expected a comma or }." : "Expected a comma or ].");
    case EXPECT_NOTHING:
        break;
    }
    return fail(reader, "Nothing may follow the value.");
}

enum json_token json_next(struct json_reader *reader, struct str *ret_text)
{
    enum json_token token = JSON_FAULT;

    if (reader->fault) return JSON_FAULT;
    switch (reader->inside) {
    case INSIDE_NOTHING:
        token = read_token(reader);
        break;
    case INSIDE_STRING:
        token = read_string(reader);
        break;
    case INSIDE_NUMBER:
        token = read_number(reader);
        break;
    case INSIDE_WORD:
        token = read_word(reader);
        break;
    }
    if (reader->token.lacks_memory)
        return fail_at(reader, reader->token_offset, "There is no memory for a string or number.");
    if (ret_text && (token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER))
        *ret_text = reader->text;
    return token;
}
