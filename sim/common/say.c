/* Lines of the form "12:30:05.123  +79160000001  what happened". */
#include "say.h"

#include "kit/base/clock.h"
#include "kit/json/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 16384, QUOTED_MAX = 12288 };

void say(const char *number, const char *format, ...)
{
    char at[CLOCK_TEXT_LEN + 1];
    char line[LINE_MAX_BYTES];
    va_list arguments;

    clock_format(clock_now_ms(), at);
    int head = snprintf(line, sizeof line, "%.12s  %-12s  ", at + 11, number ? number : "phone");
    va_start(arguments, format);
    int tail = vsnprintf(line + head, sizeof line - (size_t)head, format, arguments);
    va_end(arguments);

    size_t len = (size_t)head + (size_t)tail;
    if (len > sizeof line - 2) len = sizeof line - 2;
    line[len++] = '\n';
    /* One write a line: lines of several phones on one terminal do not mix. A watcher that has
     * gone away is no reason to stop. */
    if (write(STDOUT_FILENO, line, len) < 0) return;
}

char *say_quote(struct str text)
{
    struct buf quoted;
    struct json_writer writer;

    buf_init(&quoted, QUOTED_MAX);
    json_writer_init(&writer, &quoted);
    json_str(&writer, text);
    buf_char(&quoted, '\0');
    if (!quoted.is_full) return quoted.data;
    buf_clear(&quoted);
    buf_append(&quoted, "(too long)", sizeof "(too long)");
    return quoted.data;
}
