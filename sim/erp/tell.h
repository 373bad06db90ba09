/* The ERP tells its watcher what happens: a line a happening on the terminal, and one of JSON in
 * the report, each written at once. */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum happening_kind {
    HAPPENED_TOKEN, /* one was asked for */
    HAPPENED_POST,  /* an attempt of a package ended */
    HAPPENED_WAIT,  /* until the next attempt */
    HAPPENED_STATE, /* of a package: it is another than before */
    HAPPENED_STOP,  /* the diagnostic of doc B, section 6 */
    HAPPENED_SUM,   /* of many sends */
};

struct happening {
    enum happening_kind kind;
    const char *event_id; /* NULL: of none */
    int64_t attempt;      /* from 1; 0: does not apply, as below */
    long http_status;     /* 0: no answer */
    const char *outcome;  /* the word of an answer or a state; why there is none */
    int64_t us;           /* how long it took: of a state, since the first attempt began */
    int64_t server_ms;    /* of a state: by the service's own clock; -1: it does not say */
    size_t bytes;         /* of the body */
    int64_t wait_ms;
    struct str detail; /* JSON of the service: a result, faults; empty: none */
};

struct teller {
    int report_fd; /* -1: no report */
};

/* `path` NULL: no report. False: the file cannot be opened. */
bool teller_init(struct teller *teller, const char *path);
void teller_done(struct teller *teller);
/* From any thread. */
void tell(const struct teller *teller, const struct happening *happening);
