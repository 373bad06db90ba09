/*
 * A connection parses the text of each prepared statement once, under a name that is a hash of it.
 * So a name can never mean another text, whichever session gave it to the server.
 */
#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "kit/base/text_map.h"
#include "kit/db/postgres.h"

#include <stdlib.h>

enum {
    NAMES_MAX = 1024, /* herald has about 300 statements; any above go without a name */
    HASH_SHOWN = 16,  /* bytes of the hash in a name */
};

struct pg_names {
    struct text_map numbers; /* of the texts, as indexes of items */
    struct pg_name *items[NAMES_MAX];
    size_t count;
    struct pg_name *awaited, **awaited_end; /* in the order of their answers */
};

struct pg_names *pg_names_new(void)
{
    struct pg_names *names = must_calloc(1, sizeof *names);
    text_map_init(&names->numbers);
    names->awaited_end = &names->awaited;
    return names;
}

void pg_names_free(struct pg_names *names)
{
    if (!names) return;
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    text_map_done(&names->numbers);
    free(names);
}

static struct pg_name *name_new(struct str sql)
{
    struct pg_name *name = must_calloc(1, sizeof *name);
    uint8_t hash[SECRET_HASH_LEN];

    secret_hash(sql, hash);
    size_t len = (size_t)snprintf(name->text, sizeof name->text, "herald_");
    for (size_t i = 0; i < HASH_SHOWN; i++)
        len += (size_t)snprintf(name->text + len, sizeof name->text - len, "%02x", hash[i]);
    return name;
}

struct pg_name *pg_names_find(struct pg_names *names, const char *sql)
{
    uint32_t number;
    if (text_map_find(&names->numbers, str_of(sql), &number)) return names->items[number];
    if (names->count == NAMES_MAX) return NULL;
    struct pg_name *name = name_new(str_of(sql));
    bool is_new = text_map_add(&names->numbers, str_of(sql), (uint32_t)names->count, NULL);
    assert(is_new);
    names->items[names->count++] = name;
    return name;
}

void pg_names_await(struct pg_names *names, struct pg_name *name, uint64_t answer)
{
    name->is_prepared = true;
    name->answer = answer;
    name->later = NULL;
    *names->awaited_end = name;
    names->awaited_end = &name->later;
}

void pg_names_take(struct pg_names *names, uint64_t answer, bool is_success)
{
    struct pg_name *name = names->awaited;
    if (!name || name->answer != answer) return;
    name->is_prepared = is_success;
    names->awaited = name->later;
    if (!names->awaited) names->awaited_end = &names->awaited;
}
