/*
 * The two files of an embedded service share no transaction. So their pair is made in three steps,
 * each durable before the next: its id goes into the verification store, the same id into the
 * exchange store, and "complete" into the verification store. Nothing else is stored before the
 * last step. So a start that is cut off before it can be repeated without a loss, and after it a
 * store without the id is one that was lost.
 */
#include "app/setup/store_pair.h"

#include "app/setup/store_pair_db.h"
#include "kit/base/macros.h"

#include <errno.h>
#include <sys/stat.h>

static const char *path_of(const char *url)
{
    return url + strlen("sqlite:");
}

/* --- The files, before SQLite touches them --- */

enum err store_file_look(const char *url, enum store_file *ret_file, struct buf *why)
{
    struct stat status;
    const char *path = path_of(url);
    int failure = stat(path, &status) ? errno : 0;

    if (failure && failure != ENOENT) {
        buf_printf(why,
                   "The database file %s cannot be reached: %s. Its folder must be open to this "
                   "user.",
                   path, strerror(failure));
        return ERR_STORAGE_UNAVAILABLE;
    }
    if (!failure && !S_ISREG(status.st_mode)) {
        buf_printf(why,
                   "%s is %s, and no file: a database cannot lie there. Move it away, or name "
                   "another file by HERALD_DATABASE_URL.",
                   path, S_ISDIR(status.st_mode) ? "a folder" : "a device or the like");
        return ERR_STORAGE_UNAVAILABLE;
    }
    if (failure)
        *ret_file = STORE_FILE_MISSING;
    else
        *ret_file = status.st_size > 0 ? STORE_FILE_FILLED : STORE_FILE_EMPTY;
    return ERR_OK;
}

static enum err refuse_lost(const char *lost_url, enum store_file lost, const char *other_url,
                            struct buf *why)
{
    buf_printf(why,
               "The database file %s is %s, but %s, the other of its pair, is there and was in "
               "use. Restore both from the same backup. Only to begin anew without their data, "
               "move both away.",
               path_of(lost_url), lost == STORE_FILE_EMPTY ? "empty" : "missing",
               path_of(other_url));
    return ERR_STORAGE_UNAVAILABLE;
}

enum err store_pair_check_files(const char *url, const char *exchange_url, struct buf *why)
{
    /* The exchange store comes first, since another first start at this moment fills it last. */
    enum store_file verification, exchange;
    enum err err = store_file_look(exchange_url, &exchange, why);
    if (!err) err = store_file_look(url, &verification, why);
    if (err) return err;
    if (exchange != STORE_FILE_FILLED || verification == STORE_FILE_FILLED) return ERR_OK;
    return refuse_lost(url, verification, exchange_url, why);
}

enum err store_pair_check_filled(const char *url, const char *exchange_url, struct buf *why)
{
    const char *const urls[] = {url, exchange_url};
    enum err err = store_pair_check_files(url, exchange_url, why);

    for (size_t i = 0; !err && i < COUNT_OF(urls); i++) {
        enum store_file file;
        err = store_file_look(urls[i], &file, why);
        if (err || file == STORE_FILE_FILLED) continue;
        buf_printf(why,
                   "There is no database file %s: `herald serve` makes it at its first start. If "
                   "it did, HERALD_STATE_DIR or HERALD_DATABASE_URL names another place.",
                   path_of(urls[i]));
        err = ERR_NOT_FOUND;
    }
    return err;
}

/* --- The ids --- */

static enum err run_read(void *arg, struct db_tx *tx)
{
    return store_pair_read(tx, arg);
}

static enum err run_write(void *arg, struct db_tx *tx)
{
    return store_pair_write(tx, arg);
}

static enum err read_pair(struct db *db, struct store_pair *ret_pair, struct buf *why)
{
    enum err err = db_run(db, true, run_read, ret_pair);
    if (err) buf_text(why, "The database does not answer.");
    return err;
}

