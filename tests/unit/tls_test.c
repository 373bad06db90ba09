/* Certificates and links, without a socket between: what one side writes is what the other reads.
 */
#include "kit/base/clock.h"
#include "tls_made.h"

enum { OUT_MAX = 1 << 20, RELOAD_MS = 10000 };

static int start(void **state)
{
    struct tls_made *made = calloc(1, sizeof(*made));

    assert_non_null(made);
    tls_made_init(made);
    *state = made;
    return 0;
}

static int stop(void **state)
{
    tls_made_done(*state);
    free(*state);
    return 0;
}

/* ---- a client beside a link ---- */

struct pair {
    struct tls_link *link;
    SSL_CTX *context;
    SSL *client;
    BIO *to_client, *from_client;
    struct buf got; /* what the link has opened */
    enum tls_opened last;
};

static void pair_init_with(struct pair *p, struct tls *tls, SSL_CTX *context, SSL_SESSION *session)
{
    *p = (struct pair){.link = tls_link_new(tls), .context = context, .last = TLS_WAITS};
    buf_init(&p->got, OUT_MAX);
    p->client = SSL_new(context);
    p->to_client = BIO_new(BIO_s_mem());
    p->from_client = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(p->to_client, -1);
    SSL_set_bio(p->client, p->to_client, p->from_client);
    SSL_set_connect_state(p->client);
    if (session) SSL_set_session(p->client, session);
}

static void pair_init(struct pair *p, struct tls *tls, int version)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    SSL_CTX_set_security_level(context, 0); /* it offers what a server must not take */
    if (version) SSL_CTX_set_min_proto_version(context, version);
    if (version) SSL_CTX_set_max_proto_version(context, version);
    pair_init_with(p, tls, context, NULL);
}

static void pair_done(struct pair *p)
{
    tls_link_free(p->link);
    SSL_set_shutdown(p->client, SSL_SENT_SHUTDOWN); /* else its session could not come back */
    SSL_free(p->client);
    SSL_CTX_free(p->context);
    buf_done(&p->got);
}

/* Has the link read what the client wrote, in pieces of `piece` bytes. */
static void feed(struct pair *p, size_t piece)
{
    char *bytes, room[TLS_RECORD_MAX];
    size_t len;
    AUTO_BUF out = {0};

    buf_init(&out, OUT_MAX);
    long count = BIO_get_mem_data(p->from_client, &bytes);
    struct str all = {bytes, (size_t)count};
    while (all.len > 0) {
        struct str in = {all.data, all.len < piece ? all.len : piece};
        all = str_behind(all, in.len);
        while ((p->last = tls_link_read(p->link, &in, &out, room, &len)) == TLS_OPENED)
            buf_append(&p->got, room, len);
        if (p->last == TLS_WAITS) assert_int_equal(in.len, 0);
    }
    (void)BIO_reset(p->from_client);
    if (out.len > 0) BIO_write(p->to_client, out.data, (int)out.len);
}

/* Returns whether the handshake succeeds. */
static bool shake(struct pair *p, size_t piece)
{
    for (int i = 0; i < 10 && p->last != TLS_REFUSED; i++) {
        int rc = SSL_do_handshake(p->client);
        bool is_broken = rc != 1 && SSL_get_error(p->client, rc) != SSL_ERROR_WANT_READ;
        feed(p, piece);
        if (rc == 1 && tls_link_is_ready(p->link)) return true;
        if (is_broken) break;
    }
    ERR_clear_error();
    return false;
}

static void expect_read(struct pair *p, const char *text)
{
    char got[256] = {0};

    assert_int_equal(SSL_read(p->client, got, sizeof(got) - 1), strlen(text));
    assert_string_equal(got, text);
}

static void say(struct pair *p, const char *text)
{
    AUTO_BUF out = {0};

    buf_init(&out, OUT_MAX);
    assert_true(tls_link_write(p->link, str_of(text), &out));
    BIO_write(p->to_client, out.data, (int)out.len);
}

/* ---- handshakes ---- */

