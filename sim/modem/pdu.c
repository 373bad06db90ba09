/* Octets are read and written by hand; lengths are checked before anything is taken. */
#include "pdu.h"

#include <stdio.h>
#include <time.h>

enum {
    OCTETS_MAX = 256,
    SUBMIT = 0x01, /* TP-MTI */
    SUBMIT_MASK = 0x03,
    HAS_HEADER = 0x40,    /* TP-UDHI */
    WANTS_REPORT = 0x20,  /* TP-SRR */
    VALIDITY_MASK = 0x18, /* TP-VPF */
    VALIDITY_RELATIVE = 0x10,
    INTERNATIONAL = 0x91,
    CONCATENATED = 0x00, /* the element of a header that numbers parts, with 8 bits */
    ESCAPE = 0x1B,
};

/* The alphabet of 3GPP TS 23.038; its extension is left out but for the euro sign. */
static const uint16_t letters[128] = {
    '@',   0xA3, '$',  0xA5,  0xE8, 0xE9,  0xF9,  0xEC,  0xF2,  0xC7,  '\n',  0xD8,  0xF8,
    '\r',  0xC5, 0xE5, 0x394, '_',  0x3A6, 0x393, 0x39B, 0x3A9, 0x3A0, 0x3A8, 0x3A3, 0x398,
    0x39E, ' ',  0xC6, 0xE6,  0xDF, 0xC9,  ' ',   '!',   '"',   '#',   0xA4,  '%',   '&',
    '\'',  '(',  ')',  '*',   '+',  ',',   '-',   '.',   '/',   '0',   '1',   '2',   '3',
    '4',   '5',  '6',  '7',   '8',  '9',   ':',   ';',   '<',   '=',   '>',   '?',   0xA1,
    'A',   'B',  'C',  'D',   'E',  'F',   'G',   'H',   'I',   'J',   'K',   'L',   'M',
    'N',   'O',  'P',  'Q',   'R',  'S',   'T',   'U',   'V',   'W',   'X',   'Y',   'Z',
    0xC4,  0xD6, 0xD1, 0xDC,  0xA7, 0xBF,  'a',   'b',   'c',   'd',   'e',   'f',   'g',
    'h',   'i',  'j',  'k',   'l',  'm',   'n',   'o',   'p',   'q',   'r',   's',   't',
    'u',   'v',  'w',  'x',   'y',  'z',   0xE4,  0xF6,  0xF1,  0xFC,  0xE0};

struct octets {
    uint8_t data[OCTETS_MAX];
    size_t len, at;
};

