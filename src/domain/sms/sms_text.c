/* These functions count the parts of a text and make the SMS with a code (contract, section 2; 3GPP
 * TS 23.038 and 23.040). A text is walked character by character without decoding it: only the
 * table in which a character stands counts, or how long its UTF-8 is. */
#include "domain/sms/sms_text.h"

/* A character that is neither in the default alphabet nor in its extension sends the whole text as
 * UCS-2. */
static const char gsm7_basic[] =
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/* These are sent as two septets: an escape and the character. */
static const char gsm7_extension[] = "\f^{}\\[~]|€";

/* So many units go into a part. Parts of a longer text carry a header that joins them. */
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

/* Counts the units of a character; 0: the alphabet does not have it. A table can be searched for
 * its bytes, since in UTF-8 no character's bytes stand within those of others. */
static int units_of(enum sms_alphabet alphabet, struct str character)
{
    const char *data = character.data;
    size_t len = character.len;

    if (alphabet == SMS_UCS2) return len == 4 ? 2 : 1; /* four bytes are a surrogate pair */
    if (memmem(gsm7_basic, strlen(gsm7_basic), data, len)) return 1;
    return memmem(gsm7_extension, strlen(gsm7_extension), data, len) ? 2 : 0;
}

/* A part that has room only for half of an escape or surrogate pair ends before it. */
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
    struct sms_size size = {.alphabet = SMS_GSM7};

    for (struct str rest = str_of(text); rest.len > 0;) {
        if (units_of(SMS_GSM7, take_character(&rest)) == 0) size.alphabet = SMS_UCS2;
    }
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