static void test_versions(void **state)
{
    static const struct {
        int version;
        bool is_taken;
    } rows[] = {{TLS1_VERSION, false},
                {TLS1_1_VERSION, false},
                {TLS1_2_VERSION, true},
                {TLS1_3_VERSION, true}};
    static const char *const kinds[] = {"P-256", "ED25519", "RSA"};

    for (size_t k = 0; k < 3; k++) {
        tls_made_write(*state, kinds[k], TLS_MADE_DAYS, NULL);
        struct tls *tls = tls_made_open(*state);
        for (size_t i = 0; i < 4; i++) {
            struct pair p;
            pair_init(&p, tls, rows[i].version);
            assert_int_equal(shake(&p, i == 2 ? 1 : SIZE_MAX), rows[i].is_taken);
            if (rows[i].is_taken) say(&p, "hello");
            if (rows[i].is_taken) expect_read(&p, "hello");
            pair_done(&p);
        }
        tls_close(tls);
    }
}

/* Of TLS 1.2 only what has forward secrecy and authenticated encryption. */
static void test_suites(void **state)
{
    static const struct {
        const char *suites;
        bool is_taken;
    } rows[] = {
        {"ECDHE-ECDSA-AES128-GCM-SHA256", true}, {"ECDHE-ECDSA-AES256-GCM-SHA384", true},
        {"ECDHE-ECDSA-CHACHA20-POLY1305", true}, {"ECDHE-ECDSA-AES128-SHA256", false},
        {"ECDHE-ECDSA-AES256-SHA", false},       {"ECDHE-ECDSA-AES128-CCM", false},
        {"ECDHE-ECDSA-NULL-SHA", false},
    };
    struct tls *tls = tls_made_open(*state);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pair p;
        pair_init(&p, tls, TLS1_2_VERSION);
        assert_int_equal(SSL_set_cipher_list(p.client, rows[i].suites), 1);
        if (shake(&p, SIZE_MAX) != rows[i].is_taken) fail_msg("%s", rows[i].suites);
        pair_done(&p);
    }
    tls_close(tls);
}

static void test_protocols(void **state)
{
    static const struct {
        const char *offered;
        bool is_taken;
        const char *chosen;
    } rows[] = {
        {"\x08http/1.1", true, "http/1.1"},
        {"\x02h2\x08http/1.1", true, "http/1.1"},
        {"\x02h2", false, ""},
        {"", true, ""},
    };
    struct tls *tls = tls_made_open(*state);

    for (size_t i = 0; i < 4; i++) {
        const unsigned char *chosen;
        unsigned len;
        struct pair p;
        pair_init(&p, tls, 0);
        size_t offered_len = strlen(rows[i].offered);
        if (offered_len > 0)
            SSL_set_alpn_protos(p.client, (const unsigned char *)rows[i].offered,
                                (unsigned)offered_len);
        assert_int_equal(shake(&p, SIZE_MAX), rows[i].is_taken);
        SSL_get0_alpn_selected(p.client, &chosen, &len);
        assert_int_equal(len, strlen(rows[i].chosen));
        if (len > 0) assert_memory_equal(chosen, rows[i].chosen, len);
        pair_done(&p);
    }
    tls_close(tls);
}

/* ---- what is read and written ---- */

static void test_pieces(void **state)
{
    struct tls *tls = tls_made_open(*state);
    static char bytes[100 * 1000];
    struct pair p;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i % 251);
    pair_init(&p, tls, 0);
    assert_true(shake(&p, 7));
    assert_int_equal(SSL_write(p.client, bytes, sizeof(bytes)), sizeof(bytes));
    feed(&p, 1000);
    assert_int_equal(p.got.len, sizeof(bytes));
    assert_memory_equal(p.got.data, bytes, sizeof(bytes));
    pair_done(&p);
    tls_close(tls);
}

/* Both ends of a half-closed connection: it is still answered, and told the end. */
static void test_ends(void **state)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    struct tls *tls = tls_made_open(*state);

    for (size_t i = 0; i < 2; i++) {
        AUTO_BUF out = {0};
        struct pair p;
        buf_init(&out, OUT_MAX);
        pair_init(&p, tls, versions[i]);
        assert_true(shake(&p, SIZE_MAX));
        SSL_write(p.client, "bye", 3);
        SSL_shutdown(p.client);
        feed(&p, SIZE_MAX);
        assert_int_equal(p.last, TLS_ENDED);
        assert_true(str_is(buf_view(&p.got), "bye"));
        say(&p, "answer");
        tls_link_end(p.link, &out);
        BIO_write(p.to_client, out.data, (int)out.len);
        expect_read(&p, "answer");
        char byte;
        assert_int_equal(SSL_get_error(p.client, SSL_read(p.client, &byte, 1)),
                         SSL_ERROR_ZERO_RETURN);
        pair_done(&p);
    }
    tls_close(tls);
}

