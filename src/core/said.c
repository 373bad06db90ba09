/* Words are sealed by the columns of core/sealed.h, and opened again for the record alone. */
#include "core/said.h"

#include "core/service.h"

enum err said_seal(struct work *work, enum sealed_column column, struct str row, const char *words,
                   struct str *ret_sealed)
{
    *ret_sealed = (struct str){0};
    return words ? work_seal(work, column, row, str_of(words), ret_sealed) : ERR_OK;
}

const char *said_show(const struct work *work, enum sealed_column column, struct str row,
                      struct str sealed, const char *error)
{
    const char *words;

    if (sealed.len == 0 || work->makes_events) return error;
    bool is_lost = vault_open_text(work->service->vault, sealed_at(column, row), sealed,
                                   work->arena, &words) != ERR_OK;
    return is_lost ? error : words;
}
