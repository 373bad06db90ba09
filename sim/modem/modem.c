/* The port of a modem, and what it says unasked. */
#include "modem.h"

#include "events.h"
#include "kit/base/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { RING_MS = 3000, CTRL_Z = 0x1A, ESCAPE = 0x1B };

const char *const modem_deed_words[] = {"send",        "refuse",     "silence", "mute",
                                        "drop-before", "drop-after", NULL};

/* The name of an abstract socket begins with a NUL. */
static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) return -1;
    memcpy(address.sun_path + 1, name, len);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
    if (bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 4) == 0) return fd;
    close(fd);
    return -1;
}

bool modem_plug(struct modem *modem)
{
    if (modem->listener >= 0) return true;
    modem->listener = listen_at(modem->socket_name);
    if (modem->listener >= 0) event_tell("plugged", modem->index, NULL);
    return modem->listener >= 0;
}

static void hang_up_port(struct modem *modem)
{
    if (modem->connection >= 0) close(modem->connection);
    modem->connection = -1;
    modem->line_len = 0;
    modem->has_prompted = false;
    modem->answer_ms = 0;
}

void modem_unplug(struct modem *modem)
{
    if (modem->listener < 0) return;
    hang_up_port(modem);
    close(modem->listener);
    modem->listener = -1;
    modem->ring_ms = 0;
    event_tell("unplugged", modem->index, NULL);
}

void modem_done(struct modem *modem)
{
    hang_up_port(modem);
    if (modem->listener >= 0) close(modem->listener);
    send_done(modem);
}

void modem_say(struct modem *modem, const char *format, ...)
{
    char text[MODEM_LINE_MAX];
    va_list arguments;

    if (modem->connection < 0) return;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* A port that takes nothing more is one that was closed, which the next read finds. */
    if (send(modem->connection, text, (size_t)len, MSG_NOSIGNAL) < 0) return;
}

/* ModemManager opens the port anew after a start; the older connection is over. */
void modem_accept(struct modem *modem)
{
    int fd = accept4(modem->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) return;
    hang_up_port(modem);
    modem->connection = fd;
}

static void take_line(struct modem *modem)
{
    struct str line = str_trim((struct str){modem->line, modem->line_len});
    char command[MODEM_LINE_MAX];

    modem->line_len = 0;
    if (line.len < 2 || strncmp(line.data, "AT", 2) != 0) return;
    snprintf(command, sizeof command, "%.*s", (int)line.len - 2, line.data + 2);
    at_answer(modem, command);
}

static void take_byte(struct modem *modem, char byte, int64_t now_ms)
{
    if (modem->has_prompted && (byte == CTRL_Z || byte == ESCAPE)) {
        struct str hex = str_trim((struct str){modem->line, modem->line_len});
        modem->has_prompted = false;
        modem->line_len = 0;
        if (byte == CTRL_Z) send_take(modem, hex, now_ms);
        return;
    }
    if (byte == '\r' || byte == '\n') {
        if (!modem->has_prompted) take_line(modem);
        return; /* before a PDU, the end of its command */
    }
    if (modem->line_len < sizeof modem->line - 1) modem->line[modem->line_len++] = byte;
}

void modem_read(struct modem *modem, int64_t now_ms)
{
    char bytes[1024];
    ssize_t len = recv(modem->connection, bytes, sizeof bytes, 0);

    if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR)) hang_up_port(modem);
    for (ssize_t i = 0; i < len && modem->connection >= 0; i++)
        take_byte(modem, bytes[i], now_ms);
}

void modem_ring(struct modem *modem, const char *caller, unsigned rings, int64_t now_ms)
{
    snprintf(modem->caller, sizeof modem->caller, "%s", caller);
    modem->rings = rings;
    modem->ring_ms = now_ms;
}

void modem_register(struct modem *modem, unsigned registration)
{
    modem->registration = registration;
    modem_say(modem, "\r\n+CREG: %u,\"0001\",\"00000001\"\r\n", registration);
    modem_say(modem, "\r\n+CGREG: %u,\"0001\",\"00000001\"\r\n", registration);
}

static void ring(struct modem *modem, int64_t now_ms)
{
    if (modem->rings == 0) {
        modem->ring_ms = 0;
        modem_say(modem, "\r\nNO CARRIER\r\n");
        event_tell("call ended", modem->index, NULL);
        return;
    }
    modem->rings--;
    modem->ring_ms = now_ms + RING_MS;
    modem_say(modem, "\r\nRING\r\n");
    modem_say(modem,
              modem->caller[0] ? "\r\n+CLIP: \"%s\",145,,,,0\r\n"
                               : "\r\n+CLIP: \"%s\",128,,,,1\r\n",
              modem->caller);
}

void modem_tick(struct modem *modem, int64_t now_ms)
{
    if (modem->ring_ms && modem->ring_ms <= now_ms) ring(modem, now_ms);
    send_tick(modem, now_ms);
}

int64_t modem_due_ms(const struct modem *modem)
{
    int64_t due_ms = INT64_MAX;

    if (modem->ring_ms) due_ms = modem->ring_ms;
    if (modem->answer_ms && modem->answer_ms < due_ms) due_ms = modem->answer_ms;
    for (size_t i = 0; i < modem->report_count; i++)
        if (modem->report_queue[i].due_ms < due_ms) due_ms = modem->report_queue[i].due_ms;
    return due_ms;
}