static void test_renegotiation_is_refused(void **state)
{
    struct tls *tls = tls_made_open(*state);
    struct pair p;

    pair_init(&p, tls, TLS1_2_VERSION);
    assert_true(shake(&p, SIZE_MAX));
    assert_int_equal(SSL_renegotiate(p.client), 1);
    assert_false(SSL_do_handshake(p.client) == 1);
    feed(&p, SIZE_MAX);
    assert_false(SSL_do_handshake(p.client) == 1); /* a warning came, and no handshake */
    ERR_clear_error();
    assert_int_equal(p.got.len, 0);
    pair_done(&p);
    tls_close(tls);
}

static void test_broken_records(void **state)
{
    struct tls *tls = tls_made_open(*state);

    for (int i = 0; i < 3; i++) {
        struct pair p;
        char *bytes;
        pair_init(&p, tls, 0);
        assert_true(shake(&p, SIZE_MAX));
        SSL_write(p.client, "hello", 5);
        BIO_get_mem_data(p.from_client, &bytes);
        if (i == 0) bytes[0] = 99;   /* no type of a record */
        if (i == 1) bytes[3] = 0x7f; /* longer than any */
        if (i == 2) bytes[7] ^= 1;   /* another one than was sealed */
        feed(&p, SIZE_MAX);
        assert_int_equal(p.last, TLS_REFUSED);
        assert_int_equal(p.got.len, 0);
        pair_done(&p);
    }
    tls_close(tls);
}

/* A peer that asks for new keys again and again, and reads nothing. */
static void test_key_updates_have_a_bound(void **state)
{
    struct tls *tls = tls_made_open(*state);
    char *bytes, room[TLS_RECORD_MAX];
    struct pair p;
    size_t len;
    AUTO_BUF out = {0};
    int rounds = 0;

    buf_init(&out, 4096);
    pair_init(&p, tls, TLS1_3_VERSION);
    assert_true(shake(&p, SIZE_MAX));
    do {
        SSL_key_update(p.client, SSL_KEY_UPDATE_REQUESTED);
        SSL_do_handshake(p.client);
        long count = BIO_get_mem_data(p.from_client, &bytes);
        struct str in = {bytes, (size_t)count};
        p.last = tls_link_read(p.link, &in, &out, room, &len);
        (void)BIO_reset(p.from_client);
    } while (p.last == TLS_WAITS && ++rounds < 1000);
    assert_int_equal(p.last, TLS_REFUSED);
    assert_in_range(rounds, 10, 200);
    pair_done(&p);
    tls_close(tls);
}

/* ---- tickets ---- */

/* Returns what the client comes back with. */
static SSL_SESSION *take_ticket(struct tls *tls, int version)
{
    SSL_SESSION *session;
    struct pair p;

    pair_init(&p, tls, version);
    assert_true(shake(&p, SIZE_MAX));
    say(&p, "hello"); /* a ticket of TLS 1.3 lies before it */
    expect_read(&p, "hello");
    session = SSL_get1_session(p.client);
    assert_true(SSL_SESSION_is_resumable(session));
    pair_done(&p);
    return session;
}

static bool comes_back(struct tls *tls, SSL_SESSION *session)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    struct pair p;

    SSL_CTX_set_max_proto_version(context, SSL_SESSION_get_protocol_version(session));
    pair_init_with(&p, tls, context, session);
    assert_true(shake(&p, SIZE_MAX));
    bool is_reused = SSL_session_reused(p.client);
    pair_done(&p);
    return is_reused;
}

/* Another process has keys of its own, and there it is just a full handshake. */
static void test_tickets(void **state)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    struct tls *tls = tls_made_open(*state), *other = tls_made_open(*state);

    for (size_t i = 0; i < 2; i++) {
        SSL_SESSION *session = take_ticket(tls, versions[i]);
        assert_true(comes_back(tls, session));
        assert_false(comes_back(other, session));
        SSL_SESSION_free(session);
    }
    tls_close(tls);
    tls_close(other);
}

/* ---- files ---- */

static void expect_refused(const char *cert, const char *key, const char *word)
{
    struct tls_certificate certificate;
    struct tls *tls;
    AUTO_BUF why = {0};

    buf_init(&why, 4096);
    assert_int_equal(tls_open(cert, key, &tls, &why), ERR_VALIDATION);
    buf_char(&why, '\0');
    if (!strstr(why.data, word)) fail_msg("no \"%s\" in: %s", word, why.data);
    assert_int_equal(tls_certificate_read(cert, key, NULL, &certificate, &why), ERR_VALIDATION);
}

