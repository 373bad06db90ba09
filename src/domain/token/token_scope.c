/* Lists of scopes. */
#include "domain/token/token_scope.h"

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

bool token_scope_read(struct str text, unsigned *ret_scopes, bool *ret_has_unknown)
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
