/* Lines are appended by one write each. A line that was cut off by a kill is ended at the next
 * start and passed over: nothing was handed to the modem by it. */
#include "modem/journal.h"

#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 512, PATH_SIZE = 4096, FILE_MAX = 4 * 1024 * 1024, TAIL_DIGITS = 10 };

const char *const task_state_words[] = {"sending", "sent", "delivered", "failed", "unknown", NULL};

struct file {
    char path[PATH_SIZE];
    int fd;
    size_t size;
};

struct journal {
    struct file file;
    char folder[PATH_SIZE];
    struct task tasks[JOURNAL_TASKS_MAX];
    size_t count;
};

unsigned journal_tag(const char *recipient)
{
    uint8_t hash[SECRET_HASH_LEN];
    size_t len = strlen(recipient);
    const char *tail = len > TAIL_DIGITS ? recipient + len - TAIL_DIGITS : recipient;

    secret_hash(str_of(tail), hash);
    return (unsigned)hash[0] << 8 | hash[1];
}

/* --- Lines ------------------------------------------------------------------------------------ */

static int write_line(const struct task *task, char ret_line[static LINE_SIZE])
{
    char id[UUID_TEXT_LEN + 1], lease[UUID_TEXT_LEN + 1];

    uuid_format(&task->id, id);
    uuid_format(&task->lease_id, lease);
    return snprintf(ret_line, LINE_SIZE, "1 %s %s %s %s %s %d %u %u %lld %s\n", id, lease,
                    task->number, task_state_words[task->state],
                    task->told < 0 ? "-" : task_state_words[task->told], task->permanent,
                    task->reference, task->tag, (long long)task->at_ms, task->error);
}

static int read_state(const char *word)
{
    for (int i = 0; i < TASK_STATE_COUNT; i++)
        if (strcmp(word, task_state_words[i]) == 0) return i;
    return -1;
}

