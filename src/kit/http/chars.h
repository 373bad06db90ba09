/* Each part of a request head may hold only bytes of its kind (RFC 9110 and 9112, RFC 3986). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum http_char {
    HTTP_CHAR_TOKEN = 1,  /* tchar: methods and header names */
    HTTP_CHAR_VALUE = 2,  /* header values: visible, space, tab, and bytes from 0x80 on */
    HTTP_CHAR_TARGET = 4, /* visible but '#': browsers send more than RFC 3986 grants to queries */
    HTTP_CHAR_HOST = 8,   /* registered names and IPv4; no comma, which would make a list */
    HTTP_CHAR_HEX = 16,
};

extern const uint8_t http_chars[256];

static inline bool http_char_is(char c, enum http_char kind)
{
    return (http_chars[(unsigned char)c] & kind) != 0;
}
