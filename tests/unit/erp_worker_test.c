/* What the threads that apply packages tell of trouble. */
#include "app/erp_worker.h"
#include "package_scene.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MILK    SNAPSHOT(P("p1", "Milk", V("v1", "10")))
#define TROUBLE "packages cannot be applied at the moment"

/* What the process's own log says in the meantime. */
struct capture {
    int kept, file;
};

static struct capture capture_begin(void)
{
    char path[] = "/tmp/herald-log-XXXXXX";
    struct capture capture = {.kept = dup(STDERR_FILENO), .file = mkstemp(path)};
    assert_true(capture.kept >= 0 && capture.file >= 0);
    unlink(path);
    dup2(capture.file, STDERR_FILENO);
    return capture;
}

/* How often it was said. */
static int capture_end(struct capture capture, const char *said)
{
    int count = 0;

    dup2(capture.kept, STDERR_FILENO);
    close(capture.kept);
    off_t size = lseek(capture.file, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(pread(capture.file, text, (size_t)size, 0), size);
    close(capture.file);
    for (const char *at = text; (at = strstr(at, said)); at++)
        count++;
    free(text);
    return count;
}

/* With a database of its own, whose end is the end of the calls that wake it. */
static void run_worker(struct package_scene *scene, int ms)
{
    struct app app = {.service = scene->catalog.world.service, .audit = scene->audit};
    struct buf why;

    buf_init(&why, 1024);
    assert_ok(db_open(&scene->catalog.world.store->options, &app.service.exchange, &why));
    struct erp_worker *worker = erp_worker_start(&app);
    sleep_ms(ms);
    erp_worker_stop(worker);
    db_close(app.service.exchange);
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
    struct capture capture = capture_begin();
    run_worker(&scene, 6000);
    assert_int_equal(capture_end(capture, TROUBLE), 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"trouble_is_told_once", trouble_is_told_once, STORE_POSTGRES},
    };
    return store_run_cases("erp_worker", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
