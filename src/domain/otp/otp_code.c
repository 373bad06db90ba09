/* Codes as secrets. */
#include "domain/otp/otp_code.h"

const char *otp_code_new(struct arena *arena, int min, int max, int length)
{
    assert(min >= 0 && min < max && length >= 4 && length <= OTP_CODE_MAX);
    uint32_t code = (uint32_t)min + random_below((uint32_t)(max - min) + 1);
    return arena_printf(arena, "%0*u", length, code);
}

enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed)
{
    return vault_seal(work->service->vault, sealed_at(SEALED_OTP_CODE, uuid_view(id)), str_of(code),
                      work->arena, ret_sealed);
}

enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code)
{
    return vault_open_text(work->service->vault, sealed_at(SEALED_OTP_CODE, uuid_view(&otp->id)),
                           otp->sealed_code, work->arena, ret_code);
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
