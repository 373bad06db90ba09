/* The air interface of a phone without a SIM and without messengers. */
#include "air.h"

#include "kit/base/clock.h"
#include "kit/json/writer.h"
#include "sim/common/say.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 65536 };

static const struct {
    const char *noun;
    const char *sender_name;
} kinds[] = {
    [SENDER_SIM] = {"SMS", "gateway_number"},
    [SENDER_ACCOUNT] = {"message", "account_id"},
};

static void write_line(struct sender sender, const struct task *task, struct buf *line)
{
    struct json_writer json;
    char now[CLOCK_TEXT_LEN + 1];

    clock_format(clock_now_ms(), now);
    json_writer_init(&json, line);
    json_object_begin(&json);
    json_put_text(&json, "sent_at", now);
    json_put_text(&json, "task_id", task->id);
    json_put_text(&json, kinds[sender.kind].sender_name, sender.name);
    json_put_text(&json, "recipient", task->recipient);
    json_put_text(&json, "text", task->text);
    json_put_int(&json, "attempt", task->attempt);
    json_object_end(&json);
    buf_char(line, '\n');
}

/* One write in append mode: phones that share a file do not mix their lines. */
static bool append(struct sender sender, const struct task *task, const char *path)
{
    AUTO_BUF line = {0};

    buf_init(&line, LINE_MAX_BYTES);
    write_line(sender, task, &line);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_whole = !line.is_full && write(file, line.data, line.len) == (ssize_t)line.len;
    return close(file) == 0 && is_whole;
}

bool air_send(struct sender sender, const struct task *task, const char *path)
{
    if (path && !append(sender, task, path)) return false;

    char *text = say_quote(str_of(task->text));
    say(sender.name, "%s to %s: %s", kinds[sender.kind].noun, task->recipient, text);
    free(text);
    return true;
}
