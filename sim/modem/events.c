/* One write a line: a test that reads them sees no half. */
#include "events.h"

#include "kit/base/clock.h"
#include "kit/json/writer.h"

#include <unistd.h>

enum { LINE_MAX_BYTES = 64 * 1024 };

void event_tell(const char *event, int modem, const struct event_pair *pairs)
{
    struct json_writer json;
    char at[CLOCK_TEXT_LEN + 1];
    AUTO_BUF line = {0};

    buf_init(&line, LINE_MAX_BYTES);
    json_writer_init(&json, &line);
    clock_format(clock_now_ms(), at);
    json_object_begin(&json);
    json_put_text(&json, "event", event);
    json_put_int(&json, "modem", modem);
    json_put_text(&json, "at", at);
    for (; pairs && pairs->name; pairs++)
        json_put_text(&json, pairs->name, pairs->value);
    json_object_end(&json);
    buf_char(&line, '\n');
    /* Whoever has gone away wants to hear no more. */
    if (write(STDOUT_FILENO, line.data, line.len) < 0) return;
}
