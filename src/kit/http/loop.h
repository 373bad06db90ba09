/*
 * An event loop and its thread accept connections, own them, keep the time, and run functions that
 * other threads post. Everything here but the mailbox and the counter belongs to that thread.
 */
#pragma once

#include "kit/http/address.h"
#include "kit/http/admission.h"
#include "kit/http/deadline.h"
#include "kit/http/mailbox.h"
#include "kit/http/server.h"
#include "kit/http/tls.h"

#include <stdatomic.h>
#include <uv.h>

enum {
    HTTP_READ_BUFFER = 64 * 1024, /* shared by all connections of a loop */
    HTTP_DATE_LEN = sizeof("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n") - 1,
    HTTP_HEADERS_LIMIT = 1000, /* the most that http_limits.headers_max may ask for */
    HTTP_LOOPS_MAX = 64,
};

enum http_deadline_kind {
    HTTP_DEADLINE_IDLE,
    HTTP_DEADLINE_HEAD,
    HTTP_DEADLINE_LINGER,
    HTTP_DEADLINE_BODY_GRACE,
    HTTP_DEADLINE_BODY_RATE, /* the rate is checked again and again after the grace */
    HTTP_DEADLINE_WRITE,
    HTTP_DEADLINE_EXCESS, /* a connection without a place has no more time than this */
    HTTP_DEADLINE_COUNT,
};

/* A connection that waits for one of these can be spared for a new one, in this order; within a
 * kind the one that has waited for longest (contract, section 7 "Connections make room"). */
enum http_spare {
    HTTP_SPARE_IDLE,   /* a request */
    HTTP_SPARE_HEAD,   /* the rest of a head */
    HTTP_SPARE_LINGER, /* the end of what its peer sends; all is answered */
    HTTP_SPARE_BODY, /* a body without a right key before it, or one that is not wanted any more */
    HTTP_SPARE_ANSWER, /* the peer, to take bytes of its answer */
    HTTP_SPARE_STREAM, /* the peer, to take bytes of a stream */
    HTTP_SPARE_KINDS,  /* none of these, so it stays */
};

struct http_connection;

/* A listening socket of a loop. */
struct http_listener {
    struct http_loop *loop;
    uv_poll_t poll;
    int fd;    /* -1 once closed */
    int index; /* of its address in the list of the server */
    bool is_tls;
};

/* Room in which the records of one connection after the other are opened and sealed. */
struct http_tls_room {
    char opened[TLS_RECORD_MAX];   /* the last record that came */
    char gathered[TLS_RECORD_MAX]; /* parts of an answer that go into one record */
    struct buf sealed;             /* records that leave next; empty between two connections */
};

struct http_loop {
    struct http_server *server;
    int index;
    pthread_t thread;

    uv_loop_t uv;
    uv_async_t wake;          /* does not keep the loop running */
    uv_check_t iteration_end; /* likewise; it counts the iterations */
    uint64_t iteration;       /* from 1; one is a wait for sockets and all work after it */
    uv_timer_t timer;         /* runs while the loop has connections, or is to stop */
    bool is_accept_paused;    /* out of descriptors, until the next tick */
    bool is_ticking;
    bool is_stopping;
    bool is_over;   /* it has stopped, and its last connection is gone */
    int64_t cut_ms; /* when stopping, requests that still run then are cut */

    struct http_listener listeners[HTTP_LISTENERS_MAX];
    int listener_count;
    struct http_tls_room *tls_room;
    int64_t handshake_us; /* spent on handshakes in this iteration */

    struct http_mailbox mailbox;
    struct http_tasks tasks; /* tasks from the mailbox that are being run */

