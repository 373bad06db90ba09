/*
 * A bundle is one JSON file for a bug report. It is for eyes outside of the installation, so it is
 * stricter than all else that herald shows: whatever LOG_SENSITIVE says, and whoever wrote a text,
 * what could be a number, a code or a key is left out (contract, section 11.10).
 */
#include "app/doctor/doctor_check.h"
#include "app/setup/config_settings.h"
#include "app/setup/stores.h"
#include "core/audit.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/mask.h"
#include "kit/json/iso_time.h"
#include "kit/json/pointer.h"
#include "kit/pack/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    BUNDLE_MAX = 16 * 1024 * 1024,
    WHY_MAX = 4096,
    SECRET_LEN_MIN = 4, /* a shorter one would be found anywhere */
};

/* --- Versions --------------------------------------------------------------------------------- */

/* Returns the name of the system; NULL: it is not known. */
static const char *read_system(struct arena *arena)
{
    static const char name[] = "PRETTY_NAME=";
    char line[256];
    const char *system = NULL;
    FILE *file = fopen("/etc/os-release", "re");

    while (file && !system && fgets(line, sizeof(line), file)) {
        if (strncmp(line, name, sizeof(name) - 1) != 0) continue;
        const char *value = line + sizeof(name) - 1 + (line[sizeof(name) - 1] == '"');
        system = arena_str(arena, (struct str){value, strcspn(value, "\"\r\n")});
    }
    if (file) fclose(file);
    return system;
}

static void write_versions(struct doctor *doctor, struct json_writer *writer)
{
    struct utsname kernel;

    json_key(writer, "versions");
    json_object_begin(writer);
    json_put_text(writer, "herald", HERALD_VERSION);
    json_put_text(writer, "sqlite", db_library_version(DB_SQLITE, doctor->arena));
    json_put_text(writer, "libpq", db_library_version(DB_POSTGRES, doctor->arena));
    json_put_text(writer, "libcurl", fetch_library_version());
    json_put_text(writer, "libsodium", secret_library_version());
    json_put_text(writer, "zstd", pack_library_version());
    json_put_text(writer, "system", read_system(doctor->arena));
    if (uname(&kernel) == 0) {
        json_put_text(writer, "kernel", kernel.release);
        json_put_text(writer, "machine", kernel.machine);
    }
    json_object_end(writer);
}

/* --- Settings --------------------------------------------------------------------------------- */

/* These are the settings of this command; where the service runs with others, the report says so.
 */
static void write_settings(struct doctor *doctor, struct json_writer *writer)
{
    struct record_list list = config_show(&doctor->config, doctor->arena);
    const struct shown_setting *settings = list.items;

    json_key(writer, "settings");
    json_array_begin(writer);
    for (size_t i = 0; i < list.count; i++) {
        json_object_begin(writer);
        json_put_text(writer, "name", settings[i].name);
        json_put_text(writer, "value", audit_guard_text(doctor->arena, settings[i].value));
        json_put_bool(writer, "set", settings[i].set);
        json_put_text(writer, "source", audit_guard_text(doctor->arena, settings[i].source));
        json_object_end(writer);
    }
    json_array_end(writer);
}

/* --- Databases -------------------------------------------------------------------------------- */

static void write_schema(struct doctor *doctor, enum route_store store, const char *name,
                         struct json_writer *writer)
{
    int version, newest;
    AUTO_BUF why = {0};

    buf_init(&why, WHY_MAX);
    json_object_begin(writer);
    json_put_text(writer, "store", name);
    if (stores_schema(&doctor->config, store, &version, &newest, &why)) {
        json_put_text(
            writer, "error",
            mask_text(mask_words, arena_str(doctor->arena, buf_view(&why)), doctor->arena));
    } else {
        json_put_int(writer, "version", version);
        json_put_int(writer, "newest", newest);
    }
    json_object_end(writer);
}

static void write_file(const char *path, struct json_writer *writer)
{
    const char *slash = strrchr(path, '/');
    struct stat status;

    if (stat(path, &status)) return;
    json_object_begin(writer);
    json_put_text(writer, "name", slash ? slash + 1 : path);
    json_put_int(writer, "bytes", (int64_t)status.st_size);
    json_object_end(writer);
}

static void write_databases(struct doctor *doctor, struct json_writer *writer)
{
    const struct config *config = &doctor->config;
    const char *const urls[] = {config->database_url, config->exchange_url};
    bool is_embedded = config_is_embedded(config);

    json_put_text(writer, "engine", is_embedded ? "sqlite" : "postgresql");
    json_key(writer, "schemas");
    json_array_begin(writer);
    write_schema(doctor, STORE_VERIFICATION, "verification", writer);
    write_schema(doctor, STORE_EXCHANGE, "exchange", writer);
    json_array_end(writer);
    json_key(writer, "files");
    json_array_begin(writer);
    for (size_t i = 0; is_embedded && i < COUNT_OF(urls); i++) {
        const char *path = urls[i] + strlen("sqlite:");
        write_file(path, writer);
        write_file(arena_printf(doctor->arena, "%s-wal", path), writer);
    }
    json_array_end(writer);
}

/* --- The log ---------------------------------------------------------------------------------- */

struct log_reading {
    struct work work; /* first, since the work gives this pointer back */
    struct log_entry_list list;
};

