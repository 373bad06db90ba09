/* The air interface of a phone without a SIM. */
#include "sms.h"

#include "kit/base/clock.h"
#include "kit/json/writer.h"
#include "say.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SMS_LINE_MAX = 16384 };

static void write_line(const struct sms_task *task, struct buf *line)
{
    struct json_writer json;
    char now[CLOCK_TEXT_LEN + 1];

    clock_format(clock_now_ms(), now);
    json_writer_init(&json, line);
    json_object_begin(&json);
    json_put_text(&json, "sent_at", now);
    json_put_text(&json, "task_id", task->id);
    json_put_text(&json, "gateway_number", task->gateway_number);
    json_put_text(&json, "recipient", task->recipient);
    json_put_text(&json, "text", task->text);
    json_put_int(&json, "attempt", task->attempt);
    json_object_end(&json);
    buf_char(line, '\n');
}

/* One write in append mode: phones that share a file do not mix their lines. */
static bool append(const struct sms_task *task, const char *path)
{
    AUTO_BUF line;

    buf_init(&line, SMS_LINE_MAX);
    write_line(task, &line);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_whole = !line.is_full && write(file, line.data, line.len) == (ssize_t)line.len;
    return close(file) == 0 && is_whole;
}

bool sms_send(const struct sms_task *task, const char *path)
{
    if (path && !append(task, path)) return false;

    char *text = say_quote(str_of(task->text));
    say(task->gateway_number, "SMS to %s: %s", task->recipient, text);
    free(text);
    return true;
}
