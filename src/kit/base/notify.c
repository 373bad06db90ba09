/* sd_notify(3) and sd_watchdog_enabled(3) without libsystemd. */
#include "kit/base/notify.h"

#include "kit/base/str.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { SEND_MAX_S = 1, US_PER_MS = 1000 };

/* The socket is a file, or begins with @ and has no file (unix(7), "abstract"). Others, as of
 * virtual machines, are not spoken. */
static bool read_address(struct sockaddr_un *ret_address, socklen_t *ret_len)
{
    const char *name = getenv("NOTIFY_SOCKET");
    size_t len = name ? strlen(name) : 0;
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (len < 2 || len >= sizeof(address.sun_path) || (name[0] != '/' && name[0] != '@'))
        return false;
    memcpy(address.sun_path, name, len);
    if (name[0] == '@') address.sun_path[0] = '\0';
    *ret_address = address;
    *ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    return true;
}

bool notify_is_wanted(void)
{
    struct sockaddr_un address;
    socklen_t len;
    return read_address(&address, &len);
}

bool notify_send(const char *state)
{
    const struct timeval wait = {.tv_sec = SEND_MAX_S};
    struct sockaddr_un address;
    socklen_t len;

    if (!read_address(&address, &len)) return false;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    size_t size = strlen(state);
    ssize_t sent = sendto(fd, state, size, MSG_NOSIGNAL, (const struct sockaddr *)&address, len);
    close(fd);
    return sent == (ssize_t)size;
}

/* It may be meant for another process, of which this one has inherited the environment. */
static bool is_meant(const char *pid)
{
    long long number;
    return !pid || (str_to_int64(str_of(pid), &number) && number == getpid());
}

int64_t notify_watchdog_ms(void)
{
    const char *text = getenv("WATCHDOG_USEC");
    long long us;

    if (!text || !is_meant(getenv("WATCHDOG_PID"))) return 0;
    if (!str_to_int64(str_of(text), &us) || us < US_PER_MS) return 0;
    return us / US_PER_MS;
}
