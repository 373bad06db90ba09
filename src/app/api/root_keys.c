/* There are two values while clients change from one to the other. */
#include "app/api/root_keys.h"

#include "kit/base/mask.h"

void root_keys_init(struct root_keys *roots)
{
    *roots = (struct root_keys){.keys = {{0}}};
    pthread_rwlock_init(&roots->lock, NULL);
}

void root_keys_done(struct root_keys *roots)
{
    for (int i = 0; i < ROOT_KEYS_MAX; i++)
        secret_done(&roots->keys[i]);
    pthread_rwlock_destroy(&roots->lock);
}

static bool hide_in_log(struct str list)
{
    struct str key;

    while (list.len > 0 && str_next_item(&list, &key)) {
        if (!mask_add_secret(key)) return false;
    }
    return true;
}

bool root_keys_replace(struct root_keys *roots, struct str list)
{
    struct str key;

    if (!hide_in_log(list)) return false;
    pthread_rwlock_wrlock(&roots->lock);
    for (int i = 0; i < ROOT_KEYS_MAX; i++) {
        secret_done(&roots->keys[i]);
        if (list.len > 0 && str_next_item(&list, &key)) secret_init(&roots->keys[i], key);
    }
    pthread_rwlock_unlock(&roots->lock);
    return true;
}

bool root_keys_have(struct root_keys *roots, struct str key)
{
    bool is_there = false;

    pthread_rwlock_rdlock(&roots->lock);
    for (int i = 0; i < ROOT_KEYS_MAX; i++)
        is_there |= secret_equals(&roots->keys[i], key);
    pthread_rwlock_unlock(&roots->lock);
    return is_there;
}
