/* A request gets its transaction here. */
#include "app/api/auth.h"
#include "app/api/counts.h"
#include "app/api/dispatch.h"
#include "app/api/parking.h"
#include "app/api/password_pool.h"
#include "app/api/phone_stream.h"
#include "app/api/waiter.h"
#include "app/setup/stores.h"
#include "core/audit.h"
#include "core/request.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

/* A repeat is answered with the original's status and the resource as it is now. */
static enum err handle_once(struct dispatch *ex)
{
    struct request *rq = &ex->rq;
    struct uuid original;
    bool is_replay;

    rq->resource_id = uuid_new(rq->work.now_ms);
    if (!ex->idem.family) return rq->route->handle(rq);
    enum err err = idem_take(rq->work.tx, &ex->idem, &rq->resource_id, &is_replay, &original);
    if (err) return err;
    if (!is_replay) return rq->route->handle(rq);
    rq->resource_id = original;
    rq->is_replayed = true;
    return rq->route->replay(rq);
}

static enum route_store choose_store(const struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    enum route_store store = route->choose_store ? route->choose_store(&ex->rq) : route->store;

    if (!ex->is_beside) return store;
    return store == STORE_VERIFICATION ? STORE_EXCHANGE : STORE_VERIFICATION;
}

static struct db *db_of(const struct dispatch *ex)
{
    return store_of(ex->api->service, choose_store(ex));
}

static bool begins_as_read(const struct dispatch *ex)
{
    const struct route *route = ex->rq.route;
    const struct body_taker *taker = route->taker;

    if (ex->rq.password) return !ex->rq.password->is_done;
    if (route->access != ACCESS_READ_FIRST) return route->access != ACCESS_WRITE;
    return taker ? !taker->is_clean(ex->rq.taken) : db_has_one_writer(db_of(ex));
}

static enum err run(struct work *work)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);
    const struct auth_way *way = auth_of(ex->rq.route);

    arena_rewind(&ex->arena, ex->mark);
    request_restart(&ex->rq, work->tx);
    if (ex->is_beside) return ex->rq.route->handle_beside(&ex->rq);
    ex->rq.faults = ex->decode_err ? ex->faults : NULL;
    enum err err = way->look_up ? way->look_up(ex) : ERR_OK;
    if (!err) err = ex->decode_err;
    if (!err && ex->has_turn && !begins_as_read(ex)) err = ERR_WRITE_NEEDED;
    if (!err) err = handle_once(ex);
    /* An operation says in its row what it leaves for the audit (contract, section 10.3). */
    assert(err || work_audits_only(work, ex->rq.route->action));
    return err;
}

static void open_phone_stream(struct dispatch *ex)
{
    ex->is_answered = true;
    http_vouch(ex->x, true);
    counts_add(ex->api->counts, &ex->api->routes, ex->rq.route, ex->rq.status, ERR_OK,
               ex->began_us);
    ex->phone_reader =
        phone_stream_open(ex->api->phone_stream, ex->x, &ex->device_id, ex->request_id);
}

/* The arena is freed with the answer on its way, since a slow reader may take long. */
static void deliver(struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    if (ex->rq.route->opens_phone_stream && !ex->err && !ex->rq.error && !http_is_closed(x))
        open_phone_stream(ex);
    else
        dispatch_answer(ex, ex->err);
    arena_done(&ex->arena);
    http_release(x);
}

/* The first run has said which password is to be hashed. */
static bool awaits_password(const struct dispatch *ex)
{
    const struct password_work *password = ex->rq.password;
    return password && password->password.data && !password->is_done;
}

/* Submits it once more, to the other store. What the first one has told stays in the arena. */
static enum err go_beside(struct dispatch *ex)
{
    ex->is_beside = true;
    ex->mark = arena_mark(&ex->arena);
    ex->rq.work.store = choose_store(ex);
    return db_submit(db_of(ex), &ex->rq.work.task);
}

