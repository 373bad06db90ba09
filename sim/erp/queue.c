/* The queue's folder: NUMBER.body, NUMBER.package; each is written beside and then renamed. */
#include "queue.h"

#include "kit/json/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 64, RECORD_MAX = 4096 };

struct queue {
    int folder_fd;
    struct arena arena;
    struct package **packages; /* by number */
    size_t count, capacity;
    pthread_mutex_t lock; /* of files that are written */
};

static const char *const type_words[] = {
    [PACKAGE_SNAPSHOT] = "snapshot", [PACKAGE_CHANGES] = "changes", NULL};
static const char *const state_words[] = {[PACKAGE_QUEUED] = "queued",
                                          [PACKAGE_SENT] = "sent",
                                          [PACKAGE_REFUSED] = "refused",
                                          [PACKAGE_APPLIED] = "applied",
                                          NULL};

static const struct field package_fields[] = {
    {.name = "event_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct package, event_id)},
    {.name = "type",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct package, type),
     .words = type_words},
    {.name = "state",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct package, state),
     .words = state_words},
};
static const struct record package_record = {
    .name = "Package", .size = sizeof(struct package), RECORD_FIELDS(package_fields)};

/* --- Files ------------------------------------------------------------------------------------ */

static void name_file(int64_t number, const char *suffix, char ret_name[static NAME_SIZE])
{
    snprintf(ret_name, NAME_SIZE, "%010" PRId64 ".%s", number, suffix);
}

static bool write_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.data += written;
        bytes.len -= (size_t)written;
    }
    return true;
}

/* After it, the file holds these bytes, or what it held before. `is_synced`: they are on the disk,
 * and surely the file's as soon as the folder was synced too. */
static bool write_file(const struct queue *queue, const char *name, struct str bytes,
                       bool is_synced)
{
    char beside[NAME_SIZE + 8];

    snprintf(beside, sizeof(beside), "%s.new", name);
    int fd = openat(queue->folder_fd, beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool is_written = write_all(fd, bytes) && (!is_synced || fsync(fd) == 0);
    close(fd);
    return is_written && renameat(queue->folder_fd, beside, queue->folder_fd, name) == 0;
}

bool queue_map_body(const struct queue *queue, const struct package *package, struct str *ret_body)
{
    char name[NAME_SIZE];
    struct stat facts;

    name_file(package->number, "body", name);
    int fd = openat(queue->folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool has_facts = fstat(fd, &facts) == 0;
    size_t len = has_facts ? (size_t)facts.st_size : 0;
    void *data = len > 0 ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    close(fd);
    if (!has_facts || data == MAP_FAILED) return false;
    *ret_body = (struct str){data, len};
    return true;
}

void queue_unmap_body(struct str body)
{
    if (body.len > 0) munmap((void *)body.data, body.len);
}

/* --- Reading the folder ----------------------------------------------------------------------- */

static void add(struct queue *queue, struct package *package)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
        queue->packages = realloc(queue->packages, queue->capacity * sizeof(*queue->packages));
        if (!queue->packages) abort();
    }
    queue->packages[queue->count++] = package;
}

/* A file that is no package, or was left half written, is passed over. */
static void load(struct queue *queue, const char *name)
{
    struct record_faults faults;
    char text[RECORD_MAX];
    long long number;
    const char *suffix = strchr(name, '.');

    if (!suffix || strcmp(suffix, ".package") != 0) return;
    if (!str_to_int64((struct str){name, (size_t)(suffix - name)}, &number)) return;
    int fd = openat(queue->folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t len = read(fd, text, sizeof(text));
    close(fd);
    if (len <= 0) return;
    struct package *package = ARENA_NEW(&queue->arena, struct package);
    record_faults_init(&faults, &queue->arena);
    if (record_decode(&package_record, (struct str){text, (size_t)len}, false, &queue->arena,
                      package, &faults) != ERR_OK)
        return;
    package->number = number;
    add(queue, package);
}

static int compare(const void *a, const void *b)
{
    const struct package *first = *(struct package *const *)a;
    const struct package *second = *(struct package *const *)b;

    return (first->number > second->number) - (first->number < second->number);
}

static bool load_all(struct queue *queue)
{
    DIR *folder = fdopendir(dup(queue->folder_fd));
    const struct dirent *entry;

    if (!folder) return false;
    while ((entry = readdir(folder)))
        load(queue, entry->d_name);
    closedir(folder);
    if (queue->count > 0) qsort(queue->packages, queue->count, sizeof(*queue->packages), compare);
    return true;
}

struct queue *queue_open(const char *path, const char **ret_problem)
{
    *ret_problem = "the folder of the queue cannot be made or read";
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        *ret_problem = "another program has the queue";
        close(fd);
        return NULL;
    }
    struct queue *queue = calloc(1, sizeof(*queue));
    if (!queue || pthread_mutex_init(&queue->lock, NULL)) abort();
    queue->folder_fd = fd;
    arena_init(&queue->arena);
    if (load_all(queue)) return queue;
    queue_close(queue);
    return NULL;
}

void queue_close(struct queue *queue)
{
    if (!queue) return;
    close(queue->folder_fd);
    arena_done(&queue->arena);
    free(queue->packages);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

size_t queue_count(const struct queue *queue)
{
    return queue->count;
}

struct package *queue_at(const struct queue *queue, size_t index)
{
    return queue->packages[index];
}

/* --- Changing it ------------------------------------------------------------------------------ */

static bool write_package(const struct queue *queue, const struct package *package, bool is_synced)
{
    struct json_writer writer;
    char name[NAME_SIZE];
    AUTO_BUF text = {0};

    buf_init(&text, RECORD_MAX);
    json_writer_init(&writer, &text);
    record_encode(&package_record, package, &writer);
    name_file(package->number, "package", name);
    return !text.is_full && write_file(queue, name, buf_view(&text), is_synced);
}

bool queue_put(struct queue *queue, enum package_type type, const char *event_id, struct str body)
{
    struct package *package = ARENA_NEW(&queue->arena, struct package);
    int64_t last = queue->count > 0 ? queue->packages[queue->count - 1]->number : 0;
    char name[NAME_SIZE];

    *package =
        (struct package){last + 1, arena_text(&queue->arena, event_id), (int)type, PACKAGE_QUEUED};
    name_file(package->number, "body", name);
    if (!write_file(queue, name, body, true) || !write_package(queue, package, true)) return false;
    add(queue, package);
    return fsync(queue->folder_fd) == 0;
}

bool queue_mark(struct queue *queue, struct package *package, enum package_state state)
{
    pthread_mutex_lock(&queue->lock);
    bool is_marked = true;
    if (package->state != (int)state) {
        package->state = (int)state;
        is_marked = write_package(queue, package, false); /* lost, it is sent or asked again */
    }
    pthread_mutex_unlock(&queue->lock);
    return is_marked;
}

/* The record goes first: a body without one is no package. */
void queue_drop(struct queue *queue, struct package *package)
{
    char name[NAME_SIZE];

    package->state = PACKAGE_APPLIED;
    name_file(package->number, "package", name);
    unlinkat(queue->folder_fd, name, 0);
    name_file(package->number, "body", name);
    unlinkat(queue->folder_fd, name, 0);
}