/* Takes the next word off the line. */
static const char *take_word(char **line)
{
    char *word = *line, *end = word + strcspn(word, " ");

    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool take_number(char **line, long long min, long long max, long long *ret_number)
{
    return str_to_int64(str_of(take_word(line)), ret_number) && *ret_number >= min &&
           *ret_number <= max;
}

/* Cuts the line into words, as write_line has written them. */
static bool read_line(char *line, struct task *ret_task)
{
    struct task task = {0};
    long long version, permanent, reference, tag, at_ms;

    if (!take_number(&line, 1, 1, &version)) return false;
    bool has_ids = uuid_parse(str_of(take_word(&line)), &task.id) &&
                   uuid_parse(str_of(take_word(&line)), &task.lease_id);
    const char *number = take_word(&line);
    bool has_number = config_is_number(number);
    if (!has_ids || !has_number) return false;
    snprintf(task.number, sizeof task.number, "%s", number);
    task.state = read_state(take_word(&line));
    task.told = read_state(take_word(&line));
    bool is_whole =
        take_number(&line, 0, 1, &permanent) && take_number(&line, 0, UINT32_MAX, &reference) &&
        take_number(&line, 0, UINT16_MAX, &tag) && take_number(&line, 0, INT64_MAX, &at_ms);
    if (!is_whole || task.state < 0) return false;
    task.permanent = permanent;
    task.reference = (unsigned)reference;
    task.tag = (unsigned)tag;
    task.at_ms = at_ms;
    snprintf(task.error, sizeof task.error, "%s", line);
    *ret_task = task;
    return true;
}

static bool append(struct file *file, const struct task *task, bool is_firm)
{
    char line[LINE_SIZE];
    int len = write_line(task, line);
    ssize_t done = write(file->fd, line, (size_t)len);

    if (done > 0) file->size += (size_t)done;
    if (done == len && (!is_firm || fdatasync(file->fd) == 0)) return true;
    log_write(LOG_ERROR, "the journal cannot be written; nothing is sent until it can be",
              LOG_FIELDS(log_plain("file", file->path), log_plain("error", strerror(errno))));
    /* A record that came behind half a line would be lost with it. */
    if (done > 0 && done < len && write(file->fd, "\n", 1) == 1) file->size++;
    return false;
}

/* --- Tasks ------------------------------------------------------------------------------------ */

struct task *journal_find(struct journal *journal, const struct uuid *id)
{
    for (size_t i = journal->count; i > 0; i--)
        if (uuid_equal(&journal->tasks[i - 1].id, id)) return &journal->tasks[i - 1];
    return NULL;
}

/* References go round after 256 SMS, so the youngest that waits counts. */
struct task *journal_find_report(struct journal *journal, const char *number, unsigned reference,
                                 unsigned tag, int64_t now_ms)
{
    for (size_t i = journal->count; i > 0; i--) {
        struct task *task = &journal->tasks[i - 1];
        bool fits = task->reference == reference && task->tag == tag &&
                    strcmp(task->number, number) == 0 && now_ms - task->at_ms < JOURNAL_KEEP_MS;
        if (fits && task->state == TASK_SENT) return task;
    }
    return NULL;
}

struct task *journal_at(struct journal *journal, size_t i)
{
    return i < journal->count ? &journal->tasks[i] : NULL;
}

static bool is_done(const struct task *task)
{
    return task->state != TASK_SENDING && task->told == task->state && !task->is_reporting;
}

static bool is_to_keep(const struct task *task, int64_t now_ms)
{
    return !is_done(task) || (now_ms - task->at_ms < JOURNAL_KEEP_MS);
}

/* Makes room by the oldest task that herald has heard of. */
static bool make_room(struct journal *journal)
{
    if (journal->count < JOURNAL_TASKS_MAX) return true;
    for (size_t i = 0; i < journal->count; i++) {
        if (!is_done(&journal->tasks[i])) continue;
        memmove(&journal->tasks[i], &journal->tasks[i + 1],
                (--journal->count - i) * sizeof journal->tasks[0]);
        return true;
    }
    return false;
}

bool journal_has_room(const struct journal *journal)
{
    if (journal->count < JOURNAL_TASKS_MAX) return true;
    for (size_t i = 0; i < journal->count; i++)
        if (is_done(&journal->tasks[i])) return true;
    return false;
}

static struct task *put(struct journal *journal, const struct task *task)
{
    struct task *known = journal_find(journal, &task->id);

    if (!known && !make_room(journal)) return NULL;
    if (!known) known = &journal->tasks[journal->count++];
    *known = *task;
    return known;
}

/* --- The file --------------------------------------------------------------------------------- */

/* Writes what is kept into a new file that takes the place of the old one. */
static bool compact(struct journal *journal, int64_t now_ms)
{
    struct file fresh;
    size_t kept = 0;

    for (size_t i = 0; i < journal->count; i++)
        if (is_to_keep(&journal->tasks[i], now_ms)) journal->tasks[kept++] = journal->tasks[i];
    journal->count = kept;
    fresh = journal->file;
    fresh.size = 0;
    bool fits = snprintf(fresh.path, PATH_SIZE, "%s/journal.new", journal->folder) < PATH_SIZE;
    fresh.fd =
        !fits ? -1 : open(fresh.path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    bool is_good = fresh.fd >= 0 && flock(fresh.fd, LOCK_EX | LOCK_NB) == 0;
    for (size_t i = 0; i < kept && is_good; i++)
        is_good = append(&fresh, &journal->tasks[i], false);
    int folder = open(journal->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_good = is_good && folder >= 0 && fsync(fresh.fd) == 0 &&
              rename(fresh.path, journal->file.path) == 0 && fsync(folder) == 0;
    if (folder >= 0) close(folder);
    int old = is_good ? journal->file.fd : fresh.fd;
    if (old >= 0) close(old);
    if (!is_good) return false;
    journal->file.fd = fresh.fd;
    journal->file.size = fresh.size;
    return true;
}

/* Nobody knows what became of what was being sent. */
static void load_task(struct journal *journal, struct task *task)
{
    if (task->state == TASK_SENDING) {
        task->state = TASK_UNKNOWN;
        snprintf(task->error, sizeof task->error, "herald-modem ended while it was being sent");
    }
    if (!put(journal, task)) log_write(LOG_WARNING, "the journal has too many tasks", NULL, 0);
}

static bool load(struct journal *journal)
{
    char line[LINE_SIZE];
    size_t unread = 0;
    int copy = fcntl(journal->file.fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;

    if (!file) return false;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        struct task task;
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        if (end && read_line(line, &task))
            load_task(journal, &task);
        else
            unread++;
    }
    bool is_read = !ferror(file);
    fclose(file);
    if (unread > 0)
        log_write(LOG_WARNING, "lines of the journal cannot be read",
                  LOG_FIELDS(log_int("lines", (int64_t)unread)));
    return is_read;
}

static bool open_file(struct journal *journal, const char *folder)
{
    bool fits = snprintf(journal->file.path, PATH_SIZE, "%s/journal", folder) < PATH_SIZE;

    snprintf(journal->folder, PATH_SIZE, "%s", folder);
    if (!fits) errno = ENAMETOOLONG;
    if (!fits || (mkdir(folder, 0700) != 0 && errno != EEXIST)) return false;
    journal->file.fd = open(journal->file.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return journal->file.fd >= 0;
}

/* Returns why the journal cannot be had; NULL: it can. */
static const char *open_all(struct journal *journal, const char *folder, int64_t now_ms)
{
    if (!open_file(journal, folder)) return strerror(errno);
    if (flock(journal->file.fd, LOCK_EX | LOCK_NB) != 0) return "another herald-modem uses it";
    return load(journal) && compact(journal, now_ms) ? NULL : strerror(errno);
}

struct journal *journal_open(const char *folder, int64_t now_ms, struct arena *arena,
                             const char **ret_fault)
{
    struct journal *journal = must_calloc(1, sizeof *journal);

    journal->file.fd = -1;
    const char *why = open_all(journal, folder, now_ms);
    if (!why) return journal;
    *ret_fault = arena_printf(arena, "The journal in %s cannot be opened: %s.", folder, why);
    journal_close(journal);
    return NULL;
}

void journal_close(struct journal *journal)
{
    if (!journal) return;
    if (journal->file.fd >= 0) close(journal->file.fd);
    free(journal);
}

struct task *journal_begin(struct journal *journal, const struct task *task)
{
    if (journal->file.size > FILE_MAX && !compact(journal, task->at_ms)) return NULL;
    if (!journal_has_room(journal) || !append(&journal->file, task, true)) return NULL;
    return put(journal, task);
}

void journal_note(struct journal *journal, const struct task *task, bool is_firm)
{
    append(&journal->file, task, is_firm); /* which tells of what it cannot write */
}