static void end_turn(struct dispatch *ex)
{
    if (!ex->has_turn) return;
    ex->has_turn = false;
    throttle_begin_next(ex->api->throttle);
}

static void done(struct work *work, enum err err)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);

    end_turn(ex);
    if (err == ERR_WRITE_NEEDED && work->task.is_read) {
        work->task.is_read = false;
        err = db_submit(db_of(ex), &work->task);
        if (!err) return;
    }
    if (!err && ex->rq.route->handle_beside && !ex->is_beside) {
        err = go_beside(ex);
        if (!err) return;
    }
    ex->err = err;
    if (!err && awaits_password(ex)) {
        if (password_pool_add(ex->api->passwords, ex)) return;
        ex->err = err = ERR_OVERLOADED;
    }
    if (!err && ex->rq.wait_ms > 0 && parking_add(ex->api->parking, ex)) return;
    /* It has nothing to answer with, and nowhere to wait. */
    if (!err && ex->rq.wait_ms > 0 && ex->rq.status == 0) ex->err = ERR_OVERLOADED;
    if (!err && ex->rq.work.notes)
        event_log_publish(ex->api->event_log, &ex->rq.work, arena_str(&ex->arena, ex->key));
    bool waits = !err && ex->rq.is_unfinished && ex->rq.route->recheck;
    if (!waits || !waiter_add(ex->api->waiter, ex, deliver)) http_defer(ex->x, deliver);
}

static enum err submit(struct dispatch *ex)
{
    bool is_over = ex->parked_until_ms != 0 && clock_monotonic_ms() >= ex->parked_until_ms;

    ex->rq.may_wait = ex->rq.route->waits && !is_over;
    if (ex->rq.may_wait) parking_look(ex->api->parking, ex);
    return work_start(&ex->rq.work, db_of(ex), run, done);
}

void dispatch_deliver(struct dispatch *ex, enum err err)
{
    ex->err = err;
    http_defer(ex->x, deliver);
}

/* The time of the request moves on. Meanwhile its key may have been revoked (contract,
 * section 10.1), and its client may have left: then it waits no longer, and its place is free. */
static void run_again(struct http_request *x)
{
    struct dispatch *ex = http_user(x);
    const struct auth_way *way = auth_of(ex->rq.route);

    ex->rq.work.now_ms = clock_now_ms();
    if (http_peer_has_ended(x)) ex->parked_until_ms = clock_monotonic_ms();
    if (ex->rq.password) ex->rq.work.task.is_read = begins_as_read(ex);
    enum err err = way->check_again ? way->check_again(ex) : ERR_OK;
    if (!err) err = submit(ex);
    if (!err) return;
    ex->err = err;
    deliver(x);
}

void dispatch_run_again(struct dispatch *ex)
{
    http_defer(ex->x, run_again);
}

/* The group is the last bytes of the id, which are random. */
static uint64_t group_of(const struct dispatch *ex)
{
    const struct uuid *id = &ex->rq.path_ids[0];
    uint64_t group;

    if (!ex->rq.route->is_in_turn) return 0;
    memcpy(&group, id->bytes + sizeof(id->bytes) - sizeof(group), sizeof(group));
    return group;
}

static bool begin_lookup(struct throttle_turn *turn)
{
    struct dispatch *ex = CONTAINER_OF(turn, struct dispatch, turn);

    enum err err = submit(ex);
    if (!err) return true;
    ex->has_turn = false;
    ex->err = err;
    http_defer(ex->x, deliver);
    return false;
}

/* After too many wrong keys from an address its requests queue: each first runs as a read that
 * looks up its key. If the key is good, a request that writes is submitted again as a write. */
