/* A simulated phone of herald's fleet. What it does and can be told: phone --help. */
#include "call.h"
#include "http.h"
#include "options.h"
#include "poller.h"

#include <stdio.h>

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

static int run(const struct options *options, int stop_fd)
{
    char key[KEY_MAX];

    if (!read_key(options, key)) {
        fprintf(stderr, "phone: the key cannot be read\n");
        return 2;
    }
    struct http *http = http_new(options->url, key, stop_fd);
    if (!http) {
        fprintf(stderr, "phone: the system does not give what it needs to start\n");
        return 1;
    }
    int status = options->caller ? call_run(options, http) : poller_run(options, http, stop_fd);
    http_free(http);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict = options_parse(argc, argv, &options);

    return sim_main("phone", verdict, run, &options);
}
