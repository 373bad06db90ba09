/* The encoding is that of RFC 3492, section 6.3, with its names. */
#include "kit/base/punycode.h"

#include "kit/base/glyph.h"

enum {
    BASE = 36,
    TMIN = 1,
    TMAX = 26,
    SKEW = 38,
    DAMP = 700,
    INITIAL_BIAS = 72,
    INITIAL_N = 128,
    LABEL_MAX = 63,
};

static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static uint32_t adapt(uint32_t delta, uint32_t count, bool is_first)
{
    uint32_t k = 0;

    delta = is_first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > (BASE - TMIN) * TMAX / 2; k += BASE)
        delta /= BASE - TMIN;
    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}

static void put_delta(struct buf *out, uint32_t delta, uint32_t bias)
{
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;
        if (delta < t) break;
        buf_char(out, digits[t + (delta - t) % (BASE - t)]);
        delta = (delta - t) / (BASE - t);
    }
    buf_char(out, digits[delta]);
}

static uint32_t least_from(const uint32_t *points, size_t count, uint32_t n)
{
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        if (points[i] >= n && points[i] < least) least = points[i];
    }
    return least;
}

/* So few points never overflow 32 bits. */
static void put_encoded(struct buf *out, const uint32_t *points, size_t count)
{
    uint32_t n = INITIAL_N, delta = 0, bias = INITIAL_BIAS, basic = 0;

    for (size_t i = 0; i < count; i++) {
        if (points[i] >= INITIAL_N) continue;
        buf_char(out, (char)points[i]);
        basic++;
    }
    if (basic > 0) buf_char(out, '-');
    for (uint32_t done = basic; done < count; delta++, n++) {
        uint32_t least = least_from(points, count, n);
        delta += (least - n) * (done + 1);
        n = least;
        for (size_t i = 0; i < count; i++) {
            if (points[i] < n) delta++;
            if (points[i] != n) continue;
            put_delta(out, delta, bias);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
}

static bool put_label(struct buf *out, struct str label)
{
    uint32_t points[LABEL_MAX];
    size_t count = 0, begin = out->len;
    bool is_ascii = utf8_length(label) == label.len;

    while (label.len > 0 && count < LABEL_MAX)
        points[count++] = fold_point(utf8_take(&label));
    if (!is_ascii) buf_text(out, "xn--");
    if (is_ascii) {
        for (size_t i = 0; i < count; i++)
            buf_char(out, (char)points[i]);
    } else {
        put_encoded(out, points, count);
    }
    return label.len == 0 && count > 0 && out->len - begin <= LABEL_MAX && !out->is_full;
}

bool punycode_host(struct str host, struct buf *out)
{
    for (;;) {
        struct str label = str_until(host, '.');
        if (!put_label(out, label)) return false;
        if (label.len == host.len) return true;
        buf_char(out, '.');
        host = str_behind(host, label.len + 1);
    }
}
