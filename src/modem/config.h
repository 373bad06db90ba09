/*
 * The file of herald-modem: KEY=value lines, as herald's own. It says where herald is, by which
 * keys herald knows the modems, and which SIM has which number (contract, section 15.4).
 */
#pragma once

#include "kit/base/arena.h"

enum {
    CONFIG_KEYS_MAX = 8, /* a key has 8 numbers at most, so 8 keys serve 64 SIMs */
    CONFIG_SIMS_MAX = 64,
    CONFIG_NUMBER_SIZE = 20,
};

/* A SIM by its ICCID, or a modem by its IMEI, and the number that it has. */
struct config_sim {
    const char *name; /* the digits */
    const char *number;
    size_t key; /* which of the keys, from 0 on */
};

struct config {
    const char *url; /* herald's, without a slash at its end */
    const char *ca_file;
    const char *state_dir;
    const char *keys[CONFIG_KEYS_MAX]; /* NULL: not given */
    struct config_sim sims[CONFIG_SIMS_MAX];
    size_t sim_count;
    long long poll_seconds;
};

/* Reads the file into the arena. False: `ret_fault` says which line is wrong and what it should
 * be. */
bool config_read(const char *path, struct arena *arena, struct config *ret_config,
                 const char **ret_fault);
/* Finds the row of a SIM by its ICCID, else by the IMEI of its modem; NULL: there is none. */
const struct config_sim *config_find(const struct config *config, const char *iccid,
                                     const char *imei);
/* Tells whether it is a number in the form +79161234567. */
bool config_is_number(const char *text);
