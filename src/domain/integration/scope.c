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

static bool add_word(struct str word, unsigned *scopes)
{
    for (unsigned i = 0; i < SCOPE_COUNT; i++) {
        if (!str_is(word, scope_words[i])) continue;
        bool is_repeated = *scopes & 1U << i;
        *scopes |= 1U << i;
        return !is_repeated;
    }
    return false;
}

bool scopes_read(struct str text, unsigned *ret_scopes)
{
    unsigned scopes = 0;

    for (;;) {
        const char *space = text.len > 0 ? memchr(text.data, ' ', text.len) : NULL;
        struct str word = {text.data, space ? (size_t)(space - text.data) : text.len};
        if (!add_word(word, &scopes)) return false;
        if (!space) break;
        text = (struct str){space + 1, text.len - word.len - 1};
    }
    *ret_scopes = scopes;
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
