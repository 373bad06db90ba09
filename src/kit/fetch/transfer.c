/*
 * A request must never leave twice, since it would send a second message. libcurl repeats a request
 * by itself, whatever its method, when a kept connection ends before the first byte of the answer.
 * No option of 7.88 forbids that, and a new connection for each fetch would be too slow. But its
 * pre-request hook runs before each attempt, once the connection stands: its first run marks the
 * fetch as sent, and a second run ends it. A kept connection that was closed before (poller.c
 * watches them) is replaced without the hook, and without harm.
 *
 * A route may allow only some addresses. Each connection is judged when its socket is opened, so
 * the address that the name has at that moment counts; the other addresses of the name are still
 * tried. A kept connection may have been opened by a fetch with another route. So the pre-request
 * hook checks its address, and if that is not allowed, the fetch begins anew on a connection of its
 * own.
 *
 * So while `was_sent` is false, no byte of the request has left: names, connect, TLS and a proxy's
 * CONNECT all come before the hook.
 */
#include "kit/fetch/transfer.h"

#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "kit/base/text_file.h"
#include "kit/fetch/networks.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CA_FILE_MAX = 4 * 1024 * 1024, /* the system's has 220 KB */
    /* Apache and Node close a connection after 5 s without a request, and one that is closed just
     * now would leave a fetch in doubt; so older ones are not used. libcurl counts whole seconds.
     */
    CONNECTION_IDLE_MAX_S = 3,
};

static const struct {
    CURLoption option;
    long value;
} fixed_numbers[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_TCP_NODELAY, 1},
    {CURLOPT_MAXAGE_CONN, CONNECTION_IDLE_MAX_S},
    {CURLOPT_SSL_VERIFYPEER, 1},
    {CURLOPT_SSL_VERIFYHOST, 2},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2}, /* or later */
    /* A proxy's answer to CONNECT is not ours, and our headers to the provider are not for it. */
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_HEADEROPT, CURLHEADER_SEPARATE},
    /* Without it the end of a fetch waits for its name look-up, and all other fetches with it. */
    {CURLOPT_QUICK_EXIT, 1},
};

static const struct {
    CURLoption option;
    const char *value;
} fixed_texts[] = {
    {CURLOPT_PROTOCOLS_STR, "http,https"},
    {CURLOPT_USERAGENT, "herald/" HERALD_VERSION},
    {CURLOPT_NOPROXY, ""}, /* also keeps no_proxy of the environment out */
    /* The system's folder of certificates would be trusted beside the route's file. And libcurl
     * keeps the file parsed only without a folder; else it reads it at each connect. */
    {CURLOPT_CAPATH, NULL},
};

static const struct {
    CURLcode code;
    const char *text;
} error_texts[] = {
    {CURLE_URL_MALFORMAT, "the URL is malformed"},
    {CURLE_UNSUPPORTED_PROTOCOL, "the URL or the answer is not HTTP"},
    {CURLE_COULDNT_RESOLVE_PROXY, "the proxy's name was not found"},
    {CURLE_COULDNT_RESOLVE_HOST, "the server's name was not found"},
    {CURLE_COULDNT_CONNECT, "no connection to the server"},
    {CURLE_PROXY, "the proxy refused"},
    {CURLE_SSL_CONNECT_ERROR, "the TLS handshake failed"},
    {CURLE_PEER_FAILED_VERIFICATION, "the server's certificate is not trusted"},
    {CURLE_SSL_CACERT_BADFILE, "the CA file cannot be read"},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, "the server has another certificate than the trusted one"},
    {CURLE_OPERATION_TIMEDOUT, "the time was up"},
    {CURLE_SEND_ERROR, "the connection ended while the request was sent"},
    {CURLE_ABORTED_BY_CALLBACK, "the server closed a kept connection on the request"},
    {CURLE_GOT_NOTHING, "the server closed the connection without an answer"},
    {CURLE_RECV_ERROR, "the connection ended before the whole answer came"},
    {CURLE_PARTIAL_FILE, "the answer was cut off"},
    {CURLE_OK, "the answer was cut off"},
    {CURLE_WRITE_ERROR, "the answer is too large"},
    {CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP"},
};

static const char *error_text(CURLcode code)
{
    for (size_t i = 0; i < COUNT_OF(error_texts); i++) {
        if (error_texts[i].code == code) return error_texts[i].text;
    }
    return "the fetch failed";
}

static void set_number(CURL *easy, CURLoption option, long value)
{
    CURLcode code = curl_easy_setopt(easy, option, value);
    assert(code == CURLE_OK);
}

static void set_pointer(CURL *easy, CURLoption option, const void *value)
{
    CURLcode code = curl_easy_setopt(easy, option, value);
    assert(code == CURLE_OK);
}

struct transfer *transfer_new(size_t answer_max)
{
    struct transfer *transfer = must_calloc(1, sizeof(*transfer));
    transfer->easy = curl_easy_init();
    if (!transfer->easy) {
        memory_give_reserve();
        transfer->easy = curl_easy_init();
    }
    must_have(transfer->easy, "a fetch cannot be prepared: out of memory. Allow the process more "
                              "(ulimit -v, MemoryMax).");
    answer_init(&transfer->answer, answer_max);
    return transfer;
}

