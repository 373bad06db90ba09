/* An array of documents, a map into it, and a map of what the shop calls them. */
#include "documents.h"

#include "kit/base/text_map.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RECORD_LINE_MAX = 1024 };

struct documents {
    struct document *rows;
    size_t count, capacity;
    struct text_map places;  /* in rows, by order */
    struct text_map numbers; /* the same by point and number */
    int64_t twice, changed_bodies;
    int fd; /* of the file; -1: none */
};

struct documents *documents_new(const char *file)
{
    struct documents *documents = calloc(1, sizeof(*documents));

    if (!documents) abort();
    text_map_init(&documents->places);
    text_map_init(&documents->numbers);
    documents->fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (!file || documents->fd >= 0) return documents;
    documents_free(documents);
    return NULL;
}

void documents_free(struct documents *documents)
{
    if (!documents) return;
    if (documents->fd >= 0) close(documents->fd);
    text_map_done(&documents->places);
    text_map_done(&documents->numbers);
    free(documents->rows);
    free(documents);
}

void documents_clear(struct documents *documents)
{
    text_map_clear(&documents->places);
    text_map_clear(&documents->numbers);
    documents->count = 0;
    documents->twice = documents->changed_bodies = 0;
}

static void put_members(const struct document *document, struct json_writer *json)
{
    json_put_text(json, "order", document->order);
    json_put_text(json, "order_id", document->id);
    json_put_text(json, "number", document->number);
    json_put_text(json, "digest", document->digest);
}

/* False: the disk has no room, so the order must come again. */
static bool write_line(struct documents *documents, const struct document *document)
{
    struct json_writer json;
    AUTO_BUF line = {0};

    buf_init(&line, RECORD_LINE_MAX);
    json_writer_init(&json, &line);
    json_object_begin(&json);
    put_members(document, &json);
    json_object_end(&json);
    buf_char(&line, '\n');
    return write(documents->fd, line.data, line.len) == (ssize_t)line.len;
}

static void make_room(struct documents *documents)
{
    if (documents->count < documents->capacity) return;
    documents->capacity = documents->capacity > 0 ? documents->capacity * 2 : 64;
    documents->rows = realloc(documents->rows, documents->capacity * sizeof(*documents->rows));
    if (!documents->rows) abort();
}

static struct document *make(struct documents *documents, const struct incoming *incoming,
                             int64_t now_ms)
{
    struct uuid id = uuid_new(now_ms);

    if (documents->count == DOCUMENTS_MAX) return NULL;
    make_room(documents);
    struct document *document = &documents->rows[documents->count];
    *document = (struct document){.calls = 1};
    uuid_format(&id, document->id);
    snprintf(document->order, sizeof(document->order), "%s", incoming->order);
    snprintf(document->digest, sizeof(document->digest), "%s", incoming->digest);
    snprintf(document->number, sizeof(document->number), "SO-%06zu", documents->count + 1);
    if (documents->fd >= 0 && !write_line(documents, document)) return NULL;
    uint32_t place = (uint32_t)documents->count++;
    text_map_add(&documents->places, str_of(incoming->order), place, NULL);
    if (!text_map_add_pair(&documents->numbers, str_of(incoming->point), str_of(incoming->number),
                           place, NULL))
        documents->twice++;
    return document;
}

const struct document *documents_take(struct documents *documents, const struct incoming *incoming,
                                      int64_t now_ms, bool *ret_is_new)
{
    uint32_t place;

    *ret_is_new = !text_map_find(&documents->places, str_of(incoming->order), &place);
    if (*ret_is_new) return make(documents, incoming, now_ms);
    struct document *document = &documents->rows[place];
    document->calls++;
    if (strcmp(document->digest, incoming->digest) != 0) documents->changed_bodies++;
    return document;
}

struct documents_tally documents_tally(const struct documents *documents)
{
    return (struct documents_tally){
        .count = (int64_t)documents->count,
        .twice = documents->twice,
        .changed_bodies = documents->changed_bodies,
    };
}

void documents_put(const struct documents *documents, const char *order, struct json_writer *json)
{
    json_key(json, "documents");
    json_array_begin(json);
    for (size_t i = 0; i < documents->count; i++) {
        const struct document *document = &documents->rows[i];
        if (order && strcmp(order, document->order) != 0) continue;
        json_object_begin(json);
        put_members(document, json);
        json_put_int(json, "calls", document->calls);
        json_object_end(json);
    }
    json_array_end(json);
}

void digest_of(struct str bytes, char ret_text[static DIGEST_LEN + 1])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, (const unsigned char *)bytes.data, bytes.len);
    sodium_bin2hex(ret_text, DIGEST_LEN + 1, hash, sizeof(hash));
}
