/* Codes as secrets, and the text that carries one. */
#include "domain/otp/otp_code.h"

const char *otp_code_new(struct arena *arena, int length)
{
    uint32_t bound = 1;
    assert(length >= 4 && length <= OTP_CODE_MAX);
    for (int i = 0; i < length; i++)
        bound *= 10;
    return arena_printf(arena, "%0*u", length, random_below(bound));
}

static struct str context_of(const struct uuid *id)
{
    return (struct str){(const char *)id->bytes, sizeof(id->bytes)};
}

struct str otp_code_seal(struct work *work, const struct uuid *id, const char *code)
{
    AUTO_BUF sealed;
    buf_init(&sealed, VAULT_OVERHEAD + OTP_CODE_MAX);
    vault_seal(work->service->vault, context_of(id), str_of(code), &sealed);
    assert(!sealed.is_full);
    return (struct str){arena_str(work->arena, buf_view(&sealed)), sealed.len};
}

enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code)
{
    struct str code;
    enum err err = vault_open(work->service->vault, context_of(&otp->id), otp->sealed_code,
                              work->arena, &code);
    if (err) return err;
    *ret_code = code.data;
    return ERR_OK;
}

enum err otp_code_matches(struct work *work, const struct otp *otp, const char *guess,
                          bool *ret_is_right)
{
    const char *code;
    enum err err = otp_code_open(work, otp, &code);
    if (err) return err;
    *ret_is_right = secret_text_equals(str_of(code), str_of(guess));
    return ERR_OK;
}

const char *otp_sms_text(struct arena *arena, enum sms_language language, const char *code,
                         const char *app_hash, const char *origin)
{
    const char *label = language == SMS_RUSSIAN ? "Код" : "Code";
    const char *text = arena_printf(arena, "%s: %s", label, code);

    /* WebOTP wants its line last; the SMS Retriever finds its hash on a line of its own. */
    if (app_hash) text = arena_printf(arena, "%s\n%s", text, app_hash);
    if (origin) text = arena_printf(arena, "%s\n\n@%s #%s", text, origin, code);
    return text;
}
