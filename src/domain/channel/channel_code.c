/* The right code on its way to a provider: a secret of the send's row, bound to the send's id. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_rules.h"

enum { CODE_MAX = 16 }; /* bytes */

static struct str context_of(const struct uuid *send_id)
{
    return (struct str){(const char *)send_id->bytes, sizeof(send_id->bytes)};
}

enum err channel_keep_code(struct work *work, const struct uuid *send_id, const char *code)
{
    AUTO_BUF sealed = {0};
    buf_init(&sealed, VAULT_OVERHEAD + CODE_MAX);
    vault_seal(work->service->vault, context_of(send_id), str_of(code), &sealed);
    assert(!sealed.is_full);
    return send_set_success_code(work, send_id, buf_view(&sealed));
}

enum err channel_open_code(struct work *work, const struct uuid *send_id, const char **ret_code)
{
    struct str sealed, code;
    enum err err = send_select_success_code(work, send_id, &sealed);
    if (err) return err;
    err = vault_open(work->service->vault, context_of(send_id), sealed, work->arena, &code);
    if (err) return err;
    *ret_code = code.data;
    return ERR_OK;
}
