/* Addresses of ERPs, read strictly: what two programs could understand in two ways is refused. */
#include "domain/integration/erp_address.h"

#include "kit/base/buf.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <strings.h>

enum { HOST_MAX = 253, LABEL_MAX = 63, PORT_DIGITS_MAX = 5, PORT_MAX = 65535 };

#define HTTP  "http://"
#define HTTPS "https://"

static bool begins_with(struct str text, const char *start)
{
    size_t len = strlen(start);
    return text.len >= len && memcmp(text.data, start, len) == 0;
}

static bool is_alphanumeric(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_any_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

/* --- Paths --- */

/* pchar and slashes (RFC 3986, section 3.3). */
static bool is_path_text(struct str path)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.data[i];
        if (is_alphanumeric(c) || is_any_of(c, "-._~!$&'()*+,;=:@/")) continue;
        if (c != '%' || path.len - i < 3) return false;
        if (str_hex_value(path.data[i + 1]) < 0 || str_hex_value(path.data[i + 2]) < 0)
            return false;
        i += 2;
    }
    return true;
}

/* `.` or `..`, however written. */
static bool is_dots(struct str segment)
{
    int count = 0;

    while (segment.len > 0) {
        bool is_encoded = begins_with(segment, "%2e") || begins_with(segment, "%2E");
        if (!is_encoded && segment.data[0] != '.') return false;
        segment = str_behind(segment, is_encoded ? 3 : 1);
        count++;
    }
    return count == 1 || count == 2;
}

/* An absolute path, or none. */
static bool is_path(struct str path)
{
    if (!is_path_text(path)) return false;
    while (path.len > 0) {
        if (path.data[0] != '/') return false;
        path = str_behind(path, 1);
        struct str segment = str_until(path, '/');
        if (is_dots(segment)) return false;
        path = str_behind(path, segment.len);
    }
    return true;
}

bool erp_path_is_valid(struct str path)
{
    return path.len > 0 && is_path(path);
}

/* --- Hosts --- */

static bool is_label(struct str label)
{
    for (size_t i = 0; i < label.len; i++) {
        if (!is_alphanumeric(label.data[i]) && !is_any_of(label.data[i], "-_")) return false;
    }
    return label.len >= 1 && label.len <= LABEL_MAX;
}

/* A name or an IPv4 address. */
static bool is_name(struct str host)
{
    if (host.len > HOST_MAX) return false;
    for (;;) {
        struct str label = str_until(host, '.');
        if (!is_label(label)) return false;
        if (label.len == host.len) return true;
        host = str_behind(host, label.len + 1);
    }
}

static bool is_ipv6(struct str address)
{
    char text[INET6_ADDRSTRLEN] = "";
    struct in6_addr parsed;

    if (address.len >= sizeof(text)) return false;
    memcpy(text, address.data, address.len);
    return inet_pton(AF_INET6, text, &parsed) == 1;
}

/* Nothing, or a colon and a port. */
static bool is_port(struct str text)
{
    long long port;

    if (text.len == 0) return true;
    if (text.len < 2 || text.len > 1 + PORT_DIGITS_MAX || text.data[0] != ':') return false;
    if (!str_is_digit(text.data[1])) return false; /* no sign */
    return str_to_int64(str_behind(text, 1), &port) && port >= 1 && port <= PORT_MAX;
}

/* host [ ":" port ]. A user info would have an '@', which neither of them has. */
static bool is_authority(struct str authority)
{
    if (!begins_with(authority, "[")) {
        struct str host = str_until(authority, ':');
        return is_name(host) && is_port(str_behind(authority, host.len));
    }
    struct str address = str_until(str_behind(authority, 1), ']');
    if (address.len + 2 > authority.len) return false; /* no bracket at its end */
    return is_ipv6(address) && is_port(str_behind(authority, address.len + 2));
}

/* --- Addresses --- */

/* A scheme is written in any case (RFC 3986, section 3.1). */
static bool has_scheme(struct str url, const char *scheme)
{
    size_t len = strlen(scheme);
    return url.len >= len && str_is_nocase((struct str){url.data, len}, scheme);
}

bool erp_url_is_https(struct str url)
{
    return has_scheme(url, HTTPS);
}

static struct str without_scheme(struct str url)
{
    return str_behind(url, erp_url_is_https(url) ? strlen(HTTPS) : strlen(HTTP));
}

