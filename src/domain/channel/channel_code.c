/* The right code on its way to a provider: a secret of the send's row, bound to the send's id. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_rules.h"

enum err channel_keep_code(struct work *work, const struct uuid *send_id, const char *code)
{
    struct vault_place place = sealed_at(SEALED_SEND_CODE, uuid_view(send_id));
    struct str sealed;
    enum err err = vault_seal(work->service->vault, place, str_of(code), work->arena, &sealed);
    return err ? err : send_set_success_code(work, send_id, sealed);
}

enum err channel_open_code(struct work *work, const struct uuid *send_id, const char **ret_code)
{
    struct str sealed, code;
    enum err err = send_select_success_code(work, send_id, &sealed);
    if (err) return err;
    err = vault_open(work->service->vault, sealed_at(SEALED_SEND_CODE, uuid_view(send_id)), sealed,
                     work->arena, &code);
    if (err) return err;
    *ret_code = code.data;
    return ERR_OK;
}
