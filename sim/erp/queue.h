/*
 * The queue of the ERP (doc B, section 6): a folder with two files a package, its body, which
 * never changes, and what is known of it. Both are on the disk before the package is first sent,
 * and go when it was applied.
 */
#pragma once

#include "body.h"

enum package_state {
    PACKAGE_QUEUED,  /* not known to be delivered */
    PACKAGE_SENT,    /* 202; to be watched until it is applied */
    PACKAGE_REFUSED, /* not sent again by itself */
    PACKAGE_APPLIED, /* its files are gone */
};

struct package {
    int64_t number; /* of the files; in the order of sending */
    const char *event_id;
    int type;  /* enum package_type */
    int state; /* enum package_state */
};

struct queue;

/* Makes the folder if it is missing and holds it against other processes. NULL: `ret_problem` is a
 * sentence. */
struct queue *queue_open(const char *path, const char **ret_problem);
void queue_close(struct queue *queue);

size_t queue_count(const struct queue *queue);
/* In the order of sending; valid until the queue is closed. */
struct package *queue_at(const struct queue *queue, size_t index);

/* False: the disk does not take it. */
bool queue_put(struct queue *queue, enum package_type type, const char *event_id, struct str body)
    __attribute__((warn_unused_result));
/* From any thread. */
bool queue_mark(struct queue *queue, struct package *package, enum package_state state)
    __attribute__((warn_unused_result));
/* It was applied: its files go; the package stays readable until the queue is closed. */
void queue_drop(struct queue *queue, struct package *package);

/* The bytes of a body, in memory that the system can take back. False: the file is not readable. */
bool queue_map_body(const struct queue *queue, const struct package *package, struct str *ret_body);
void queue_unmap_body(struct str body);