    struct http_connection *connections;             /* all of them, linked both ways */
    struct http_connection *touched;                 /* those that wait for http_loop_advance */
    struct http_connection *first_turn, **turns_end; /* those that wait for their turn */
    uv_idle_t
        turns; /* keeps the loop from waiting while there are such; does not keep it running */
    atomic_int connection_count; /* includes those on their way from another loop */
    int excess_count;            /* connections without a place */
    int replaced_count;          /* connections closed for others in this round of accepting */
    int64_t crowd_told_ms;       /* the log last said then that places are taken */
    uint64_t opened_count;       /* all connections so far; makes their numbers */
    struct http_deadlines deadlines[HTTP_DEADLINE_COUNT];
    struct http_deadlines
        spares[HTTP_SPARE_KINDS]; /* these never end; they say since when each waits */
    /* Tells the other loops, after each round of work, since when the first connection of each kind
     * waits; INT64_MAX: there is none. */
    _Atomic int64_t spare_since_ms[HTTP_SPARE_KINDS];

    struct http_field *fields; /* room for one head, while it is parsed */
    struct buf head;           /* room for the head of an answer */
    time_t date_second;
    char date[HTTP_DATE_LEN + 1]; /* the whole header line */
    char *read_buffer;
};

/* An address that is listened on, with a socket for each loop. */
struct http_bound {
    int sockets[HTTP_LOOPS_MAX];
    char address[HTTP_LISTEN_LEN];
    bool is_tls;
};

struct http_server {
    struct http_limits limits;
    struct http_handler handler;
    int loop_count;
    struct http_loop *loops;
    bool is_running;
    int stop_grace_ms;       /* set before the loops are told to stop */
    atomic_int moving_count; /* connections on their way to a place in another loop */
    struct http_admission admission;
    struct tls *tls; /* NULL: there is no certificate */
    struct http_bound bound[HTTP_LISTENERS_MAX];
    int bound_count;
};

/* Sets the loop up around a listening socket of each address of the server, which it owns after
 * success. It does not run yet. Returns ERR_INTERNAL if the system has no descriptors left. */
enum err http_loop_init(struct http_loop *loop, struct http_server *server, int index) MUST_CHECK;
/* Ends the loop after its thread has ended or if it never ran. Runs tasks that were posted too
 * late. */
void http_loop_done(struct http_loop *loop);
/* Runs the loop in its thread until http_loop_stop is through. `loop` is a struct http_loop. */
void *http_loop_run(void *loop);

/* Runs a task soon. Any thread may call. */
void http_loop_post(struct http_loop *loop, struct http_task task);
/* Stops gracefully, within server->stop_grace_ms. It is run as a task; `loop` is a struct
 * http_loop. */
void http_loop_stop(void *loop);

/* Returns the connection that has been without a place for longest, or NULL. */
struct http_connection *http_loop_first_excess(const struct http_loop *loop);
/* Returns the connection of this kind that has waited for longest, or NULL. */
struct http_connection *http_loop_first_spare(const struct http_loop *loop, enum http_spare kind);
/* Tells the other loops how long connections wait that can be spared. */
void http_loop_publish(struct http_loop *loop);
/* Brings all touched connections forward. Every entry into the loop's code ends with it. Requests
 * end here and nowhere else, so no handler is called from inside an http_ function. */
void http_loop_advance(struct http_loop *loop);
/* Lets a connection whose next request has come before its last answer had left wait for its turn.
 * So peers that send many requests in one piece hold up nobody else. */
void http_loop_await_turn(struct http_loop *loop, struct http_connection *c);
/* Returns the time, in the loop's coarse monotonic milliseconds. */
int64_t http_loop_now(const struct http_loop *loop);
/* Starts the timer where there is something to time, and stops it where there is nothing. */
void http_loop_update_timer(struct http_loop *loop);
/* Returns the Date header line, which is made once a second. */
struct str http_loop_date(struct http_loop *loop);

/* accept.c takes connections off the listening sockets and gives them to the loop with the fewest,
 * or to one where another connection goes for them. */
void http_accept_start(struct http_loop *loop);
void http_accept_resume(struct http_loop *loop);
void http_accept_stop(struct http_loop *loop);
