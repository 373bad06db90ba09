/* The program of a simulator begins and ends here. */
#pragma once

struct options; /* each simulator has its own */

enum options_verdict {
    OPTIONS_RUN,
    OPTIONS_HELP,  /* the help was printed: exit 0 */
    OPTIONS_WRONG, /* a sentence went to stderr: exit 2 */
};

/* Runs the simulator if its command line says so: with random numbers, libcurl, and a descriptor
 * that is readable as soon as it is to stop (stop.h). Returns the exit status: what `run` returns,
 * or 1 after a sentence on stderr if the system does not give what it takes. */
int sim_main(const char *program, enum options_verdict verdict,
             int (*run)(const struct options *options, int stop_fd), const struct options *options);
