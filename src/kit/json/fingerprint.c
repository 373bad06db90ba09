/*
 * Two texts are the "same body" (contract, section 1) if they have the same form: it is one that
 * all spellings of a value share, and is hashed once. Strings are written with their length in
 * front, so nothing needs an escape and no two values share a form; the members of an object are
 * sorted.
 */
#include "kit/json/number.h"
#include "kit/json/reader.h"

#include <assert.h>
#include <sodium.h>

enum { FORM_GROWTH = 8 }; /* the form has at most so many bytes for each of the text, and a few */

/* This says where a member begins in the form, and once it is complete, how long it is. */
struct member {
    size_t at, len;
};

struct level {
    bool is_object;
    size_t at;           /* of the bracket in the form */
    size_t member_first; /* in members */
};

struct canon {
    struct buf form;
    struct buf members; /* struct member, of all open objects */
    struct buf sorted;  /* for one object at a time */
    struct level levels[JSON_DEPTH_MAX];
    unsigned depth;
};

static struct member *members_of(const struct canon *canon)
{
    return (struct member *)(void *)canon->members.data;
}

static size_t member_count(const struct canon *canon)
{
    return canon->members.len / sizeof(struct member);
}

static int compare_members(const void *left, const void *right, void *form)
{
    const struct member *a = left, *b = right;
    const char *bytes = form;
    size_t len = a->len < b->len ? a->len : b->len;
    int order = memcmp(bytes + a->at, bytes + b->at, len);
    if (order != 0) return order;
    return (a->len > b->len) - (a->len < b->len);
}

static void sort_object(struct canon *canon, const struct level *level)
{
    size_t count = member_count(canon) - level->member_first;
    if (count < 2) return;

    struct member *members = members_of(canon) + level->member_first;
    size_t from = members[0].at;
    qsort_r(members, count, sizeof(*members), compare_members, canon->form.data);
    buf_clear(&canon->sorted);
    for (size_t i = 0; i < count; i++)
        buf_append(&canon->sorted, canon->form.data + members[i].at, members[i].len);
    assert(canon->sorted.len == canon->form.len - from);
    memcpy(canon->form.data + from, canon->sorted.data, canon->sorted.len);
}

/* Notes that a value is complete; where it belongs to a key, so is the member. */
static void end_value(struct canon *canon)
{
    if (canon->depth == 0 || !canon->levels[canon->depth - 1].is_object) return;
    struct member *member = &members_of(canon)[member_count(canon) - 1];
    member->len = canon->form.len - member->at;
}

static void open_level(struct canon *canon, bool is_object)
{
    canon->levels[canon->depth++] = (struct level){
        .is_object = is_object, .at = canon->form.len, .member_first = member_count(canon)};
    buf_char(&canon->form, is_object ? '{' : '[');
}

static void close_level(struct canon *canon)
{
    const struct level *level = &canon->levels[--canon->depth];
    if (level->is_object) {
        sort_object(canon, level);
        canon->members.len = level->member_first * sizeof(struct member);
    }
    buf_char(&canon->form, level->is_object ? '}' : ']');
    end_value(canon);
}

static void write_string(struct canon *canon, struct str text)
{
    buf_printf(&canon->form, "s%zu:", text.len);
    buf_str(&canon->form, text);
}

static void begin_member(struct canon *canon, struct str key)
{
    struct member member = {.at = canon->form.len};
    buf_append(&canon->members, &member, sizeof(member));
    write_string(canon, key);
}

static void write_number(struct canon *canon, struct str text)
{
    buf_char(&canon->form, 'n');
    number_normalize(text, &canon->form);
    buf_char(&canon->form, ';');
}

static void take_scalar(struct canon *canon, enum json_token token, struct str text)
{
    if (token == JSON_STRING) write_string(canon, text);
    if (token == JSON_NUMBER) write_number(canon, text);
    if (token == JSON_TRUE) buf_char(&canon->form, 't');
    if (token == JSON_FALSE) buf_char(&canon->form, 'f');
    if (token == JSON_NULL) buf_char(&canon->form, 'z');
    end_value(canon);
}

static void take_token(struct canon *canon, enum json_token token, struct str text)
{
    switch (token) {
    case JSON_OBJECT_BEGIN:
    case JSON_ARRAY_BEGIN:
        open_level(canon, token == JSON_OBJECT_BEGIN);
        break;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        close_level(canon);
        break;
    case JSON_KEY:
        begin_member(canon, text);
        break;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        take_scalar(canon, token, text);
        break;
    case JSON_MORE:
    case JSON_FAULT:
    case JSON_END:
        assert(false && "the text has passed a reader");
    }
}

static void write_form(struct canon *canon, struct str text)
{
    struct json_reader *reader = json_reader_new(text.len);
    struct str token_text = {0};
    enum json_token token;

    json_feed(reader, text, true);
    while ((token = json_next(reader, &token_text)) != JSON_END)
        take_token(canon, token, token_text);
    json_reader_free(reader);
}

void json_fingerprint(struct str text, struct str key, uint8_t ret_hash[static 32])
{
    struct canon canon = {.depth = 0};
    size_t form_max = text.len * FORM_GROWTH + 64;

    assert(key.len == 0 || (key.len >= crypto_generichash_KEYBYTES_MIN &&
                            key.len <= crypto_generichash_KEYBYTES_MAX));
    buf_init(&canon.form, form_max);
    buf_init(&canon.sorted, form_max);
    buf_init(&canon.members, (text.len + 1) * sizeof(struct member));
    write_form(&canon, text);
    assert(!canon.form.is_full && !canon.members.is_full && !canon.sorted.is_full);

    int failed = crypto_generichash(ret_hash, 32, (const uint8_t *)canon.form.data, canon.form.len,
                                    key.len > 0 ? (const uint8_t *)key.data : NULL, key.len);
    assert(failed == 0);
    (void)failed;
    buf_done(&canon.form);
    buf_done(&canon.sorted);
    buf_done(&canon.members);
}
