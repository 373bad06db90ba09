/* Signals come first, since no thread may have started by then. */
#include "main.h"

#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "stop.h"

#include <curl/curl.h>
#include <stdio.h>
#include <unistd.h>

int sim_main(const char *program, enum options_verdict verdict,
             int (*run)(const struct options *options, int stop_fd), const struct options *options)
{
    must_have_streams();
    if (verdict != OPTIONS_RUN) return verdict == OPTIONS_HELP ? 0 : 2;

    int stop_fd = stop_open();
    if (stop_fd < 0 || !secret_system_init() || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fprintf(stderr, "%s: the system does not give what it needs to start\n", program);
        return 1;
    }
    int status = run(options, stop_fd);
    curl_global_cleanup();
    close(stop_fd);
    return status;
}
