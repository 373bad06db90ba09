/* A symbol is a square of modules; the lowest bit of each tells whether it is dark. */
#include "kit/qr/qr.h"

#include <qrencode.h>
#include <string.h>

enum {
    SMALLEST_VERSION = 0, /* libqrencode finds the smallest that holds the text */
    MARGIN = 4,           /* light modules on each side */
};

#define BLACK_ON_WHITE "\033[30;107m"
#define AS_BEFORE      "\033[0m"

static void free_symbol(QRcode **symbol)
{
    QRcode_free(*symbol);
}
#define AUTO_SYMBOL __attribute__((cleanup(free_symbol))) QRcode *

static enum err make_symbol(const char *text, QRcode **ret_symbol)
{
    size_t len = strlen(text);
    if (len == 0 || len > QR_TEXT_MAX) return ERR_VALIDATION;
    *ret_symbol =
        QRcode_encodeData((int)len, (const unsigned char *)text, SMALLEST_VERSION, QR_ECLEVEL_M);
    return *ret_symbol ? ERR_OK : ERR_VALIDATION;
}

/* Modules of the margin are light. */
static bool is_dark(const QRcode *symbol, int x, int y)
{
    if (x < 0 || y < 0 || x >= symbol->width || y >= symbol->width) return false;
    return symbol->data[y * symbol->width + x] & 1;
}

/* A run of dark modules in a row is one rectangle of the path. */
static void put_row(const QRcode *symbol, int y, struct buf *out)
{
    for (int x = 0; x < symbol->width; x++) {
        int begin = x;
        while (is_dark(symbol, x, y))
            x++;
        if (x > begin)
            buf_printf(out, "M%d %dh%dv1h-%dz", begin + MARGIN, y + MARGIN, x - begin, x - begin);
    }
}

enum err qr_svg(const char *text, struct buf *out)
{
    AUTO_SYMBOL symbol = NULL;
    enum err err = make_symbol(text, &symbol);
    if (err) return err;
    int side = symbol->width + 2 * MARGIN;

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
               " shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h%dv%dH0z\"/>"
               "<path d=\"",
               side, side, side, side);
    for (int y = 0; y < symbol->width; y++)
        put_row(symbol, y, out);
    buf_text(out, "\"/></svg>");
    return ERR_OK;
}

/* A character shows two modules, one above the other. */
static const char *block(bool has_upper, bool has_lower)
{
    if (has_upper) return has_lower ? "\u2588" : "\u2580";
    return has_lower ? "\u2584" : " ";
}

enum err qr_terminal(const char *text, struct buf *out)
{
    AUTO_SYMBOL symbol = NULL;
    enum err err = make_symbol(text, &symbol);
    if (err) return err;

    for (int y = -MARGIN; y < symbol->width + MARGIN; y += 2) {
        buf_text(out, BLACK_ON_WHITE);
        for (int x = -MARGIN; x < symbol->width + MARGIN; x++)
            buf_text(out, block(is_dark(symbol, x, y), is_dark(symbol, x, y + 1)));
        buf_text(out, AS_BEFORE "\n");
    }
    return ERR_OK;
}
