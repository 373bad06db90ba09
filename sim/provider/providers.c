/* The providers there are, and whose a path is. */
#include "provider.h"

#include <strings.h>

extern const struct provider telegram_gateway, telegram_bot, ucaller, sms_ru, unibell, plusofon,
    zvonok, smsc;

/* The Gateway takes what is left: its methods stand at the root. */
const struct provider *const providers[] = {
    &telegram_bot, &ucaller, &sms_ru, &unibell, &plusofon, &zvonok, &smsc, &telegram_gateway, NULL,
};

const struct provider *provider_by_name(const char *name)
{
    for (size_t i = 0; providers[i]; i++) {
        if (strcmp(providers[i]->name, name) == 0) return providers[i];
    }
    return NULL;
}

/* A bot's token stands before its method. */
static const char *method_path(const struct provider *provider, const char *path)
{
    if (provider != &telegram_bot) return path;
    const char *slash = strchr(path, '/');
    return slash ? slash + 1 : "";
}

static const struct method *find_method(const struct provider *provider, const char *path)
{
    int (*compare)(const char *, const char *) = provider->is_path_nocase ? strcasecmp : strcmp;

    for (size_t i = 0; i < provider->method_count; i++) {
        if (compare(provider->methods[i].path, path) == 0) return &provider->methods[i];
    }
    return NULL;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

const struct provider *provider_by_path(const char *path, const struct method **ret_method)
{
    size_t i = 0;

    while (providers[i + 1] && !starts_with(path, providers[i]->prefix))
        i++;
    *ret_method = find_method(providers[i], method_path(providers[i], path));
    return providers[i];
}

const struct method *provider_method(const struct provider *provider, const char *name)
{
    for (size_t i = 0; i < provider->method_count; i++) {
        if (strcmp(provider->methods[i].name, name) == 0) return &provider->methods[i];
    }
    return NULL;
}

const struct fault *provider_fault(const struct provider *provider, const char *name)
{
    for (size_t i = 0; i < provider->fault_count; i++) {
        if (strcmp(provider->faults[i].name, name) == 0) return &provider->faults[i];
    }
    return NULL;
}

const struct fault *provider_fault_of_kind(const struct provider *provider, enum fault_kind kind)
{
    for (size_t i = 0; i < provider->fault_count; i++) {
        if (provider->faults[i].kind == kind) return &provider->faults[i];
    }
    return NULL;
}
