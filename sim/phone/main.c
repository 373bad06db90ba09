/* A simulated phone of herald's fleet. What it does and can be told: phone --help. */
#include "call.h"
#include "http.h"
#include "kit/base/secret.h"
#include "options.h"
#include "poller.h"
#include "sim/common/stop.h"

#include <curl/curl.h>
#include <stdio.h>
#include <unistd.h>

enum { KEY_MAX = 256 };

/* The key from the command line or the first line of its file. */
static bool read_key(const struct options *options, char ret_key[static KEY_MAX])
{
    if (options->key) return snprintf(ret_key, KEY_MAX, "%s", options->key) < KEY_MAX;

    FILE *file = fopen(options->key_file, "re");
    if (!file) return false;
    bool has_line = fgets(ret_key, KEY_MAX, file) != NULL;
    fclose(file);
    if (!has_line) return false;
    ret_key[strcspn(ret_key, "\r\n")] = '\0';
    return true;
}

static int run(const struct options *options)
{
    char key[KEY_MAX];

    if (!read_key(options, key)) {
        fprintf(stderr, "phone: the key cannot be read\n");
        return 2;
    }
    int stop_fd = stop_open();
    struct http *http = stop_fd >= 0 ? http_new(options->url, key, stop_fd) : NULL;
    if (!http) {
        fprintf(stderr, "phone: the system does not give what it needs to start\n");
        return 1;
    }
    int status = options->caller ? call_run(options, http) : poller_run(options, http, stop_fd);
    http_free(http);
    close(stop_fd);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;

    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_HELP:
        return 0;
    case OPTIONS_WRONG:
        return 2;
    case OPTIONS_RUN:
        break;
    }
    if (!secret_system_init() || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return 1;
    int status = run(&options);
    curl_global_cleanup();
    return status;
}
