/* How many parts a text takes, and what the SMS with a code says (contract, section 2; 3GPP TS
 * 23.038 and 23.040). A text is walked character by character without decoding it: what counts is
 * which table a character stands in, or how long its UTF-8 is. */
#include "domain/sms/sms_text.h"

/* The default alphabet; what is not in it or its extension sends the whole text as UCS-2. */
static const char gsm7_basic[] =
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/* Sent as two septets: an escape and the character. */
static const char gsm7_extension[] = "\f^{}\\[~]|€";

/* In units. Parts of a longer text carry a header that says how they belong together. */
static const struct {
    int alone, joined;
} capacities[] = {
    [SMS_GSM7] = {160, 153},
    [SMS_UCS2] = {70, 67},
};

static const char *const wordings[] = {[SMS_RUSSIAN] = "Код: ", [SMS_ENGLISH] = "Code: "};

/* Cuts the first character off `text`, which is not empty. */
static struct str take_character(struct str *text)
{
    unsigned char lead = (unsigned char)text->data[0];
    size_t len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;

    if (len > text->len) len = text->len;
    struct str character = {text->data, len};
    text->data += len;
    text->len -= len;
    return character;
}

/* In UTF-8 no character's bytes stand within those of others. */
static bool holds(const char *table, struct str character)
{
    return memmem(table, strlen(table), character.data, character.len) != NULL;
}

/* 0: the alphabet does not have it. */
static int units_of(enum sms_alphabet alphabet, struct str character)
{
    if (alphabet == SMS_UCS2) return character.len == 4 ? 2 : 1; /* a surrogate pair */
    if (holds(gsm7_basic, character)) return 1;
    return holds(gsm7_extension, character) ? 2 : 0;
}

static enum sms_alphabet alphabet_of(struct str text)
{
    while (text.len > 0)
        if (units_of(SMS_GSM7, take_character(&text)) == 0) return SMS_UCS2;
    return SMS_GSM7;
}

/* A part that has room for half of an escape or surrogate pair ends before it. */
static int joined_parts(enum sms_alphabet alphabet, struct str text)
{
    int parts = 1;
    int used = 0;

    while (text.len > 0) {
        int units = units_of(alphabet, take_character(&text));
        if (used + units > capacities[alphabet].joined) {
            parts++;
            used = 0;
        }
        used += units;
    }
    return parts;
}

struct sms_size sms_measure(const char *text)
{
    struct sms_size size = {.alphabet = alphabet_of(str_of(text))};

    for (struct str rest = str_of(text); rest.len > 0;)
        size.units += units_of(size.alphabet, take_character(&rest));
    bool fits_alone = size.units <= capacities[size.alphabet].alone;
    size.parts = fits_alone ? 1 : joined_parts(size.alphabet, str_of(text));
    return size;
}

/* The SMS Retriever finds its hash on a line of its own; WebOTP wants its line last. */
static const char *compose(struct arena *arena, const char *wording, const char *code,
                           const char *app_hash, const char *origin)
{
    const char *text = arena_printf(arena, "%s%s", wording, code);

    if (app_hash) text = arena_printf(arena, "%s\n%s", text, app_hash);
    if (origin) text = arena_printf(arena, "%s\n\n@%s #%s", text, origin, code);
    return text;
}

const char *sms_code_text(struct arena *arena, enum sms_language language, const char *code,
                          const char *app_hash, const char *origin)
{
    const char *worded = compose(arena, wordings[language], code, app_hash, origin);
    const char *bare = compose(arena, "", code, app_hash, origin);

    return sms_measure(worded).parts > sms_measure(bare).parts ? bare : worded;
}
