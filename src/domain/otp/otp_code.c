/* Codes as secrets. */
#include "domain/otp/otp_code.h"

const char *otp_code_new(struct arena *arena, int min, int max, int length)
{
    assert(min >= 0 && min < max && length >= 4 && length <= OTP_CODE_MAX);
    uint32_t code = (uint32_t)min + random_below((uint32_t)(max - min) + 1);
    return arena_printf(arena, "%0*u", length, code);
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