static enum err write_pair(struct db *db, struct store_pair pair, struct buf *why)
{
    enum err err = db_run(db, false, run_write, &pair);
    if (err) buf_text(why, "The database cannot be written.");
    return err;
}

/* Call it before the exchange store is opened, which would make its file. */
static enum err check_exchange_file(struct db *verification, const char *url,
                                    const char *exchange_url, struct buf *why)
{
    struct store_pair pair;
    enum store_file exchange = STORE_FILE_FILLED;
    enum err err = read_pair(verification, &pair, why);
    if (!err) err = store_file_look(exchange_url, &exchange, why);
    if (err || !pair.is_complete || exchange == STORE_FILE_FILLED) return err;
    return refuse_lost(exchange_url, exchange, url, why);
}

static enum err refuse_stranger(const char *stranger_url, const char *other_url, struct buf *why)
{
    buf_printf(why,
               "The database file %s is not the one that %s was used with: it holds none of that "
               "one's data. Restore both from the same backup.",
               path_of(stranger_url), path_of(other_url));
    return ERR_STORAGE_UNAVAILABLE;
}

static enum err refuse_two_pairs(const char *url, const char *exchange_url, struct buf *why)
{
    buf_printf(why,
               "The database files %s and %s do not belong together: they come from two "
               "installations. Restore both from the same backup.",
               path_of(url), path_of(exchange_url));
    return ERR_STORAGE_UNAVAILABLE;
}

static enum err make_pair(struct service *service, const struct store_pair *pending,
                          struct buf *why)
{
    struct store_pair pair = *pending;
    enum err err = ERR_OK;

    if (uuid_is_nil(&pair.id)) {
        random_bytes(pair.id.bytes, sizeof(pair.id.bytes));
        err = write_pair(service->verification, pair, why);
    }
    pair.is_complete = true;
    if (!err) err = write_pair(service->exchange, pair, why);
    return err ? err : write_pair(service->verification, pair, why);
}

/* Refuses files that cannot become a pair; `ret_pair` tells whether they are one. */
static enum err compare(const struct service *service, const char *url, const char *exchange_url,
                        struct store_pair *ret_pair, struct buf *why)
{
    struct store_pair other;
    enum err err = read_pair(service->verification, ret_pair, why);
    if (!err) err = read_pair(service->exchange, &other, why);
    if (err) return err;

    bool has_id = !uuid_is_nil(&ret_pair->id), has_other = !uuid_is_nil(&other.id);
    if (ret_pair->is_complete && !has_other) return refuse_stranger(exchange_url, url, why);
    if (has_other && !has_id) return refuse_stranger(url, exchange_url, why);
    if (has_other && !uuid_equal(&ret_pair->id, &other.id))
        return refuse_two_pairs(url, exchange_url, why);
    return ERR_OK;
}

static enum err join(struct service *service, const char *url, const char *exchange_url,
                     struct buf *why)
{
    struct store_pair pair;
    enum err err = compare(service, url, exchange_url, &pair, why);
    return err || pair.is_complete ? err : make_pair(service, &pair, why);
}

enum err store_pair_check(const struct service *service, const char *url, const char *exchange_url,
                          struct buf *why)
{
    struct store_pair pair;
    enum err err = compare(service, url, exchange_url, &pair, why);
    if (err || pair.is_complete) return err;
    buf_text(why, "The first start of herald was cut off: start it once more.");
    return ERR_STORAGE_UNAVAILABLE;
}

enum err store_pair_open(const struct db_options *verification, const struct db_options *exchange,
                         struct service *service, struct buf *why)
{
    const char *url = verification->url, *exchange_url = exchange->url;
    enum err err = store_pair_check_files(url, exchange_url, why);
    if (!err) err = db_open(verification, &service->verification, why);
    if (!err) err = check_exchange_file(service->verification, url, exchange_url, why);
    if (!err) err = db_open(exchange, &service->exchange, why);
    return err ? err : join(service, url, exchange_url, why);
}
