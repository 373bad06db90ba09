/*
 * Simulated GSM modems for ModemManager in its test mode: each listens on an abstract socket, which
 * Test.SetProfile hands to ModemManager in place of a serial port. All there is to know:
 * modem --help.
 */
#include "control.h"
#include "events.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "sim/common/print.h"
#include "sim/common/stop.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MODEMS_MAX = 64, INPUT_MAX = 4096 };

struct settings {
    const char *name;
    long long count;
    const char *number;
    bool is_locked, has_no_voice;
};

struct input {
    char text[INPUT_MAX];
    size_t len;
    bool is_over;
};

static void print_help(void)
{
    print_text(
        "modem - simulated GSM modems for ModemManager\n"
        "\n"
        "  modem --name NAME [--count N] [--number +7...] [--locked] [--no-voice]\n"
        "\n"
        "Modem I listens on the abstract socket abstract:NAMEI. Its IMEI is 86000000000 and four "
        "digits of I, its ICCID 897010000000000 and five. --number is that of modem 0, by one more "
        "for each; without it the SIMs do not know their numbers. --locked: SIMs ask for a PIN. "
        "Events go to stdout, a line of JSON each. Lines of stdin say what to do:\n"
        "\n");
    control_help();
}

static bool read_settings(int argc, char **argv, struct settings *settings)
{
    static const struct option known[] = {{"name", required_argument, NULL, 'n'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"number", required_argument, NULL, 'u'},
                                          {"locked", no_argument, NULL, 'l'},
                                          {"no-voice", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'h') print_help();
        if (letter == 'h') exit(0);
        if (letter == 'n') settings->name = optarg;
        if (letter == 'u') settings->number = optarg;
        if (letter == 'l') settings->is_locked = true;
        if (letter == 'v') settings->has_no_voice = true;
        if (letter == 'c' && !str_to_int64(str_of(optarg), &settings->count)) return false;
        if (letter == '?') return false;
    }
    return settings->name && strlen(settings->name) < 32 && optind == argc &&
           settings->count >= 1 && settings->count <= MODEMS_MAX;
}

static char *number_of(const char *first, int index)
{
    char text[24];
    long long digits;

    if (!first || !str_to_int64(str_of(first + 1), &digits)) return NULL;
    snprintf(text, sizeof text, "+%lld", digits + index);
    return strdup(text);
}

static bool make(struct modem *modem, int index, const struct settings *settings)
{
    *modem = (struct modem){.index = index,
                            .number = number_of(settings->number, index),
                            .listener = -1,
                            .connection = -1,
                            .reports = true,
                            .has_voice = !settings->has_no_voice,
                            .is_locked = settings->is_locked,
                            .registration = 1};
    snprintf(modem->socket_name, sizeof modem->socket_name, "abstract:%s%d", settings->name, index);
    snprintf(modem->imei, sizeof modem->imei, "86000000000%04d", index);
    snprintf(modem->iccid, sizeof modem->iccid, "897010000000000%05d", index);
    snprintf(modem->imsi, sizeof modem->imsi, "25001000000%04d", index);
    return modem_plug(modem);
}

/* Lines that came whole; the rest waits. */
static void read_input(struct input *input, struct fleet *fleet)
{
    ssize_t len = read(STDIN_FILENO, input->text + input->len, INPUT_MAX - input->len);
    char *end;

    if (len <= 0) input->is_over = true;
    if (len <= 0) return;
    input->len += (size_t)len;
    while ((end = memchr(input->text, '\n', input->len))) {
        *end = '\0';
        control_take(fleet, input->text, clock_monotonic_ms());
        size_t taken = (size_t)(end + 1 - input->text);
        input->len -= taken;
        memmove(input->text, end + 1, input->len);
    }
    if (input->len == INPUT_MAX) input->len = 0; /* no command is so long */
}

static int wait_ms(const struct fleet *fleet)
{
    int64_t due_ms = INT64_MAX;

    for (int i = 0; i < fleet->count; i++) {
        int64_t its_ms = modem_due_ms(&fleet->modems[i]);
        if (its_ms < due_ms) due_ms = its_ms;
    }
    if (due_ms == INT64_MAX) return -1;
    int64_t left_ms = due_ms - clock_monotonic_ms();
    return left_ms <= 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

/* One round; false: it is to stop. */
static bool turn(struct fleet *fleet, struct input *input, int stop_fd)
{
    struct pollfd fds[2 + 2 * MODEMS_MAX] = {
        {.fd = stop_fd, .events = POLLIN},
        {.fd = input->is_over ? -1 : STDIN_FILENO, .events = POLLIN}};

    for (int i = 0; i < fleet->count; i++) {
        fds[2 + 2 * i] = (struct pollfd){.fd = fleet->modems[i].listener, .events = POLLIN};
        fds[3 + 2 * i] = (struct pollfd){.fd = fleet->modems[i].connection, .events = POLLIN};
    }
    if (poll(fds, 2 + 2 * (nfds_t)fleet->count, wait_ms(fleet)) < 0 && errno != EINTR) return false;
    if (fds[0].revents) return false;
    for (int i = 0; i < fleet->count; i++) {
        struct modem *modem = &fleet->modems[i];
        if (fds[3 + 2 * i].revents) modem_read(modem, clock_monotonic_ms());
        if (fds[2 + 2 * i].revents && modem->listener >= 0) modem_accept(modem);
        modem_tick(modem, clock_monotonic_ms());
    }
    if (fds[1].revents) read_input(input, fleet);
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.count = 1};
    struct input input = {0};
    static struct modem modems[MODEMS_MAX];
    struct fleet fleet = {.modems = modems};

    must_have_streams();
    if (!read_settings(argc, argv, &settings)) {
        fputs("modem: the command line is not understood. See modem --help.\n", stderr);
        return 2;
    }
    int stop_fd = stop_open();
    for (; stop_fd >= 0 && fleet.count < settings.count; fleet.count++)
        if (!make(&modems[fleet.count], fleet.count, &settings)) break;
    bool is_ready = fleet.count == settings.count;
    if (is_ready)
        event_tell("ready", -1, NULL);
    else
        fputs("modem: a socket of that name is taken, or the system has none left.\n", stderr);
    while (is_ready && turn(&fleet, &input, stop_fd))
        continue;
    for (int i = 0; i < fleet.count; i++) {
        modem_done(&modems[i]);
        free((char *)modems[i].number);
    }
    return is_ready ? 0 : 1;
}
