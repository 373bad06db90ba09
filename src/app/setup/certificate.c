/* A certificate is held against the clock and HERALD_PUBLIC_URL. */
#include "app/setup/certificate.h"

#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/http/tls.h"

#define DAY_MS ((int64_t)24 * 3600 * 1000)

enum { WHY_MAX = 8 * 1024, SOON_DAYS = 14 };

/* Returns the host of HERALD_PUBLIC_URL; NULL: it is not set. */
static const char *public_host(const struct config *config, struct arena *arena)
{
    const char *url = config->public_url;

    if (!url) return NULL;
    const char *host = strstr(url, "://") + 3;
    bool is_bracketed = host[0] == '[';
    host += is_bracketed;
    return arena_str(arena, (struct str){host, strcspn(host, is_bracketed ? "]" : ":/")});
}

static const char *time_of(int64_t ms, struct arena *arena)
{
    char text[CLOCK_TEXT_LEN + 1];

    clock_format(ms, text);
    return arena_text(arena, text);
}

/* Returns NULL if its time is right. */
static const char *judge_time(const struct config *config,
                              const struct tls_certificate *certificate, int64_t now_ms,
                              struct arena *arena, bool *ret_is_fatal)
{
    const char *file = config->tls_cert_file;

    *ret_is_fatal = true;
    if (now_ms >= certificate->ends_ms)
        return arena_printf(arena,
                            "The certificate in %s expired on %s, so clients refuse it. Put a new "
                            "one there; herald takes it without a restart.",
                            file, time_of(certificate->ends_ms, arena));
    if (now_ms < certificate->begins_ms)
        return arena_printf(arena,
                            "The certificate in %s begins on %s only, so clients refuse it. Look "
                            "at the clock of this machine.",
                            file, time_of(certificate->begins_ms, arena));
    *ret_is_fatal = false;
    if (certificate->ends_ms - now_ms >= SOON_DAYS * DAY_MS) return NULL;
    return arena_printf(arena,
                        "The certificate in %s expires on %s. Put a new one there; herald takes it "
                        "without a restart.",
                        file, time_of(certificate->ends_ms, arena));
}

size_t certificate_find_faults(const struct config *config, int64_t now_ms, struct arena *arena,
                               struct certificate_fault ret_faults[static CERTIFICATE_FAULTS_MAX])
{
    const char *host = public_host(config, arena);
    struct tls_certificate certificate;
    AUTO_BUF why = {0};
    size_t count = 0;
    bool is_fatal;

    buf_init(&why, WHY_MAX);
    if (tls_certificate_read(config->tls_cert_file, config->tls_key_file, host, &certificate,
                             &why)) {
        ret_faults[0] = (struct certificate_fault){
            true, arena_printf(arena, "HTTPS cannot be served by these files: %.*s", (int)why.len,
                               why.data)};
        return 1;
    }
    const char *sentence = judge_time(config, &certificate, now_ms, arena, &is_fatal);
    if (sentence) ret_faults[count++] = (struct certificate_fault){is_fatal, sentence};
    if (host && !certificate.names_host)
        ret_faults[count++] = (struct certificate_fault){
            false, arena_printf(arena,
                                "The certificate in %s does not name %s, the host of "
                                "HERALD_PUBLIC_URL, so who reaches herald by that URL refuses it, "
                                "unless a proxy with a certificate of its own stands before.",
                                config->tls_cert_file, host)};
    return count;
}

void certificate_warn(const struct config *config)
{
    struct certificate_fault faults[CERTIFICATE_FAULTS_MAX];
    struct arena arena;

    if (!config->tls_cert_file) return;
    arena_init(&arena);
    size_t count = certificate_find_faults(config, clock_wall_ms(), &arena, faults);
    for (size_t i = 0; i < count; i++)
        log_write(LOG_WARNING, faults[i].sentence, NULL, 0);
    arena_done(&arena);
}