static bool read_hex(struct str hex, struct octets *ret_octets)
{
    ret_octets->len = hex.len / 2;
    ret_octets->at = 0;
    if (hex.len % 2 != 0 || ret_octets->len > OCTETS_MAX) return false;
    for (size_t i = 0; i < ret_octets->len; i++) {
        int high = str_hex_value(hex.data[2 * i]), low = str_hex_value(hex.data[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        ret_octets->data[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Takes the next octet; what lies behind the end reads as 0, and `at` shows it. */
static unsigned take(struct octets *octets)
{
    size_t at = octets->at++;
    return at < octets->len ? octets->data[at] : 0;
}

static bool take_number(struct octets *octets, char *ret_number)
{
    unsigned digits = take(octets);
    size_t len = 0;

    if (digits == 0 || digits > 20) return false;
    if (take(octets) == INTERNATIONAL) ret_number[len++] = '+';
    for (unsigned i = 0; i < digits; i++) {
        unsigned pair = octets->at < octets->len ? octets->data[octets->at] : 0;
        unsigned digit = i % 2 == 0 ? pair & 0x0F : pair >> 4;
        if (digit > 9) return false;
        ret_number[len++] = (char)('0' + digit);
        if (i % 2 == 1 || i + 1 == digits) octets->at++;
    }
    ret_number[len] = '\0';
    return true;
}

static void put_character(char **end, const char *limit, uint32_t c)
{
    char *to = *end;

    if (limit - to < 4) return;
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    }
    *end = to;
}

/* Units of 16 bits, of which two may make a character. */
static void read_ucs2(const struct octets *octets, size_t end, char *ret_text)
{
    char *to = ret_text;
    uint32_t high = 0;

    for (size_t at = octets->at; at + 1 < end; at += 2) {
        uint32_t unit = (uint32_t)octets->data[at] << 8 | octets->data[at + 1];
        bool is_low = unit >= 0xDC00 && unit < 0xE000;
        if (unit >= 0xD800 && unit < 0xDC00) {
            high = unit;
            continue;
        }
        if (is_low) unit = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
        put_character(&to, ret_text + PDU_TEXT_MAX - 1, unit);
    }
    *to = '\0';
}

/* Septets are packed from the lowest bit on, the header's bits among them. */
static void read_septets(const struct octets *octets, size_t begin, unsigned septets,
                         unsigned passed, char *ret_text)
{
    char *to = ret_text;
    bool is_escaped = false;

    for (unsigned i = passed; i < septets; i++) {
        size_t bit = (size_t)i * 7, at = begin + bit / 8;
        unsigned low = at < octets->len ? octets->data[at] : 0;
        unsigned high = at + 1 < octets->len ? octets->data[at + 1] : 0;
        unsigned septet = (low | high << 8) >> (bit % 8) & 0x7F;
        if (!is_escaped && septet == ESCAPE) {
            is_escaped = true;
            continue;
        }
        put_character(&to, ret_text + PDU_TEXT_MAX - 1,
                      is_escaped && septet == 0x65 ? 0x20AC : letters[septet]);
        is_escaped = false;
    }
    *to = '\0';
}

/* Returns the octets of the header, its length octet included. */
static size_t read_header(struct octets *octets, struct pdu_submit *submit)
{
    size_t begin = octets->at, end = begin + 1 + take(octets);

    while (octets->at + 2 <= end && end <= octets->len) {
        unsigned element = take(octets), len = take(octets);
        size_t next = octets->at + len;
        if (element == CONCATENATED && len == 3) {
            submit->group = take(octets);
            submit->parts = take(octets);
            submit->part = take(octets);
        }
        octets->at = next;
    }
    octets->at = end;
    return end - begin;
}

bool pdu_read_submit(struct str hex, struct pdu_submit *ret_submit)
{
    struct octets octets;
    struct pdu_submit submit = {.part = 1, .parts = 1};

    if (!read_hex(hex, &octets)) return false;
    octets.at = 1 + (size_t)take(&octets);
    unsigned first = take(&octets);
    take(&octets); /* TP-MR, which the modem chooses */
    if ((first & SUBMIT_MASK) != SUBMIT || !take_number(&octets, submit.recipient)) return false;
    take(&octets); /* TP-PID */
    unsigned coding = take(&octets);
    unsigned validity = first & VALIDITY_MASK;
    if (validity) octets.at += validity == VALIDITY_RELATIVE ? 1 : 7;
    unsigned len = take(&octets);
    size_t begin = octets.at;
    submit.wants_report = first & WANTS_REPORT;
    size_t header = first & HAS_HEADER ? read_header(&octets, &submit) : 0;
    bool is_ucs2 = (coding & 0x0C) == 0x08;
    size_t octet_count = is_ucs2 ? len : (len * 7 + 7) / 8;
    if (begin + octet_count != octets.len) return false;
    if (is_ucs2)
        read_ucs2(&octets, octets.len, submit.text);
    else
        read_septets(&octets, begin, len, (unsigned)(header * 8 + 6) / 7, submit.text);
    *ret_submit = submit;
    return true;
}

/* Digits travel in pairs, the first in the lower half. */
static void put_pair(struct buf *out, unsigned tens, unsigned ones)
{
    buf_printf(out, "%X%X", ones, tens);
}

static void put_time(struct buf *out)
{
    time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    const int values[] = {parts.tm_year % 100, parts.tm_mon + 1, parts.tm_mday,
                          parts.tm_hour,       parts.tm_min,     parts.tm_sec};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_pair(out, (unsigned)values[i] / 10, (unsigned)values[i] % 10);
    buf_text(out, "00"); /* UTC */
}

size_t pdu_write_report(struct buf *out, unsigned reference, const char *recipient, unsigned status)
{
    bool is_international = recipient[0] == '+';
    const char *digits = recipient + is_international;
    size_t count = strlen(digits), start = out->len;

    buf_printf(out, "0006%02X%02X%s", reference & 0xFF, (unsigned)count,
               is_international ? "91" : "81");
    for (size_t i = 0; i < count; i += 2) {
        unsigned second = i + 1 < count ? (unsigned)(digits[i + 1] - '0') : 0xF;
        put_pair(out, (unsigned)(digits[i] - '0'), second);
    }
    put_time(out); /* when the service centre took it */
    put_time(out); /* when it was delivered */
    buf_printf(out, "%02X", status);
    return (out->len - start) / 2 - 1;
}