static enum err run_read(struct work *work)
{
    const struct log_filter filter = {.level = -1, .limit = PAGE_LIMIT_MAX};
    return event_log_list(work, &filter, &((struct log_reading *)work)->list);
}

/* Writes a member that can only be an id. */
static void put_id(struct doctor *doctor, const struct log_entry *entry, const char *name,
                   struct json_writer *writer)
{
    struct json_value value;
    struct uuid id;
    const char *pointer = arena_printf(doctor->arena, "/%s", name);

    if (json_find(entry->fields, pointer, doctor->arena, &value) && value.type == JSON_STRING &&
        uuid_parse(value.text, &id))
        json_put_text(writer, name, uuid_text(&id, doctor->arena));
}

static void write_entry(struct doctor *doctor, const struct log_entry *entry,
                        struct json_writer *writer)
{
    static const char *const ids[] = {"request_id",     "otp_id",     "challenge_id", "message_id",
                                      "integration_id", "package_id", "order_id",     "device_id"};
    struct json_value at;
    const char *reason;
    int64_t at_ms;

    json_object_begin(writer);
    json_put_int(writer, "id", entry->id);
    if (json_find(entry->fields, "/at", doctor->arena, &at) && at.type == JSON_STRING &&
        iso_time_read(at.text, &at_ms, &reason) == ISO_TIME_OK)
        json_put_text(writer, "at", at.text.data);
    json_put_text(writer, "level", log_level_words[entry->level]);
    json_put_text(writer, "message", entry->message);
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        put_id(doctor, entry, ids[i], writer);
    bool is_unmasked = event_log_is_unmasked(entry->fields);
    json_put_text(writer, "fields", is_unmasked ? NULL : arena_str(doctor->arena, entry->fields));
    json_object_end(writer);
}

static void write_log(struct doctor *doctor, struct json_writer *writer)
{
    struct log_reading reading = {.list = {.next_cursor = NULL}};
    enum err err = ERR_STORAGE_UNAVAILABLE;

    work_init(&reading.work, &doctor->service, doctor->arena, clock_now_ms(), NULL);
    reading.work.task.is_read = true;
    if (doctor->has_stores) err = work_run(&reading.work, doctor->service.verification, run_read);
    json_key(writer, "log");
    if (err) {
        json_null(writer);
        return;
    }
    const struct log_entry *entries = reading.list.entries.items;
    json_array_begin(writer);
    for (size_t i = 0; i < reading.list.entries.count; i++)
        write_entry(doctor, &entries[i], writer);
    json_array_end(writer);
}

/* --- The file --------------------------------------------------------------------------------- */

/* Overwrites a secret with stars wherever it stands. */
static void hide(struct buf *bundle, struct str secret)
{
    char *at = bundle->data, *end = bundle->data + bundle->len;

    if (secret.len < SECRET_LEN_MIN) return;
    while ((at = memmem(at, (size_t)(end - at), secret.data, secret.len))) {
        memset(at, '*', secret.len);
        at += secret.len;
    }
}

/* No text should hold a secret of the settings by now; this is for what nobody thought of. */
static void hide_secrets(const struct config *config, struct buf *bundle)
{
    for (size_t i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        if (setting->type != SETTING_SECRET) continue;
        const struct secret *secret =
            (const struct secret *)((const char *)config + setting->offset);
        struct str list = str_of(secret->data), item;
        while (list.len > 0 && str_next_item(&list, &item))
            hide(bundle, item);
    }
}

static enum err write_file_once(const char *path, struct str text, struct buf *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool is_written = fd >= 0;

    for (size_t done = 0; is_written && done < text.len;) {
        ssize_t len = write(fd, text.data + done, text.len - done);
        is_written = len > 0 || (len < 0 && errno == EINTR);
        if (len > 0) done += (size_t)len;
    }
    is_written = is_written && fsync(fd) == 0;
    if (!is_written && errno == EEXIST)
        buf_printf(why, "The bundle is not written: %s is there already. Name another file.", path);
    else if (!is_written)
        buf_printf(why, "The bundle %s cannot be written: %s.", path, strerror(errno));
    if (fd >= 0) close(fd);
    if (fd >= 0 && !is_written) (void)unlink(path);
    return is_written ? ERR_OK : ERR_VALIDATION;
}

enum err doctor_write_bundle(struct doctor *doctor, const char *path, struct buf *why)
{
    struct json_writer writer;
    AUTO_BUF bundle = {0};
    char made_at[CLOCK_TEXT_LEN + 1];

    buf_init(&bundle, BUNDLE_MAX);
    json_writer_init(&writer, &bundle);
    clock_format(clock_wall_ms(), made_at);
    json_object_begin(&writer);
    json_put_text(&writer, "made_at", made_at);
    json_put_text(&writer, "status", doctor_status_words[doctor_report_worst(&doctor->report)]);
    json_key(&writer, "checks");
    doctor_report_write(&doctor->report, &writer);
    write_versions(doctor, &writer);
    if (doctor->channels) { /* else the settings are wrong, and so none of them is sure */
        write_settings(doctor, &writer);
        write_databases(doctor, &writer);
        write_log(doctor, &writer);
    }
    json_object_end(&writer);
    buf_char(&bundle, '\n');
    hide_secrets(&doctor->config, &bundle);
    return write_file_once(path, buf_view(&bundle), why);
}
