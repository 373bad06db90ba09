/* These tests show what the threads that apply packages tell of trouble. */
#include "app/jobs/erp_worker.h"
#include "log_capture.h"
#include "package_scene.h"

#include <stdlib.h>
#include <unistd.h>

#define MILK    SNAPSHOT(P("p1", "Milk", V("v1", "10")))
#define TROUBLE "packages cannot be applied at the moment"

enum { PATIENCE_MS = 30000, LOOK_MS = 10, LINGER_MS = 4000 /* several rounds of the threads */ };

/* Returns how often it was said. */
static int count_said(const struct log_capture *capture, const char *said)
{
    char *text = log_capture_read(capture);
    int count = 0;

    for (const char *at = text; (at = strstr(at, said)); at++)
        count++;
    free(text);
    return count;
}

/* Until it has told of trouble, and for a while after; with a database of its own, whose end is the
 * end of the calls that wake it. */
static void run_worker(struct package_scene *scene, const struct log_capture *capture)
{
    struct service service = scene->catalog.world.service;
    struct jobs jobs = {.service = &service, .event_log = scene->event_log};
    struct buf why;

    buf_init(&why, 1024);
    assert_ok(db_open(&scene->catalog.world.store->options, &service.exchange, &why));
    struct erp_worker *worker = erp_worker_start(&jobs);
    for (int ms = 0; ms < PATIENCE_MS && count_said(capture, TROUBLE) == 0; ms += LOOK_MS)
        sleep_ms(LOOK_MS);
    sleep_ms(LINGER_MS);
    erp_worker_stop(worker);
    db_close(service.exchange);
    erp_worker_free(worker);
    buf_done(&why);
}

/* One integration that always fails keeps one thread busy; the other finds it held, and that there
 * is nothing to do for it. */
static void trouble_is_told_once(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    apply_all(&scene);
    put_package(&scene, 0, "changes:1", STOCKS(STOCK("p1", "v1", "3")));
    change_rows(&scene, "CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN"
                        " PERFORM pg_sleep(0.1); RAISE EXCEPTION 'x' USING ERRCODE = '40001';"
                        " END $$ LANGUAGE plpgsql");
    change_rows(&scene, "CREATE TRIGGER fail BEFORE UPDATE ON erp_package"
                        " FOR EACH ROW EXECUTE FUNCTION fail()");
    struct log_capture capture = log_capture_begin();
    run_worker(&scene, &capture);
    int count = count_said(&capture, TROUBLE);
    free(log_capture_end(capture));
    assert_int_equal(count, 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"trouble_is_told_once", trouble_is_told_once, STORE_POSTGRES},
    };
    return store_run_cases("erp_worker", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