void transfer_free(struct transfer *transfer)
{
    if (!transfer) return;
    assert(!transfer->fetch);
    curl_easy_cleanup(transfer->easy);
    answer_done(&transfer->answer);
    free(transfer);
}

static bool is_allowed(const struct transfer *transfer, const struct sockaddr *address)
{
    const struct networks *networks = transfer->fetch->route.networks;
    return !networks || networks_allow(networks, address);
}

/* Does the same for an address as text; anything else is not allowed. */
static bool is_text_allowed(const struct transfer *transfer, const char *text)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    if (!transfer->fetch->route.networks) return true;
    if (inet_pton(AF_INET, text, &ipv4.sin_addr) == 1)
        return is_allowed(transfer, (const struct sockaddr *)&ipv4);
    return inet_pton(AF_INET6, text, &ipv6.sin6_addr) == 1 &&
           is_allowed(transfer, (const struct sockaddr *)&ipv6);
}

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct transfer *transfer = user;
    (void)purpose;
    if (!is_allowed(transfer, &to->addr)) {
        transfer->has_refused = true;
        return CURL_SOCKET_BAD;
    }
    transfer->has_opened = true;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static int before_request(void *user, char *server_address, char *own_address, int server_port,
                          int own_port)
{
    struct transfer *transfer = user;
    (void)own_address, (void)server_port, (void)own_port;
    if (transfer->was_sent) return CURL_PREREQFUNC_ABORT;
    if (!is_text_allowed(transfer, server_address)) {
        transfer->must_reconnect = !transfer->has_opened;
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->was_sent = true;
    return CURL_PREREQFUNC_OK;
}

static size_t take_line(char *data, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    struct str line = {data, size * count};
    return answer_add_line(&transfer->answer, line, clock_wall_ms()) ? line.len : 0;
}

/* Any number but the length ends the transfer; for an empty part that is one above 0. */
static size_t take_body(char *data, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    struct str part = {data, size * count};
    long status = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    bool is_taken = transfer->fetch->take && status == 200
                        ? transfer->fetch->take(transfer->fetch, part)
                        : answer_add_body(&transfer->answer, part);
    if (!is_taken && transfer->fetch->cuts_answer)
        transfer->is_cut = answer_add_body(&transfer->answer, answer_cut(&transfer->answer, part));
    return is_taken ? part.len : part.len + 1;
}

static bool has_control_character(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f') return true;
    }
    return false;
}

static void link_header(struct transfer *transfer, char *text)
{
    assert(transfer->header_count < TRANSFER_HEADERS_MAX);
    struct curl_slist *header = &transfer->headers[transfer->header_count++];
    *header = (struct curl_slist){.data = text};
    if (header != transfer->headers) header[-1].next = header;
}

/* Returns the size with NUL of "Name: value", or of "Name;", which libcurl takes as an empty value.
 */
static size_t header_size(const struct fetch_header *header)
{
    assert(!has_control_character(header->name) && !has_control_character(header->value));
    assert(header->name[0] && !strpbrk(header->name, ": ;"));
    return strlen(header->name) + strlen(": ") + strlen(header->value) + 1;
}

static const struct fetch_header *headers_end(const struct fetch *fetch)
{
    const struct fetch_header *header = fetch->headers;
    while (header < fetch->headers + FETCH_HEADERS_MAX && header->name)
        header++;
    return header;
}

/* The list is built in place, and not by curl_slist_append, so that it can be wiped: a header may
 * hold a provider's key. */
static void write_headers(struct transfer *transfer)
{
    static char no_expect[] = "Expect:";     /* libcurl would wait a second for a 100 */
    static char no_type[] = "Content-Type:"; /* libcurl would make a POST a form */
    const struct fetch *fetch = transfer->fetch;
    const struct fetch_header *end = headers_end(fetch);
    bool has_type = false;

    transfer->header_count = 0;
    transfer->header_text_len = 0;
    for (const struct fetch_header *header = fetch->headers; header < end; header++)
        transfer->header_text_len += header_size(header);
    transfer->header_text = must_malloc(transfer->header_text_len + 1);

    char *text = transfer->header_text;
    for (const struct fetch_header *header = fetch->headers; header < end; header++) {
        const char *separator = header->value[0] ? ": " : ";";
        snprintf(text, header_size(header), "%s%s%s", header->name, separator, header->value);
        link_header(transfer, text);
        text += header_size(header);
        if (str_is_nocase(str_of(header->name), "Content-Type")) has_type = true;
    }
    link_header(transfer, no_expect);
    if (!has_type) link_header(transfer, no_type);
    set_pointer(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

static void set_request(CURL *easy, const struct fetch *fetch)
{
    assert(!has_control_character(fetch->url));
    set_pointer(easy, CURLOPT_URL, fetch->url);
    set_number(easy, CURLOPT_PATH_AS_IS, 1); /* it may have a name such as `..` */
    if (strcmp(fetch->method, "GET") == 0) {
        assert(fetch->body.len == 0);
        set_number(easy, CURLOPT_HTTPGET, 1);
        return;
    }
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)fetch->body.len);
    /* Without a pointer libcurl would read the body from stdin. */
    set_pointer(easy, CURLOPT_POSTFIELDS, fetch->body.data ? fetch->body.data : "");
    if (strcmp(fetch->method, "POST") != 0) set_pointer(easy, CURLOPT_CUSTOMREQUEST, fetch->method);
}