static bool await_turn(struct dispatch *ex, bool (*begin)(struct throttle_turn *turn))
{
    struct throttle *throttle = ex->api->throttle;

    if (!throttle_is_in_turns(throttle, &ex->address, ex->rq.work.now_ms)) return false;
    ex->rq.work.task.is_read = true;
    ex->has_turn = true;
    ex->turn.begin = begin;
    throttle_await_turn(throttle, &ex->turn);
    return true;
}

/* --- A request for no operation --- */

/* The answer is the same to everybody, so it tells nothing of a key; also while the database is
 * away. A wrong key counts like any other, so that whoever guesses takes turns. */
static void refuse(struct http_request *x)
{
    struct dispatch *ex = http_user(x);

    if (ex->err == ERR_UNAUTHORIZED) (void)dispatch_count_failed_key(ex, AUTH_DEVICE_KEY);
    dispatch_answer(ex, ex->refusal);
    http_release(x);
}

static void phone_is_known(struct work *work, enum err err)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);

    end_turn(ex);
    ex->err = err;
    http_defer(ex->x, refuse);
}

static enum err know_phone(struct work *work)
{
    return auth_know_phone(CONTAINER_OF(work, struct dispatch, rq.work));
}

static bool begin_to_know(struct throttle_turn *turn)
{
    struct dispatch *ex = CONTAINER_OF(turn, struct dispatch, turn);
    struct db *db = store_of(ex->api->service, STORE_VERIFICATION);

    enum err err = work_start(&ex->rq.work, db, know_phone, phone_is_known);
    if (!err) return true;
    ex->has_turn = false;
    ex->err = err;
    http_defer(ex->x, refuse);
    return false;
}

void dispatch_refuse(struct dispatch *ex, enum err refusal)
{
    if (!auth_know(ex)) {
        dispatch_answer(ex, refusal);
        return;
    }
    ex->refusal = refusal;
    ex->rq.work.task = (struct db_task){.is_read = true, .is_bounded = true};
    http_hold(ex->x);
    http_body_pause(ex->x); /* the answer lets it go on */
    if (!await_turn(ex, begin_to_know)) (void)begin_to_know(&ex->turn);
}

/* --- A stream of the unmasked log --- */

static enum err run_stream_record(struct work *work)
{
    work_audit(work, "log.read", "log", NULL, NULL);
    return ERR_OK;
}

static void begin_stream(struct http_request *x)
{
    struct dispatch *ex = http_user(x);

    if (ex->err)
        dispatch_answer(ex, ex->err);
    else
        ex->open(ex);
    http_release(x);
}

static void stream_is_recorded(struct work *work, enum err err)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);
    ex->err = err;
    http_defer(ex->x, begin_stream);
}

void dispatch_audit_stream(struct dispatch *ex, void (*open)(struct dispatch *ex))
{
    ex->open = open;
    ex->rq.work.task = (struct db_task){.is_bounded = true};
    http_hold(ex->x);
    enum err err = work_start(&ex->rq.work, db_of(ex), run_stream_record, stream_is_recorded);
    if (!err) return;
    dispatch_answer(ex, err);
    http_release(ex->x);
}

void dispatch_submit(struct dispatch *ex)
{
    const struct route *route = ex->rq.route;

    ex->mark = arena_mark(&ex->arena);
    ex->faults = ex->rq.faults;
    if (route->access == ACCESS_NONE) {
        request_restart(&ex->rq, NULL);
        dispatch_answer(ex, route->handle(&ex->rq));
        return;
    }
    if (route->takes_password) ex->rq.password = must_calloc(1, sizeof(*ex->rq.password));
    ex->rq.work.task = (struct db_task){
        .is_read = begins_as_read(ex),
        .is_whole = route->access == ACCESS_READ,
        .is_bounded = true,
        .group = group_of(ex),
    };
    http_hold(ex->x);
    if (auth_of(route)->takes_turns && await_turn(ex, begin_lookup)) return;
    enum err err = submit(ex);
    if (!err) return;
    dispatch_answer(ex, err);
    http_release(ex->x);
}
