/*
 * Kubernetes tells each container of the services of its namespace, and Docker of linked
 * containers, by variables that begin with the name of the service. A service named herald has such
 * that look like settings (contract, section 7).
 */
#include "app/setup/config_settings.h"
#include "kit/base/macros.h"
#include "kit/http/address.h"

#include <fnmatch.h>

static bool is_address(const char *value)
{
    struct in6_addr address;
    return http_address_parse(str_of(value), &address);
}

static bool is_port(const char *value)
{
    long long port;
    return str_to_int64(str_of(value), &port) && port > 0 && port <= UINT16_MAX;
}

static bool is_protocol(const char *value)
{
    return strcmp(value, "tcp") == 0 || strcmp(value, "udp") == 0 || strcmp(value, "sctp") == 0;
}

/* Such as tcp://10.96.12.7:8080. */
static bool is_url(const char *value)
{
    return fnmatch("[tus]*p://*:[0-9]*", value, 0) == 0;
}

/* Such as /web/herald, the names of two containers. */
static bool is_path(const char *value)
{
    return value[0] == '/';
}

bool config_is_service_link(const char *name, const char *value)
{
    static const struct {
        const char *pattern;
        bool (*fits)(const char *value);
    } rows[] = {
        {"HERALD*_SERVICE_HOST", is_address},
        {"HERALD*_SERVICE_PORT", is_port},
        {"HERALD*_SERVICE_PORT_*", is_port},
        {"HERALD*_PORT", is_url},
        {"HERALD*_PORT_[0-9]*_[TUS]*P", is_url},
        {"HERALD*_PORT_[0-9]*_[TUS]*P_PROTO", is_protocol},
        {"HERALD*_PORT_[0-9]*_[TUS]*P_PORT", is_port},
        {"HERALD*_PORT_[0-9]*_[TUS]*P_ADDR", is_address},
        {"HERALD*_NAME", is_path},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (fnmatch(rows[i].pattern, name, 0) == 0 && rows[i].fits(value)) return true;
    }
    return false;
}