/* Certificates behind a byte order mark, which OpenSSL would not find, are read here. */
static void set_ca_file(CURL *easy, const char *path)
{
    AUTO_BUF text = {0};

    buf_init(&text, CA_FILE_MAX);
    set_pointer(easy, CURLOPT_CAINFO, path);
    if (!text_file_read_marked(path, &text)) return;
    struct curl_blob blob = {.data = text.data, .len = text.len, .flags = CURL_BLOB_COPY};
    must_have(curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob) == CURLE_OK,
              "libcurl takes no certificates from memory.");
}

static void set_route(CURL *easy, const struct fetch_route *route, long timeout_ms)
{
    assert(route->connect_timeout_ms > 0 && timeout_ms > 0);
    assert(!route->proxy || !route->networks); /* with a proxy, the proxy looks the name up */
    set_pointer(easy, CURLOPT_PROXY, route->proxy ? route->proxy : ""); /* "": no environment */
    if (route->ca_file) set_ca_file(easy, route->ca_file);
    if (route->pin) {
        set_pointer(easy, CURLOPT_PINNEDPUBLICKEY, route->pin);
        set_number(easy, CURLOPT_SSL_VERIFYPEER, 0); /* the pin says more */
        set_number(easy, CURLOPT_SSL_VERIFYHOST, 0);
    }
    set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, route->connect_timeout_ms);
    set_number(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
}

static void set_hooks(struct transfer *transfer)
{
    CURL *easy = transfer->easy;

    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
}

void transfer_begin(struct transfer *transfer, struct fetch *fetch, long timeout_ms)
{
    CURL *easy = transfer->easy;
    assert(!transfer->fetch);
    transfer->fetch = fetch;
    transfer->was_sent = false;
    transfer->has_opened = false;
    transfer->has_refused = false;
    transfer->must_reconnect = false;
    transfer->is_cut = false;

    for (size_t i = 0; i < COUNT_OF(fixed_numbers); i++)
        set_number(easy, fixed_numbers[i].option, fixed_numbers[i].value);
    for (size_t i = 0; i < COUNT_OF(fixed_texts); i++)
        set_pointer(easy, fixed_texts[i].option, fixed_texts[i].value);
    set_request(easy, fetch);
    set_route(easy, &fetch->route, timeout_ms);
    set_hooks(transfer);
    write_headers(transfer);
}

bool transfer_reconnect(struct transfer *transfer, long timeout_ms)
{
    if (!transfer->must_reconnect) return false;
    transfer->must_reconnect = false;
    set_number(transfer->easy, CURLOPT_FRESH_CONNECT, 1);
    set_number(transfer->easy, CURLOPT_TIMEOUT_MS, timeout_ms);
    return true;
}

/* The handle forgets the memory of the fetch, which ends with `done`. */
static void forget(struct transfer *transfer)
{
    curl_easy_reset(transfer->easy);
    secret_wipe(transfer->header_text, transfer->header_text_len);
    free(transfer->header_text);
    transfer->header_text = NULL;
    answer_clear(&transfer->answer);
    transfer->fetch = NULL;
}

static void hand_over_answer(struct transfer *transfer, long status)
{
    struct fetch *fetch = transfer->fetch;
    fetch->end = FETCH_ANSWERED;
    fetch->status = (int)status;
    fetch->retry_after_ms = transfer->answer.retry_after_ms;
    buf_append(&fetch->answer, transfer->answer.body, transfer->answer.body_len);
}

void transfer_end(struct transfer *transfer, CURLcode code)
{
    struct fetch *fetch = transfer->fetch;
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);

    fetch->was_sent = transfer->was_sent;
    bool is_whole = code == CURLE_OK || transfer->is_cut;
    if (is_whole && transfer->answer.is_head_whole && status >= 200) {
        hand_over_answer(transfer, status);
    } else {
        fetch->end = fetch->was_sent ? FETCH_UNKNOWN : FETCH_NOT_SENT;
        bool is_refused = transfer->has_refused && !transfer->has_opened;
        fetch->error = is_refused ? "the address is not allowed" : error_text(code);
    }
    forget(transfer);
}

void transfer_cancel(struct transfer *transfer)
{
    struct fetch *fetch = transfer->fetch;
    fetch->was_sent = transfer->was_sent;
    fetch->end = FETCH_CANCELED;
    fetch->error = "herald is stopping";
    forget(transfer);
}