bool erp_url_is_valid(struct str url)
{
    if (!has_scheme(url, HTTP) && !has_scheme(url, HTTPS)) return false;
    struct str rest = without_scheme(url);
    struct str authority = str_until(rest, '/');
    return is_authority(authority) && is_path(str_behind(rest, authority.len));
}

const char *erp_url_explain(struct str url, struct arena *arena)
{
    char *ascii = NULL;

    if (!has_scheme(url, HTTP) && !has_scheme(url, HTTPS)) return NULL;
    struct str host = str_until(str_until(without_scheme(url), '/'), ':');
    bool is_ascii = utf8_length(host) == host.len;
    int status = idn2_to_ascii_8z(arena_str(arena, host), &ascii, IDN2_NFC_INPUT);
    const char *hint = NULL;
    if (!is_ascii && status == IDN2_OK && is_name(str_of(ascii)))
        hint = arena_printf(arena, "A host is written in ASCII: this one is %s.", ascii);
    idn2_free(ascii);
    return hint;
}

/* A name of a valid address has no dot at its end, so one host has one name. */
struct origin {
    bool is_https, is_ipv6;
    struct str host; /* of IPv6 not the text but: */
    struct in6_addr address;
    long long port;
};

static struct origin origin_of(struct str url)
{
    struct origin origin = {.is_https = erp_url_is_https(url)};
    struct str rest = without_scheme(url);
    struct str authority = str_until(rest, '/');
    char text[INET6_ADDRSTRLEN] = "";

    origin.is_ipv6 = begins_with(authority, "[");
    origin.port = origin.is_https ? 443 : 80;
    origin.host = str_until(authority, origin.is_ipv6 ? ']' : ':');
    struct str port = str_behind(authority, origin.host.len + origin.is_ipv6);
    if (port.len > 0) (void)str_to_int64(str_behind(port, 1), &origin.port); /* it is valid */
    if (!origin.is_ipv6) return origin;
    struct str address = str_behind(origin.host, 1);
    memcpy(text, address.data, address.len);
    (void)inet_pton(AF_INET6, text, &origin.address);
    return origin;
}

bool erp_url_has_same_origin(struct str a, struct str b)
{
    struct origin first = origin_of(a), second = origin_of(b);

    if (first.is_https != second.is_https || first.port != second.port) return false;
    if (first.is_ipv6 != second.is_ipv6) return false;
    if (first.is_ipv6) return memcmp(&first.address, &second.address, sizeof(first.address)) == 0;
    return first.host.len == second.host.len &&
           strncasecmp(first.host.data, second.host.data, first.host.len) == 0;
}

static struct str path_of(struct str url)
{
    struct str rest = without_scheme(url);
    return str_behind(rest, str_until(rest, '/').len);
}

/* Appends a valid path, which has no dot segments, in its normal form (RFC 3986, section 6.2.2):
 * only what must be percent-encoded is, in capitals. Of several slashes there is one. */
static void put_normal_path(struct buf *out, struct str path)
{
    while (path.len > 0) {
        bool is_encoded = path.data[0] == '%';
        char c = path.data[0];
        if (is_encoded) c = (char)(str_hex_value(path.data[1]) * 16 + str_hex_value(path.data[2]));
        if (is_encoded && !is_alphanumeric(c) && !is_any_of(c, "-._~"))
            buf_printf(out, "%%%02X", (unsigned char)c);
        else if (c != '/' || out->len == 0 || out->data[out->len - 1] != '/')
            buf_char(out, c);
        path = str_behind(path, is_encoded ? 3 : 1);
    }
}

/* Writes both paths as one; a slash at the end counts for nothing. */
static void write_place(struct buf *out, struct str url, struct str path)
{
    buf_init(out, url.len + path.len);
    put_normal_path(out, path_of(url));
    put_normal_path(out, path);
    while (out->len > 0 && out->data[out->len - 1] == '/')
        out->len--;
}

bool erp_urls_meet(struct str a, struct str a_path, struct str b, struct str b_path)
{
    AUTO_BUF first = {0}, second = {0};

    if (!erp_url_has_same_origin(a, b)) return false;
    write_place(&first, a, a_path);
    write_place(&second, b, b_path);
    return first.len == second.len && memcmp(first.data, second.data, first.len) == 0;
}

struct str erp_url_trim(struct str url)
{
    while (url.len > 0 && url.data[url.len - 1] == '/')
        url.len--;
    return url;
}
