/* The receiver. All but what is said to be otherwise is read and written under the lock of the
 * server. */
#pragma once

#include "options.h"
#include "sim/common/chance.h"
#include "sim/common/rules.h"
#include "sim/common/server.h"

enum { SECRETS_MAX = 8, SECRET_LEN_MAX = 100 };

struct sim {
    const struct options *options; /* never changes */
    struct server server;
    struct rules *rules; /* of struct behaviour_rule */
    struct chance chance;
    char secrets[SECRETS_MAX][SECRET_LEN_MAX + 1]; /* whsec_... */
    size_t secret_count;
};

/* front.c: the port */

struct http_handler front_handler(struct sim *sim);
/* Gives whatever waits its answer now. */
void front_flush(struct sim *sim);

/* verify.c: a word for what its headers make of a delivery, under the lock. */
extern const char *const verdict_words[]; /* NULL at the end */
const char *verify(const struct sim *sim, struct http_request *x, struct str body);

/* behaviours.c: how a delivery is answered */

enum behaviour_kind {
    BEHAVIOUR_OK,
    BEHAVIOUR_SLOW,
    BEHAVIOUR_CUT,
    BEHAVIOUR_CUT_WITHIN,
    BEHAVIOUR_WRONG,
    BEHAVIOUR_BUSY,
    BEHAVIOUR_REDIRECT,
    BEHAVIOUR_HUGE,
    BEHAVIOUR_GONE,
    BEHAVIOUR_FLAPPING,
    BEHAVIOUR_COUNT
};
extern const char *const behaviour_words[BEHAVIOUR_COUNT + 1]; /* NULL at the end */

struct behaviour {
    enum behaviour_kind kind;
    int http_status;
    int64_t wait_ms; /* before the answer; of flapping, how long it serves, and does not */
};

/* The behaviour of that kind as it is if nothing more is said. */
struct behaviour behaviour_standard(enum behaviour_kind kind);
/* Under the lock. False: there are too many. */
bool behaviours_add(struct sim *sim, const struct behaviour *behaviour, int64_t count);
/* Of the next delivery: what was told, or chance. Under the lock. */
struct behaviour behaviours_take(struct sim *sim, int64_t now_ms);
void behaviours_print(void);

/* control.c: ends with NULL */
extern const struct route *const control_routes[];
