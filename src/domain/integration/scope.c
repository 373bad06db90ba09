/* Sets of scopes and their words (doc B, section 5). */
#include "domain/integration/integration.h"

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
static bool is_scope_token(struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        if (c < '!' || c > '~' || c == '"' || c == '\\') return false;
    }
    return word.len > 0;
}

bool scopes_read(struct str text, unsigned *ret_scopes, bool *ret_has_unknown)
{
    unsigned scopes = 0;
    bool has_unknown = false;

    for (;;) {
        struct str word = str_until(text, ' ');
        unsigned scope = 0;
        if (!is_scope_token(word)) return false;
        while (scope < SCOPE_COUNT && !str_is(word, scope_words[scope]))
            scope++;
        if (scope < SCOPE_COUNT) scopes |= 1U << scope;
        has_unknown |= scope == SCOPE_COUNT;
        if (word.len == text.len) break;
        text = str_behind(text, word.len + 1);
    }
    *ret_scopes = scopes;
    *ret_has_unknown = has_unknown;
    return true;
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
