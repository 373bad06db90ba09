/* Sets of scopes and their words (doc B, section 5). */
#include "domain/integration/client.h"

const char *const scope_words[SCOPE_COUNT + 1] = {
    [SCOPE_CATALOG_WRITE] = "erp.catalog.write",
    [SCOPE_CHANGES_WRITE] = "erp.changes.write",
    [SCOPE_EVENTS_READ] = "erp.events.read",
};

enum { SCOPES_TEXT_MAX = 200 };

const char *scopes_text(struct arena *arena, unsigned scopes)
{
    AUTO_BUF text = {0};

    buf_init(&text, SCOPES_TEXT_MAX);
    for (unsigned i = 0; i < SCOPE_COUNT; i++) {
        if (!(scopes & 1U << i)) continue;
        if (text.len > 0) buf_char(&text, ' ');
        buf_text(&text, scope_words[i]);
    }
    assert(!text.is_full);
    return arena_str(arena, buf_view(&text));
}

/* scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
static bool is_word(struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        if (c < '!' || c > '~' || c == '"' || c == '\\') return false;
    }
    return word.len > 0;
}

static struct str first_word(struct str text)
{
    const char *space = text.len > 0 ? memchr(text.data, ' ', text.len) : NULL;
    return (struct str){text.data, space ? (size_t)(space - text.data) : text.len};
}

static unsigned scope_of(struct str word)
{
    for (unsigned i = 0; i < SCOPE_COUNT; i++) {
        if (str_is(word, scope_words[i])) return 1U << i;
    }
    return 0;
}

bool scopes_parse(struct str text, unsigned *ret_scopes, bool *ret_has_unknown)
{
    unsigned scopes = 0;
    bool has_unknown = false;

    for (;;) {
        struct str word = first_word(text);
        if (!is_word(word)) return false;
        unsigned scope = scope_of(word);
        scopes |= scope;
        has_unknown |= scope == 0;
        if (word.len == text.len) break;
        text = (struct str){word.data + word.len + 1, text.len - word.len - 1};
    }
    *ret_scopes = scopes;
    *ret_has_unknown = has_unknown;
    return true;
}

bool scopes_read(struct str text, unsigned *ret_scopes)
{
    bool has_unknown;
    return scopes_parse(text, ret_scopes, &has_unknown) && !has_unknown;
}

struct record_list scopes_list(struct arena *arena, unsigned scopes)
{
    const char **words = arena_array(arena, SCOPE_COUNT, sizeof(*words));
    size_t count = 0;

    for (unsigned i = 0; i < SCOPE_COUNT; i++) {
        if (scopes & 1U << i) words[count++] = scope_words[i];
    }
    return (struct record_list){words, count};
}