static void test_files_that_cannot_be_used(void **state)
{
    struct tls_made *made = *state, other;

    tls_made_init(&other);
    expect_refused("/no/such/file", made->key, "/no/such/file");
    expect_refused(made->cert, "/no/such/file", "/no/such/file");
    expect_refused(made->folder, made->key, "not a file");
    expect_refused(made->key, made->key, "no certificate");
    expect_refused(made->cert, made->cert, "no private key");
    expect_refused(made->cert, other.key, "not that of the certificate");
    tls_made_write(&other, "P-256", 1, "a password");
    expect_refused(other.cert, other.key, "without a password");
    tls_made_done(&other);
}

static void test_what_a_certificate_says(void **state)
{
    static const struct {
        const char *host;
        bool is_named;
    } rows[] = {{"herald.example", true},    {"HERALD.example", true}, {"127.0.0.1", true},
                {"a.herald.example", false}, {"127.0.0.2", false},     {"test", false}};
    struct tls_certificate certificate;
    struct tls_made *made = *state;
    AUTO_BUF why = {0};

    buf_init(&why, 4096);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            tls_certificate_read(made->cert, made->key, rows[i].host, &certificate, &why), ERR_OK);
        assert_int_equal(certificate.names_host, rows[i].is_named);
    }
    int64_t days = (certificate.ends_ms - clock_now_ms()) / (24 * 3600 * 1000);
    assert_in_range(days, TLS_MADE_DAYS - 1, TLS_MADE_DAYS);
    assert_true(certificate.begins_ms < clock_now_ms());
    assert_memory_equal(certificate.pin, "sha256//", 8);
    assert_int_equal(strlen(certificate.pin), 8 + 44);
    /* Its public key is read without the private one. */
    assert_int_equal(tls_certificate_read(made->cert, NULL, NULL, &certificate, &why), ERR_OK);
}

/* Waits until new links have another certificate than `old`; false: it stayed. */
static bool gets_another(struct tls *tls, const unsigned char *old, int64_t within_ms)
{
    int64_t end_ms = clock_monotonic_ms() + within_ms;
    unsigned char hash[EVP_MAX_MD_SIZE];
    bool is_other = false;

    while (!is_other && clock_monotonic_ms() < end_ms) {
        struct pair p;
        usleep(50 * 1000);
        pair_init(&p, tls, 0);
        assert_true(shake(&p, SIZE_MAX));
        X509 *leaf = SSL_get1_peer_certificate(p.client);
        X509_digest(leaf, EVP_sha256(), hash, NULL);
        is_other = memcmp(hash, old, 32) != 0;
        X509_free(leaf);
        pair_done(&p);
    }
    return is_other;
}

static void test_files_change(void **state)
{
    struct tls *tls = tls_made_open(*state);
    unsigned char old[EVP_MAX_MD_SIZE] = {0};
    struct tls_made *made = *state, other;
    struct pair p;

    pair_init(&p, tls, 0);
    assert_true(shake(&p, SIZE_MAX));
    X509 *leaf = SSL_get1_peer_certificate(p.client);
    X509_digest(leaf, EVP_sha256(), old, NULL);
    X509_free(leaf);
    SSL_SESSION *session = take_ticket(tls, TLS1_3_VERSION);

    tls_made_init(&other);
    assert_int_equal(rename(other.key, made->key), 0); /* the key of another one */
    assert_false(gets_another(tls, old, 3 * TLS_WATCH_MS));
    assert_int_equal(rename(other.cert, made->cert), 0);
    assert_true(gets_another(tls, old, RELOAD_MS));
    /* Whoever may have the old key knows nothing of who comes now; what was open stays so. */
    assert_false(comes_back(tls, session));
    say(&p, "still here");
    expect_read(&p, "still here");
    SSL_SESSION_free(session);
    pair_done(&p);
    tls_close(tls);
    tls_made_done(&other);
}

#define TLS_TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TLS_TEST(test_versions),
        TLS_TEST(test_suites),
        TLS_TEST(test_protocols),
        TLS_TEST(test_pieces),
        TLS_TEST(test_ends),
        TLS_TEST(test_renegotiation_is_refused),
        TLS_TEST(test_broken_records),
        TLS_TEST(test_key_updates_have_a_bound),
        TLS_TEST(test_tickets),
        TLS_TEST(test_files_that_cannot_be_used),
        TLS_TEST(test_what_a_certificate_says),
        TLS_TEST(test_files_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
