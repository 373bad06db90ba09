/* These are the statements on settings_seen, and how it has its list. */
#include "app/setup/settings_seen_db.h"

enum { SETTINGS_TEXT_MAX = 1024 * 1024 };

static const struct field setting_fields[] = {
    FIELD(struct seen_setting, name, FIELD_STRING, FIELD_REQUIRED, "Its name."),
    FIELD(struct seen_setting, value, FIELD_STRING, FIELD_NULLABLE, "Its value, if it is shown."),
    FIELD(struct seen_setting, mark, FIELD_STRING, FIELD_NULLABLE, "A hash of what is not."),
};
static const struct record setting_record = {
    .name = "SeenSetting",
    .doc = "What a setting was.",
    .size = sizeof(struct seen_setting),
    RECORD_FIELDS(setting_fields),
};
static const struct field start_fields[] = {
    FIELD(struct seen_start, settings, FIELD_RECORDS, FIELD_REQUIRED, "All settings.",
          .record = &setting_record),
};
static const struct record start_record = {
    .name = "SeenStart",
    .doc = "What a process was started with.",
    .size = sizeof(struct seen_start),
    RECORD_FIELDS(start_fields),
};

static enum err read_start(struct work *work, struct db_stmt *stmt, struct seen_start *ret_start)
{
    struct record_faults faults;

    record_faults_init(&faults, work->arena);
    enum err err = record_decode(&start_record, str_of(db_get_text(stmt, "settings", work->arena)),
                                 false, work->arena, ret_start, &faults);
    if (err) return LOG_BROKEN("the settings of an earlier start");
    ret_start->verb = db_get_text(stmt, "verb", work->arena);
    ret_start->host = db_get_text(stmt, "host", work->arena);
    ret_start->listen = db_get_text(stmt, "listen", work->arena);
    ret_start->place = db_get_int(stmt, "place");
    ret_start->is_living = db_get_int(stmt, "living") > 0;
    return ERR_OK;
}

enum err settings_seen_select(struct work *work, const char *verb, int64_t living_since,
                              const struct uuid *own_id, struct record_list *ret_starts)
{
    struct seen_start *starts = arena_array(work->arena, SETTINGS_SEEN_MAX, sizeof(*starts));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT s.verb, s.host, s.listen, s.place, s.settings,"
        " (SELECT count(*) FROM process AS p WHERE p.beaten_at >= $2"
        " AND p.verb = s.verb AND p.host = s.host AND p.id <> $4) AS living"
        " FROM settings_seen AS s WHERE s.verb = $1 ORDER BY s.place DESC LIMIT $3",
        DB_ARGS(db_text(verb), db_int(living_since), db_int(SETTINGS_SEEN_MAX), db_uuid(own_id)),
        &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        err = read_start(work, stmt, &starts[count++]);
    *ret_starts = (struct record_list){starts, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err settings_seen_write(struct work *work, const struct seen_start *start)
{
    struct json_writer writer;
    AUTO_BUF settings = {0};

    buf_init(&settings, SETTINGS_TEXT_MAX);
    json_writer_init(&writer, &settings);
    record_encode(&start_record, start, &writer);
    return db_exec(work->tx,
                   "INSERT INTO settings_seen (verb, host, listen, place, settings)"
                   " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (verb, host, listen)"
                   " DO UPDATE SET place = excluded.place, settings = excluded.settings",
                   DB_ARGS(db_text(start->verb), db_text(start->host), db_text(start->listen),
                           db_int(start->place), db_str(buf_view(&settings))),
                   NULL);
}

enum err settings_seen_delete(struct work *work, const char *verb, int64_t place)
{
    return db_exec(work->tx, "DELETE FROM settings_seen WHERE verb = $1 AND place <= $2",
                   DB_ARGS(db_text(verb), db_int(place)), NULL);
}
