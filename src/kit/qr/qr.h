/*
 * A QR code (ISO/IEC 18004) shows a short text, such as a link, to a camera: as an SVG image, or as
 * lines for a terminal. libqrencode makes the symbol; it has error correction of level M and around
 * it the four light modules that readers want.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

enum { QR_TEXT_MAX = 1000, QR_SVG_MAX = 256 * 1024, QR_TERMINAL_MAX = 128 * 1024 };

/* Adds the symbol of a text of 1 to QR_TEXT_MAX bytes as one <svg> element, black on white, which
 * grows to whatever holds it. ERR_VALIDATION: the text is empty or too long. */
enum err qr_svg(const char *text, struct buf *out) MUST_CHECK;
/* Adds the same as lines of half blocks, two rows of modules to a line. The colours are set, so
 * that it is dark on light in every terminal. ERR_VALIDATION, as above. */
enum err qr_terminal(const char *text, struct buf *out) MUST_CHECK;
